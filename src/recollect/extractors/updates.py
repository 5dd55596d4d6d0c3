"""Decides whether a new statement repeats, replaces or contradicts an old one."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from recollect.extractors.protocol import Statement
from recollect.extractors.rules import triple
from recollect.extractors.triples import PERSON_ATTRIBUTES, Triple
from recollect.text.analyze import analyze_query
from recollect.text.dates import mentions_time
from recollect.text.numbers import find_numbers, with_digits
from recollect.text.statement_marks import statement_marks

# same: the new statement adds nothing; update: its value replaces the old one; contradiction: both can't be
# true, and the new one does not say that something changed.
Verdict: TypeAlias = Literal["same", "update", "contradiction"]

# The share of words that two statements must have in common: to be the same statement in other words, and to
# be about the same thing if one negates the other. Chosen on the pairs in tests/extractors.
_SAME_WORDS = 0.6
_DENIED_WORDS = 0.75

_NEGATION = re.compile(
    r"\b(?:not|never|no longer|cannot|quit|stopped|gave up|don['’]?t|no more)\b|n['’]t\b|不|没|戒", re.IGNORECASE
)
_CHANGED = re.compile(
    r"\b(?:no longer|any ?more|quit|stopped|gave up|now|these days)\b|不再|戒了|现在|已经不", re.IGNORECASE
)
_REPLACED = re.compile(
    r"\b(?:from|instead of|replaced|rather than) (?P<old>[\w.\-]+(?: [A-Z][\w.\-]+)?)", re.IGNORECASE
)
_CLOCK = re.compile(r"\d ?[ap]\.?m\b|\d:\d\d|o['’]clock|[点时]", re.IGNORECASE)
_SWITCH = re.compile(r"\b(?:switch|migrat|mov|chang|replac|convert)\w*\b", re.IGNORECASE)
# Marks that identify what a statement is about.
_IDENTIFYING = ("number:", "numbers:", "name:", "names:", "code:", "when:", "who:", "measure:")


def compare(old: str | Statement, new: str | Statement) -> Verdict | None:
    """What the new statement does to the old one, or None if they are not related.

    Two statements with different numbers, dates or names are never "same".
    """
    before, after = _text(old), _text(new)
    if bool(_NEGATION.search(before)) is not bool(_NEGATION.search(after)):
        return _denial(before, after)
    was, now = _triple(old), _triple(new)
    if was and now and (was.subject, was.attribute) == (now.subject, now.attribute):
        if not _is_same_value(was.value, now.value):
            return "update" if _are_comparable(was, now) else None
        return "same" if _differ_only_in(was.subject, before, after) else None
    if _is_reworded(before, after):
        return "same"
    return "update" if _names_what_it_replaces(before, after) else None


def _text(given: str | Statement) -> str:
    return given.text if isinstance(given, Statement) else given


def _triple(given: str | Statement) -> Triple | None:
    if isinstance(given, str):
        return triple(given)
    if given.subject is None or given.attribute is None or given.value is None:
        return None
    return Triple(given.subject, given.attribute, given.value)


def _is_same_value(was: str, now: str) -> bool:
    return analyze_query(with_digits(was)) == analyze_query(with_digits(now))


def _are_comparable(was: Triple, now: Triple) -> bool:
    """ "The meeting is at ten" and "the meeting is on Friday" give different things: a time and a date."""
    return was.attribute.startswith(PERSON_ATTRIBUTES) or _value_type(was.value) == _value_type(now.value)


def _value_type(value: str) -> str:
    if _CLOCK.search(value):
        return "clock"
    if mentions_time(value):
        return "date"
    return "number" if find_numbers(value) else "words"


def _differ_only_in(subject: str, before: str, after: str) -> bool:
    """Whether the two texts differ in no number, date or name except the subject's."""
    differing = _identifying_marks(before) ^ _identifying_marks(after)
    return all(mark.startswith("who:") or mark.removeprefix("name:") in subject.split() for mark in differing)


def _is_reworded(before: str, after: str) -> bool:
    return statement_marks(before) == statement_marks(after) and _overlap(before, after) >= _SAME_WORDS


def _denial(before: str, after: str) -> Verdict | None:
    """The verdict if one of the two negates the other."""
    if _identifying_marks(before) != _identifying_marks(after) or _overlap(before, after) < _DENIED_WORDS:
        return None
    return "update" if _CHANGED.search(after) else "contradiction"


def _names_what_it_replaces(before: str, after: str) -> bool:
    """ "We switched from Postgres to Redis" replaces a statement about Postgres."""
    replaced = _REPLACED.search(after)
    if not replaced or not _SWITCH.search(after):
        return False
    return set(analyze_query(replaced["old"]).content) <= set(analyze_query(before).content) != set()


def _identifying_marks(text: str) -> frozenset[str]:
    return frozenset(mark for mark in statement_marks(text) if mark.startswith(_IDENTIFYING))


def _overlap(before: str, after: str) -> float:
    """The share of content words that both have, without words that only say that something changed."""
    one, other = (set(analyze_query(with_digits(_CHANGED.sub(" ", text))).content) for text in (before, after))
    one, other = one - _DENIALS, other - _DENIALS
    return len(one & other) / len(one | other) if one | other else 0.0


_DENIALS = frozenset({"never", "quit", "stop", "veri", "much", "longer"})
