"""Completes a correction with the statement it corrects: "make that $150,000", "no wait, it's the 14th", "that's off".

A correction that names only the new value can't be understood alone. The statement before it with one value of the same
type (a day, a weekday, a clock time, an amount) is repeated with the new value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from recollect.text.same_statement import stating_words
from recollect.text.sentences import sentences

MARK = "Correction: "
"""Put before a completed correction."""
LOOKS_BACK = 2
"""How many messages before its own a correction may refer to."""
_MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_TYPES = {
    "date": rf"{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}",
    "day": r"the \d{1,2}(?:st|nd|rd|th)",
    "weekday": r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day",
    "clock": r"\d{1,2}(?::\d\d)? ?[ap](?:\.m\.|m\b)|\d{1,2}:\d\d",
    "amount": r"[$€£¥] ?\d[\d,.]*\d?(?: ?[kKmM]\b)?|\d[\d,.]*\d?[kKmM]? (?:dollars|euros|pounds|francs|yen)|"
    r"\d[\d.]* ?%",
}
_CUE = (
    r"(?:(?:oh|ah|sorry|oops|actually|no|nope|wait|hang on|hold on|scratch that|correction|my mistake|my bad|well|hm+)"
    r"[,.:;!–—… -]+)"
)
_CORRECTS = r"(?:make (?:that|it)|change (?:that|it) to|(?:that|it) should be|should be|I meant|let['’]s make it) "
_IS = r"(?:it['’]?s (?:now |actually )?|it is |that['’]?s |we said |)"
_AFTER = r"(?: (?:instead|now|actually|then|please|after all)|,? not (?:on |at )?(?:the )?[\w:$€£,.]+)*[.!]*$"
_NOT = r"(?: now)?,? (?:and )?not (?:on |at |by |from )?"
_OFF = re.compile(
    rf"^{_CUE}*(?:that|it)(?:['’]s| is| has been| was)(?: all| now)? (?:off|cancell?ed|called off|not happening)"
    r"(?: now| after all| again)?(?=[.!,;]|$)",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"^(?P<what>(?:the |my |our )?[\w'’ -]{3,40}?) (?:is|are) (?:on|at|in|from|planned)\b", re.IGNORECASE
)
_PLAN = re.compile(r"^(?P<who>I['’]m|[Ww]e['’]re|I am|[Ww]e are) (?P<what>\w+ing\b.*)$")


def completed(text: str, earlier: Sequence[str]) -> str:
    """The text, with each correction completed. `earlier`: the messages of the same speaker before it, oldest first."""
    if not may_correct(text):
        return text
    known = [sentence for message in earlier[-LOOKS_BACK:] for sentence in _sentences(message)]
    said: list[str] = []
    for sentence in _sentences(text):
        said.append(_complete(sentence, [*known, *said]) or sentence)
    return " ".join(said)


def may_correct(text: str) -> bool:
    """Whether one of its sentences is a correction that names only the new value."""
    return any(_OFF.match(sentence) or _correction(sentence) for sentence in _sentences(text))


def corrects(text: str, statement: str) -> bool:
    """Whether the text is the statement with another value, and says that it is a correction."""
    if not text.startswith(MARK) or text == statement:
        return False
    corrected = text.removeprefix(MARK)
    gaps = [(_blank(value, corrected), _blank(value, statement)) for value in _TYPES.values()]
    return any(one is not None and one == other for one, other in gaps)


def _blank(value: str, text: str) -> list[str] | None:
    """The words with a gap at the only value of this type; None if there is no value, or more than one."""
    gapped, values = re.subn(value, " gap ", text, flags=re.IGNORECASE)
    return stating_words(gapped) if values == 1 else None


def _sentences(text: str) -> list[str]:
    return [sentence.strip() for _, sentence in sentences(text) if sentence.strip()]


@dataclass(frozen=True, slots=True)
class _Correction:
    type: str
    value: str
    instead_of: str | None
    """The value that is wrong, if it is named."""


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """For each type of value, the sentences that correct it: by a word of correction, or by naming the wrong value."""
    found = []
    for name, value in _TYPES.items():
        new = rf"(?:on |at |by |from )?(?P<value>{value})"
        found.append((name, rf"^{_CUE}*{_IS}{new}{_NOT}(?P<old>{value})(?=[.!,;]|$)"))
        found.append((name, rf"^(?:{_CUE}+{_IS}|{_CUE}*{_CORRECTS}){new}{_AFTER}"))
    return tuple((name, re.compile(source, re.IGNORECASE)) for name, source in found)


def _correction(sentence: str) -> _Correction | None:
    for name, pattern in _patterns():
        if match := pattern.match(sentence):
            return _Correction(name, match["value"], match.groupdict().get("old"))
    return None


def _complete(sentence: str, before: Sequence[str]) -> str | None:
    if _OFF.match(sentence):
        return _called_off(before[-1]) if before else None
    found = _correction(sentence)
    for statement in reversed(before) if found else ():
        values = list(re.finditer(_TYPES[found.type], statement, re.IGNORECASE)) if found else []
        if len(values) > 1 or statement.endswith("?"):
            return None
        if values and found:
            return _with(found, statement, values[0])
    return None


def _with(found: _Correction, statement: str, wrong: re.Match[str]) -> str | None:
    """The statement with the new value, unless the correction names another value as wrong."""
    if found.instead_of and found.instead_of.lower() != wrong[0].lower():
        return None
    return f"{MARK}{statement[: wrong.start()]}{found.value}{statement[wrong.end() :]}"


def _called_off(statement: str) -> str | None:
    if event := _EVENT.match(statement):
        return f"{MARK}{event['what']} is off."
    if plan := _PLAN.match(statement):
        return f"{MARK}{plan['who']} no longer {plan['what']}"
    return None
