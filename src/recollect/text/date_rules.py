"""What the rules that read dates have in common: their shape, and telling past from future."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal, TypeAlias

from recollect.text.calendar_spans import Span, month

# absolute: the date is written out; partial: its year or month is left to the reader;
# relative: it counts from the moment of speaking.
Kind: TypeAlias = Literal["absolute", "partial", "relative"]
Leaning: TypeAlias = Literal["past", "future", None]


@dataclass(frozen=True, slots=True)
class Setting:
    """When a sentence was said, and whether it speaks of what was or what will be."""

    today: date
    leaning: Leaning

    def nearest(self, occurrences: list[date], default: Leaning = None) -> date:
        """Of yearly occurrences, the one meant; without a hint in the sentence, the `default` one."""
        leaning = self.leaning or default
        if leaning == "past":
            return max(which for which in occurrences if which <= self.today)
        if leaning == "future":
            return min(which for which in occurrences if which >= self.today)
        return min(occurrences, key=lambda which: abs(which - self.today))

    def month_meant(self, number: int) -> Span:
        """The month of that number that "in March" means: this one, else the last, else the next."""
        this_month = self.today.replace(day=1)
        years = (self.today.year - 1, self.today.year, self.today.year + 1)
        firsts = [date(year, number, 1) for year in years]
        if self.leaning == "future":
            first = min(which for which in firsts if which >= this_month)
        else:
            first = max(which for which in firsts if which <= this_month)
        return month(first.year, first.month)

    def day_meant(self, number: int, day: int, default: Leaning = None) -> date:
        """The day and month of the year that "May 20" means."""
        years = range(self.today.year - 4, self.today.year + 5)
        return self.nearest([d for year in years if (d := _existing(year, number, day))], default)

    def day_of_month_meant(self, day: int) -> date:
        """The day that "on the 20th" means."""
        months = [month(self.today.year, self.today.month + shift)[0] for shift in (-2, -1, 0, 1, 2)]
        days = [d for first in months if (d := _existing(first.year, first.month, day))]
        return self.nearest(days, "past")


Resolver: TypeAlias = Callable[[re.Match[str], Setting], Span | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """A way of writing a date, and the span it stands for (None: it is no date after all)."""

    pattern: re.Pattern[str]
    resolve: Resolver
    kind: Kind


def inclusive(first: date, last: date) -> Span:
    return first, last + timedelta(days=1)


def _existing(year: int, number: int, day: int) -> date | None:
    """29 February only exists in some years, 31 April in none."""
    try:
        return date(year, number, day)
    except ValueError:
        return None
