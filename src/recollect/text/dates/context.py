"""What decides the meaning of a date that is not complete: the day it was said, the tense, the language."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TypeAlias

from .language import Kind, Language, Tense
from .spans import Span, month

_RECENT = timedelta(days=60)
"""A day and month without any tense is in the past only if that is not longer ago."""


@dataclass(frozen=True, slots=True)
class DateContext:
    """`tense` is None where the words around a date say nothing about it."""

    today: date
    tense: Tense
    language: Language

    @property
    def is_ahead(self) -> bool:
        return self.tense != "past"

    def month(self, number: int) -> Span:
        """The month that "in March" means. The current month is possible in every tense."""
        if self.tense is None and self.language.this_year:
            return month(self.today.year, number)
        this_month = self.today.replace(day=1)
        firsts = [date(year, number, 1) for year in _years(self.today, 1)]
        if self.is_ahead:
            first = min(which for which in firsts if which >= this_month)
        else:
            first = max(which for which in firsts if which <= this_month)
        return month(first.year, first.month)

    def day(self, number: int, day: int) -> date:
        """The date that "May 20" means."""
        days = [d for year in _years(self.today, 4) if (d := _existing(year, number, day))]
        if self.tense is None and self.language.this_year:
            return min(days, key=lambda which: abs(which.year - self.today.year))
        if self.tense is None and (over := [d for d in days if self.today - _RECENT <= d <= self.today]):
            return over[0]
        return self._nearest(days)

    def day_of_month(self, day: int) -> date:
        """The date that "on the 20th" means."""
        months = [month(self.today.year, self.today.month + shift)[0] for shift in (-2, -1, 0, 1, 2)]
        return self._nearest([d for first in months if (d := _existing(first.year, first.month, day))])

    def _nearest(self, days: list[date]) -> date:
        if self.is_ahead:
            return min(which for which in days if which >= self.today)
        return max(which for which in days if which <= self.today)


Resolver: TypeAlias = Callable[[re.Match[str], DateContext], Span | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """A way of writing a date, and a function that gives its span, or None if it is not a date."""

    pattern: re.Pattern[str]
    resolve: Resolver
    kind: Kind
    language: Language
    needs: tuple[frozenset[str], ...] = ()
    """Of each set, a sentence must have a word; most sentences then need only a few rules."""
    needs_digit: bool = False


def _years(today: date, around: int) -> range:
    return range(today.year - around, today.year + around + 1)


def _existing(year: int, number: int, day: int) -> date | None:
    """The date, or None if it does not exist, such as 31 April, or 29 February in most years."""
    try:
        return date(year, number, day)
    except ValueError:
        return None
