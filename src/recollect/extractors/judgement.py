"""What is a new statement to an old one: the same, a newer value, a contradiction, or something else?

Every place that merges, hides, replaces or links statements asks here: duplicates when writing, near-copies in results,
consolidation, updates and links. Vectors only propose pairs; they never decide. Where this is not sure, the answer is
"different": both statements stay.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import Literal, TypeAlias

from recollect.extractors.corrections import MARK, corrects
from recollect.extractors.endings import (
    adds,
    denies,
    ends,
    is_denial,
    may_end,
    may_have_end,
    says_change,
    says_over,
    words_of_opposites,
)
from recollect.extractors.rules import may_have_triple, triple
from recollect.extractors.statements import find_statements
from recollect.extractors.triples import Triple, is_unreal
from recollect.extractors.values import compared, is_same_thing, is_same_value, replaces
from recollect.text.same_statement import contains, is_same
from recollect.text.sentences import LONGEST_SENTENCE

__all__ = [
    "Judgement",
    "adds_nothing",
    "change",
    "ends_something",
    "first_triple",
    "judge",
    "may_replace",
    "says_change",
    "says_the_same",
    "states_more",
]

Judgement: TypeAlias = Literal["same", "newer value", "contradiction", "different"]
"""same: the new one adds nothing. newer value: it replaces what the old one says. contradiction: both can't be true,
and the new one does not say that something changed. different: none of these, or not sure."""


_MOST_CLAUSES, _MOST_CHARS = 20, 4_000
"""Only the beginning of a long text is compared."""
_GOES_ON = re.compile(
    r"(?:[,;]| and| but) (?:and |but |so )?(?:(?:he|she|they|it|who|which)(?:['’]\w+)? \w+|"
    r"no \w+|\w+ (?:is|are|was|were|has|had)\b)",
    re.IGNORECASE,
)
"""A second clause about somebody or something else."""


def judge(old: str, new: str) -> Judgement:
    """What the new statement is to the old one. "The same" means word for word, apart from fillers."""
    if says_the_same(old, new):
        return "same"
    found = {_judge_clause(before, after) for before in _clauses(old) for after in _clauses(new)}
    if "newer value" in found:
        return "newer value"
    return "contradiction" if "contradiction" in found else "different"


def says_the_same(one: str, other: str) -> bool:
    """Whether the judgement is "same". Cheaper than asking for all of it."""
    return is_same(one, other)


def adds_nothing(part: str, text: str) -> bool:
    """Whether the text holds all that the part states, word for word and in order."""
    return contains(text, part)


def change(old: str, new: str) -> tuple[str, str, str] | None:
    """The attribute with its old and its new value, such as (live in, Nantes, Lyon); None if they give none."""
    for before in _clauses(old):
        for after in _clauses(new):
            was, now = _compared(before, after)
            if was and now and is_same_thing(was, now) and _judge_clause(before, after) == "newer value":
                return was.subject if was.attribute == "is" else was.attribute, was.value, now.value
    return None


def first_triple(text: str, speaker: str | None = None) -> Triple | None:
    """Subject, attribute and value of the first statement in the text that gives them. `speaker`: who says "I".

    A long text may be cut within a word, and the parts have other words than the text."""
    if len(text) <= LONGEST_SENTENCE and not may_have_triple(text):
        return None
    return next((found for clause in _clauses(text) if (found := triple(clause, speaker))), None)


def ends_something(text: str) -> bool:
    """Whether a statement in the text says that something is over."""
    if len(text) <= LONGEST_SENTENCE and not may_have_end(text):
        return False
    return any(may_end(clause) for clause in _clauses(text))


def may_replace(text: str) -> set[str] | None:
    """Words that every earlier statement has which this one replaces or contradicts. Empty if they are not known, None
    if there can't be such a statement."""
    clauses = _clauses(text)
    clause = clauses[0]
    if len(clauses) > 1 or not clause.isascii() or clause.startswith(MARK) or _triple(clause) or says_over(clause):
        return set()
    return words_of_opposites(clause)  # only a denial is left


@lru_cache(maxsize=4096)
def states_more(text: str) -> bool:
    """Whether a text says more than one thing, so that something would be lost if all of it were replaced."""
    return len(_clauses(text)) > 1 or _GOES_ON.search(text) is not None


@lru_cache(maxsize=4096)
def _clauses(text: str) -> tuple[str, ...]:
    """The first statements of a text; the text itself if it has none."""
    found = (words for _, words in find_statements(text[:_MOST_CHARS]))
    return tuple(islice(found, _MOST_CLAUSES)) or (text[:_MOST_CHARS],)


@lru_cache(maxsize=4096)
def _triple(clause: str) -> Triple | None:
    return triple(clause)


def _judge_clause(old: str, new: str) -> Judgement:
    was, now = _compared(old, new)
    if adds(new) or is_unreal(new):
        return "different"
    if was and now and is_same_thing(was, now) and not is_same_value(was.value, now.value):
        return "newer value" if replaces(was, now, says_change(new)) else "different"
    if corrects(new, old) or ends(new, old):
        return "newer value"
    if _is_denied(old, new):
        return "newer value" if says_change(new) else "contradiction"
    return "different"


def _compared(old: str, new: str) -> tuple[Triple | None, Triple | None]:
    was, now = _triple(old), _triple(new)
    return compared(was, now) if was and now else (was, now)


def _is_denied(old: str, new: str) -> bool:
    """Whether one of the two denies the other, in either order."""
    if is_denial(new) == is_denial(old):
        return False
    return denies(new, old, wholly=True) if is_denial(new) else denies(old, new, wholly=False)
