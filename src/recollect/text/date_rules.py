"""Types that the date rules share, and how a date without a year or month is resolved."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal, TypeAlias

from recollect.text.calendar_spans import Span, month

# absolute: the full date is written; partial: the year or the month is missing;
# relative: the date counts from the moment of speaking.
Kind: TypeAlias = Literal["absolute", "partial", "relative"]
Tense: TypeAlias = Literal["past", "future", None]


@dataclass(frozen=True, slots=True)
class DateContext:
    """The day on which a sentence was said, and its tense."""

    today: date
    tense: Tense

    def nearest(self, occurrences: list[date], default: Tense = None) -> date:
        """The occurrence that the tense points to; without a tense, the one that `default` points to."""
        tense = self.tense or default
        if tense == "past":
            return max(which for which in occurrences if which <= self.today)
        if tense == "future":
            return min(which for which in occurrences if which >= self.today)
        return min(occurrences, key=lambda which: abs(which - self.today))

    def resolve_month(self, number: int) -> Span:
        """The month that "in March" means: the current one or the latest before it; in future tense, the next one."""
        this_month = self.today.replace(day=1)
        years = (self.today.year - 1, self.today.year, self.today.year + 1)
        firsts = [date(year, number, 1) for year in years]
        if self.tense == "future":
            first = min(which for which in firsts if which >= this_month)
        else:
            first = max(which for which in firsts if which <= this_month)
        return month(first.year, first.month)

    def resolve_day(self, number: int, day: int, default: Tense = None) -> date:
        """The date that "May 20" means."""
        years = range(self.today.year - 4, self.today.year + 5)
        return self.nearest([d for year in years if (d := _existing(year, number, day))], default)

    def resolve_day_of_month(self, day: int) -> date:
        """The date that "on the 20th" means."""
        months = [month(self.today.year, self.today.month + shift)[0] for shift in (-2, -1, 0, 1, 2)]
        days = [d for first in months if (d := _existing(first.year, first.month, day))]
        return self.nearest(days, "past")


Resolver: TypeAlias = Callable[[re.Match[str], DateContext], Span | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """A way of writing a date, and a function that gives its span, or None if it is not a date."""

    pattern: re.Pattern[str]
    resolve: Resolver
    kind: Kind


def inclusive(first: date, last: date) -> Span:
    return first, last + timedelta(days=1)


def _existing(year: int, number: int, day: int) -> date | None:
    """The date, or None if it does not exist, such as 31 April, or 29 February in most years."""
    try:
        return date(year, number, day)
    except ValueError:
        return None
