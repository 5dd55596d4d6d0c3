"""The values that a correction can name alone: a day, a clock time, an amount of money, a share, a number of things."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Literal, TypeAlias

from recollect.text.numbers import ENGLISH_NUMBER, with_digits
from recollect.text.words import stem

Type: TypeAlias = Literal["day", "clock", "amount", "percent", "count"]

_MONTH = (
    "(?:January|February|March|April|May|June|July|August|September|October|November|December|"
    "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)"
)
_CLOCK = r"(?:\d{1,2}(?::\d\d)? ?[ap](?:\.m\.|m\b)|\d{1,2}:\d\d)"
_NUMBER = rf"(?:\d[\d,]*(?:\.\d+)?|\b{ENGLISH_NUMBER}\b)"
_SOURCES: dict[Type, str] = {
    "day": rf"{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b|(?:the )?\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}\b|"
    r"the \d{1,2}(?:st|nd|rd|th)\b|\b(?:(?:this|next) )?(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b|"
    r"\b(?:this|next) (?:week(?:end)?|month|quarter|year)\b|\b(?:today|tomorrow)\b",
    "clock": rf"{_CLOCK}(?: ?(?:to|until|till|-|–) ?{_CLOCK})?",
    "amount": r"[$€£¥] ?\d(?:[\d,.]*\d)?(?: ?[kKmM]\b)?|\d(?:[\d,.]*\d)?[kKmM]? (?:dollars|euros|pounds|francs|yen)\b",
    "percent": r"\d[\d.]* ?%",
    "count": rf"(?:\b(?P<label>[A-Za-z]+) )?(?P<number>{_NUMBER})(?: (?P<unit>[a-z]+))?",
}


_WEEKDAY = re.compile(r"\b\w+day\b")
_MONTHS = re.compile(rf"\b{_MONTH}\b", re.IGNORECASE)
_BESIDE = 3
"""Characters between two ways to name one day: "Sunday, March 15", "Sunday (the 15th)"."""


_HINT = re.compile(rf"\d|day|tomorrow|week|month|quarter|year|{ENGLISH_NUMBER}", re.IGNORECASE)
"""Every value has one of these."""


@cache
def _patterns() -> dict[Type, re.Pattern[str]]:
    return {name: re.compile(source, re.IGNORECASE) for name, source in _SOURCES.items()}


def type_of(value: str) -> Type | None:
    """The type of a text that is one value and nothing else."""
    if not may_be_value(value):
        return None
    return next((name for name, pattern in _patterns().items() if pattern.fullmatch(value.strip())), None)


def may_be_value(text: str) -> bool:
    return _HINT.search(text) is not None


def has_value(type: Type, statement: str) -> bool:
    return _patterns()[type].search(statement) is not None


def holds_value(text: str) -> bool:
    return any(has_value(type, text) for type in _SOURCES)


def place_of(value: str, type: Type, statement: str) -> tuple[int, int] | None:
    """Where the statement has the value that this one can replace: its only value of the type. None if there is none,
    or more than one."""
    if type == "count":
        return _place_of_count(value, statement)
    found = [match.span() for match in _patterns()[type].finditer(statement)]
    if type == "day" and len(found) > 1:
        return _place_of_day(value, statement, found)
    return found[0] if len(found) == 1 else None


def _place_of_day(value: str, statement: str, days: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    """Of several days, the only one that is written in the same way, unless it names the same day as the one beside it:
    "Sunday is the 15th", but not "on Sunday, March 15"."""
    alike = [(start, end) for start, end in days if _way(statement[start:end]) == _way(value)]
    beside = any(0 <= after[0] - before[1] <= _BESIDE for before, after in pairwise(days))
    return alike[0] if len(alike) == 1 and not beside else None


def _way(day: str) -> str:
    return re.sub(r"\d+", "0", _WEEKDAY.sub("day", _MONTHS.sub("month", day.strip().lower())))


def _place_of_count(value: str, statement: str) -> tuple[int, int] | None:
    """A number replaces the only number. With a unit or a label ("18 months", "room 15"), the only one with that."""
    new = _patterns()["count"].fullmatch(value.strip())
    if new is None or any(_patterns()[type].search(statement) for type in ("clock", "amount", "percent")):
        return None
    found = [match for match in _patterns()["count"].finditer(statement) if _is_plain(match, statement)]
    alike = [match for match in found if _has(match, "unit", new) and _has(match, "label", new)]
    if len(alike) != 1 or (new["unit"] is None and new["label"] is None and len(found) != 1):
        return None
    start, end = alike[0].start("number"), alike[0].end("number")
    start = alike[0].start("label") if new["label"] else start
    return start, alike[0].end("unit") if new["unit"] else end


def _is_plain(match: re.Match[str], statement: str) -> bool:
    """Whether the number is not the day of a date."""
    return not any(day.start() <= match.start("number") < day.end() for day in _patterns()["day"].finditer(statement))


def _has(match: re.Match[str], part: str, new: re.Match[str]) -> bool:
    return not new[part] or stem((match[part] or "").lower()) == stem(new[part].lower())


def is_same_value(one: str, other: str) -> bool:
    return with_digits(one.strip().lower()) == with_digits(other.strip().lower())
