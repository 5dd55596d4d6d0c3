"""Do two short statements have the form of one another, and does the question say which of them it means?

"Ada prefers dark mode" and "Ada prefers light mode" are parallel: they begin alike and share most words. Which of them
holds is a matter of time, unless the question names what is only in one: "the rear tyres" or "Tom's locker". This
decides which comes first, never what is merged, replaced or hidden.
"""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass
from functools import lru_cache
from os.path import commonprefix
from typing import Literal, TypeAlias

from recollect.text.analyze import analyze, is_stop
from recollect.text.same_statement import stating_words
from recollect.text.whose import means_other

Relation: TypeAlias = Literal["alike", "other thing"]
"""alike: it gives another value of the same thing. other thing: the question means the first statement, not this."""
_OF_STATE = re.compile(
    r"\W*(?:is|are|am|was|were|do|does|did|has|have|had|can|could|will|would|should)\b|"
    r".*(?:\b(?:still|now|currently|these days|noch|jetzt|todavía|sigue|ahora|encore|toujours|maintenant)\b|"
    r"[吗嗎还還]|现在|現在|目前)",
    re.IGNORECASE | re.DOTALL,
)
"""A question of yes or no, or about the present, may name a value that no longer holds: "does Ada still prefer dark
mode?\""""

MOST_CHARS = 160
"""A longer text says more than one thing."""
ASKS = ("?", "？")
LEAST_COMMON = 2
COMMON_SHARE = 0.8
"""Parallel statements share at least this many words for each word that only one of them has."""
LABEL_CHARS = 40
_HAN = re.compile("[\u4e00-\u9fff]")
_FIRST_PERSON = frozenset("i me my mine myself 我 yo mi mí mis me ich mein meine meinen meiner mir mich".split())
_MYSELF = "\x1fi"


@dataclass(frozen=True, slots=True)
class _Shape:
    """What is compared of a text."""

    label: str
    """What is before the first colon, such as "wifi password"."""
    first: str
    words: frozenset[tuple[str, int]]
    """The words that state something, numbered if one occurs again. A label of one word is left out, because it may be
    who speaks."""
    terms: frozenset[str]
    """The content words, and a mark for the first person."""


def relation(own: str, other: str, question: str) -> Relation | None:
    """What the other statement is to one's own, for this question. None if they are not parallel, or not sure."""
    one, two = _statement(own), _statement(other)
    if one is None or two is None:
        return None
    if means_other(own, other, question):
        return "other thing"
    same_label = one.label == two.label and " " in one.label
    if not (same_label or _are_parallel(one.words, two.words)):
        return None
    asked, of_state = _terms(question), _OF_STATE.match(question) is not None
    names_one, names_two = (
        not of_state and not asked.isdisjoint(only) for only in (one.terms - two.terms, two.terms - one.terms)
    )
    if names_one and not names_two:
        return "other thing"
    if names_two or means_other(other, own, question):
        return None
    return "alike" if (same_label or one.first == two.first) and _differ_in_value(own, other) else None


def _differ_in_value(own: str, other: str) -> bool:
    """Chinese words are not told apart here, so only one stretch of characters may differ: not "我表姐身高164厘米" and
    "我上司身高171厘米"."""
    if not (_HAN.search(own) and _HAN.search(other)):
        return True
    start = len(commonprefix([own, other]))
    end = len(commonprefix([own[start:][::-1], other[start:][::-1]]))
    mine, theirs = own[start : len(own) - end], other[start : len(other) - end]
    return not any(mine[n : n + 2] in theirs for n in range(len(mine) - 1))


def _are_parallel(one: Set[object], two: Set[object]) -> bool:
    common, least, most = len(one & two), *sorted((len(one), len(two)))
    return common >= LEAST_COMMON and common >= COMMON_SHARE * (most - common) and least > common


@lru_cache(maxsize=4096)
def _statement(text: str) -> _Shape | None:
    """None for a long text or a question."""
    if len(text) > MOST_CHARS or text.rstrip().endswith(ASKS):
        return None
    label, colon, rest = text[:LABEL_CHARS].partition(":")
    label = label.strip().casefold() if colon else ""
    words = stating_words(rest + text[LABEL_CHARS:] if label and " " not in label else text)
    numbered = frozenset((word, words[:n].count(word)) for n, word in enumerate(words))
    return _Shape(label, words[0], numbered, _terms(text))


@lru_cache(maxsize=4096)
def _terms(text: str) -> frozenset[str]:
    terms = frozenset(term for term in analyze(text) if not is_stop(term))
    return terms if _FIRST_PERSON.isdisjoint(stating_words(text)) else terms | {_MYSELF}
