"""Days, weeks, months, seasons and years as half-open spans of dates."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TypeAlias

# The first day inside, and the first day after.
Span: TypeAlias = tuple[date, date]

# Meteorological seasons of the northern hemisphere. A winter belongs to the year it begins in.
_SEASON_FIRST_MONTH = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}


def day(which: date) -> Span:
    return which, which + timedelta(days=1)


def days_from(which: date, count: int) -> Span:
    """The day `count` days after (before, when negative) `which`."""
    return day(which + timedelta(days=count))


def inclusive(first: date, last: date) -> Span:
    return first, last + timedelta(days=1)


def widened(span: Span, days: int) -> Span:
    return span[0] - timedelta(days=days), span[1] + timedelta(days=days)


def week(which: date, shift: int = 0) -> Span:
    """The Monday-to-Sunday week `shift` weeks from the one with `which` in it."""
    monday = which - timedelta(days=which.weekday()) + timedelta(weeks=shift)
    return monday, monday + timedelta(weeks=1)


def weekend(which: date, shift: int = 0) -> Span:
    monday, end = week(which, shift)
    return monday + timedelta(days=5), end


def month(year: int, number: int, count: int = 1) -> Span:
    """`count` months from month `number` on. The number may be outside 1..12: month 0 is last December."""
    return _first_of(year, number), _first_of(year, number + count)


def year(number: int) -> Span:
    return month(number, 1, 12)


def quarter(year: int, number: int) -> Span:
    return month(year, 3 * number - 2, 3)


def season(year: int, name: str) -> Span:
    return month(year, _SEASON_FIRST_MONTH[name], 3)


def part(whole: Span, which: str) -> Span:
    """The early, mid or late third of a span."""
    start, end = whole
    third = (end - start) / 3
    first, second = start + third, start + 2 * third
    return {"early": (start, first), "mid": (first, second), "late": (second, end)}[which]


def weekday_before(which: date, weekday: int) -> date:
    """The last such weekday before `which`, not `which` itself; Monday is 0."""
    return which - timedelta(days=(which.weekday() - weekday - 1) % 7 + 1)


def weekday_after(which: date, weekday: int) -> date:
    return which + timedelta(days=(weekday - which.weekday() - 1) % 7 + 1)


def ago(at: date, unit: str, fewest: int, most: int) -> Span:
    """`fewest` to `most` units before `at`; negative counts are in the future.

    The unit says how exact people are: days and weeks mean a day, months and years the calendar ones.
    """
    if unit == "year":
        return year(at.year - most)[0], year(at.year - fewest)[1]
    if unit == "month":
        return month(at.year, at.month - most)[0], month(at.year, at.month - fewest)[1]
    days = 7 if unit == "week" else 1
    return at - timedelta(days=days * most), at - timedelta(days=days * fewest - 1)


def up_to_today(at: date, unit: str, count: int) -> Span:
    """The last `count` units, up to and including today."""
    days = {"day": 1, "week": 7, "month": 30, "year": 365}[unit] * count
    return at - timedelta(days=days), at + timedelta(days=1)


def _first_of(year: int, number: int) -> date:
    years, index = divmod(number - 1, 12)
    return date(year + years, index + 1, 1)
