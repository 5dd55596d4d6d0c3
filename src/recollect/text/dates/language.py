"""What a language module provides: tables of words, patterns of dates, and the words around dates that matter.

Keys and patterns are written without accents, because sentences are folded before they are searched. Only the
cues see the accents: "compro" and "compró" differ in tense.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from recollect.text.numbers import number_value

if TYPE_CHECKING:
    from .context import Resolver

# absolute: the full date is written; partial: the year or the month is missing;
# relative: the date counts from the moment of speaking.
Kind: TypeAlias = Literal["absolute", "partial", "relative"]
Tense: TypeAlias = Literal["past", "future", None]
Sign: TypeAlias = Literal["past", "present", "future"]
Repeats: TypeAlias = Literal["daily", "weekly", "monthly", "yearly"]
Patterns: TypeAlias = "tuple[tuple[str, Resolver], ...]"

NEVER = r"(?!)"
YEAR = r"(?P<year>(?:19|20)\d\d)"
LAST_YEAR = r"(?P<last_year>(?:19|20)\d\d)"
YEAR_FIRST = r"(?<![\d.])(?P<year>\d{4})(?P<mark>[-/.])(?P<number>\d\d?)(?P=mark)(?P<day>\d\d?)(?!\.?\d)"
"""2026-10-03, 2026/10/3"""
WORKDAYS, WEEKEND = (0, 1, 2, 3, 4), (5, 6)
# Letter for letter, so that a position in the folded text is also one in the text.
_FOLDED = str.maketrans(
    "áàâãäéèêëíìîïóòôõöúùûüñçÁÀÂÃÄÉÈÊËÍÌÎÏÓÒÔÕÖÚÙÛÜÑÇ’", "aaaaaeeeeiiiiooooouuuuncAAAAAEEEEIIIIOOOOOUUUUNC'"
)


def folded(text: str) -> str:
    """The text without accents, of the same length."""
    return text if text.isascii() else text.translate(_FOLDED)


def one_of(words: Iterable[str]) -> str:
    """A pattern for any of the words; longer ones first."""
    return "|".join(sorted(words, key=len, reverse=True))


def either(*patterns: str) -> str:
    return "|".join(patterns)


def words(listed: str, *, whole: bool = True) -> str:
    """A pattern for any of the listed words, which bars separate, on as many lines as needed. With `whole=False` an
    ending may follow."""
    listed = "|".join(word.strip() for word in listed.split("|"))
    return rf"\b(?:{listed})" + (r"\b" if whole else "")


def numbered(words: str, first: int = 0) -> dict[str, int]:
    """The words with their numbers; words joined by a slash have the same number."""
    groups = enumerate(words.split(), start=first)
    return {word: number for number, group in groups for word in group.split("/")}


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compiled at first use: importing must stay fast."""
    return re.compile(pattern, re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cues:
    """Patterns of the words around a date."""

    clause: str
    """Separates two clauses."""
    tenses: tuple[tuple[Sign, str], ...]
    """At one position, the first that matches counts."""
    past_before: str = NEVER
    """Right before a date that is over: "since March"."""
    future_before: str = NEVER
    """Right before a date that is still to come: "by Friday"."""
    uncertain: str = NEVER
    """In the clause of a date that is not sure."""
    around: str = NEVER
    """Right before a day that is meant roughly."""
    around_after: str = NEVER


@dataclass(frozen=True, slots=True, kw_only=True)
class Joints:
    """Patterns of the words that join two dates to one time."""

    span: str
    """From the first to the second."""
    choice: str
    """The first or the second."""
    between: str = NEVER
    """With this before the first date, `both` joins them to a span."""
    both: str = NEVER
    since: str = NEVER
    """Before the first day of something that repeats."""
    until: str = NEVER


@dataclass(frozen=True, slots=True)
class Repeat:
    """A way to say that something repeats. Without `days`, they are the weekdays that the match names."""

    pattern: str
    repeats: Repeats
    days: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Language:
    """The words and patterns of one language."""

    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    """Monday is 0."""
    units: Mapping[str, str]
    """Word → minute, hour, day, week, weekend, fortnight, month, quarter, half-year, year, decade."""
    offsets: Mapping[str, int]
    """ "yesterday" → -1."""
    shifts: Mapping[str, int]
    """ "last" → -1."""
    absolute: Patterns
    partial: Patterns
    relative: Patterns
    repeats: tuple[Repeat, ...]
    cues: Cues
    joints: Joints
    hints: frozenset[str]
    """A sentence without one of these words and without a digit names no date."""
    common: frozenset[str] = frozenset()
    """Frequent words, by which the language is recognised."""
    nearest: frozenset[str] = frozenset()
    """Shifts that choose the nearest weekday. Others choose the weekday of another calendar week."""
    counts: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Counts that are not a number → the smallest and the largest number they mean."""
    numbers: Mapping[str, int] = field(default_factory=dict)
    seasons: Mapping[str, str] = field(default_factory=dict)
    ordinals: Mapping[str, int] = field(default_factory=dict)
    """ "first" → 1; "last" → -1."""
    holidays: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Month and day."""
    parts: Mapping[str, str] = field(default_factory=dict)
    """ "end of" → early, mid or late."""
    day_first: bool = True
    """Whether 5/6 is the fifth of June."""
    lower_case: bool = False
    """Whether months and weekdays are written in lower case, so that "Plácido Domingo" is a name."""
    this_year: bool = False
    """Whether a date without a year and without a tense is one of the current year."""

    def number(self, word: str) -> int:
        value = self.numbers.get(word.lower())
        value = number_value(word) if value is None else value
        if value is None:
            raise ValueError(f"{word} is not a number")
        return value

    def count(self, word: str) -> tuple[int, int]:
        """The smallest and the largest number that the word means."""
        return self.counts.get(word.lower()) or (self.number(word),) * 2

    def shift(self, word: str) -> int:
        return self.shifts[word.lower()]
