"""What the parts of a date mean. These functions are the same for all languages.

A language's patterns name the parts: year, month, day, weekday, count, unit, shift and so on. A group whose name
begins with `last` is the end of a span.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from . import spans
from .context import DateContext, Resolver
from .spans import Span

_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_MULTIPLES = {"fortnight": ("week", 2), "half-year": ("month", 6), "decade": ("year", 10)}


def group(match: re.Match[str], name: str) -> str | None:
    return match.groupdict().get(name)


# Written dates -------------------------------------------------------------------------------------


def full_date(match: re.Match[str], context: DateContext) -> Span:
    return spans.day(date(int(match["year"]), int(match["number"]), int(match["day"])))


def slashed_date(match: re.Match[str], context: DateContext) -> Span:
    number, day = _month_and_day(match, context)
    year = int(match["year"])
    return spans.day(date(year if year > 99 else 2000 + year, number, day))


def slashed_day(match: re.Match[str], context: DateContext) -> Span:
    return spans.day(context.day(*_month_and_day(match, context)))


def _month_and_day(match: re.Match[str], context: DateContext) -> tuple[int, int]:
    first, second = int(match["first"]), int(match["second"])
    day_first = first > 12 or (context.language.day_first and second <= 12)
    return (second, first) if day_first else (first, second)


def named_day(match: re.Match[str], context: DateContext) -> Span:
    """A day of a named month. With `last`, a span of days, which ends in that month."""
    number, day = _month(match, "month", context), context.language.number(match["day"])
    last = context.language.number(match["last"]) if group(match, "last") else day
    year = _year(match, context)
    end = date(year, number, last) if year else context.day(number, last)
    return spans.inclusive(_day_before(end, day), end)


def day_alone(match: re.Match[str], context: DateContext) -> Span:
    """ "On the 20th", or "the 15th of next month". With `last`, a span of days."""
    day = context.language.number(match["day"])
    last = context.language.number(match["last"]) if group(match, "last") else day
    shift = group(match, "month_shift")
    if shift:
        month = spans.month(context.today.year, context.today.month + context.language.shift(shift))[0]
        end = month.replace(day=last)
    else:
        end = context.day_of_month(last)
    return spans.inclusive(_day_before(end, day), end)


def _day_before(end: date, day: int) -> date:
    """The nearest date with this day of the month that is not after `end`."""
    if day <= end.day:
        return end.replace(day=day)
    return spans.month(end.year, end.month - 1)[0].replace(day=day)


def named_month(match: re.Match[str], context: DateContext) -> Span:
    number, year = _month(match, "month", context), _year(match, context)
    return _part(match, spans.month(year, number) if year else context.month(number), context)


def months(match: re.Match[str], context: DateContext) -> Span:
    """ "From July to October": the October is resolved first; the July is the one before it."""
    first, last, year = _month(match, "month", context), _month(match, "last_month", context), _year(match, context)
    end = spans.month(year, last) if year else context.month(last)
    return spans.month(end[0].year, last - (last - first) % 12)[0], end[1]


def shifted_month(match: re.Match[str], context: DateContext) -> Span:
    """ "Next March"."""
    number, shift = _month(match, "month", context), context.language.shift(match["shift"])
    year = context.today.year
    if shift < 0 and number >= context.today.month:
        year -= 1
    if shift > 0 and number <= context.today.month:
        year += 1
    return spans.month(year, number)


def whole_year(match: re.Match[str], context: DateContext) -> Span:
    year = _year(match, context)
    assert year is not None
    return _part(match, spans.year(year), context)


def years(match: re.Match[str], context: DateContext) -> Span:
    return spans.year(int(match["year"]))[0], spans.year(int(match["last_year"]))[1]


def decade(match: re.Match[str], context: DateContext) -> Span:
    first = int(match["year"])
    return spans.year(first)[0], spans.year(first + 9)[1]


def quarter(match: re.Match[str], context: DateContext) -> Span:
    return spans.quarter(_year(match, context) or context.today.year, int(match["quarter"]))


def season(match: re.Match[str], context: DateContext) -> Span:
    name, year = context.language.seasons[match["season"].lower()], _year(match, context)
    if year:
        return spans.season(year, name)
    today, shift = context.today, _shift(match, context)
    if shift == 0:
        return spans.season(today.year, name)
    around = [spans.season(today.year + years, name) for years in (-2, -1, 0, 1, 2)]
    if shift is None and context.is_ahead:
        return min(span for span in around if span[1] > today)
    if shift and shift > 0:
        return min(span for span in around if span[0] > today)
    # "last summer" is over; "in the summer" may be the current one.
    return max(span for span in around if (span[1] if shift else span[0]) <= today)


def holiday(match: re.Match[str], context: DateContext) -> Span:
    number, day = context.language.holidays[match["holiday"].lower()]
    year, shift = _year(match, context), _shift(match, context)
    if year or shift == 0:
        return spans.day(date(year or context.today.year, number, day))
    tense = context.tense if shift is None else ("past" if shift < 0 else "future")
    return spans.day(DateContext(context.today, tense or "future", context.language).day(number, day))


# Weekdays ------------------------------------------------------------------------------------------


def weekday(match: re.Match[str], context: DateContext) -> Span:
    """A weekday alone, or "next Friday": see `Language.nearest`."""
    today, wanted, word = context.today, _weekday(match, context), group(match, "shift")
    shift = 0 if word is None else context.language.shift(word)
    if word is None or word.lower() in context.language.nearest:
        ahead = shift > 0 if shift else context.is_ahead
        return spans.day((spans.weekday_after if ahead else spans.weekday_before)(today, wanted))
    found = spans.week(today, shift)[0] + timedelta(days=wanted)
    if shift == 0 and context.tense == "future" and found < today:
        found += timedelta(weeks=1)
    return spans.day(found)


def weekday_of_week(match: re.Match[str], context: DateContext) -> Span:
    """ "Tuesday of next week"."""
    monday = spans.week(context.today, _shift(match, context) or 0)[0]
    return spans.day(monday + timedelta(days=_weekday(match, context)))


def weekday_ago(match: re.Match[str], context: DateContext) -> Span:
    """The Wednesday nearest to two months ago."""
    unit, _, most = _scaled(match, context)
    after_middle = context.today - timedelta(days=_DAYS[unit] * most - 4)
    return spans.day(spans.weekday_before(after_middle, _weekday(match, context)))


def nth_weekday(match: re.Match[str], context: DateContext) -> Span:
    """ "The first Sunday in October", "the last Friday of the month"."""
    ordinal, wanted = context.language.ordinals[match["ordinal"].lower()], _weekday(match, context)
    start, end = named_month(match, context) if group(match, "month") else unit(match, context)
    if ordinal < 0:
        return spans.day(spans.weekday_before(end, wanted))
    first = spans.weekday_after(start - timedelta(days=1), wanted)
    return spans.days_from(first, 7 * (ordinal - 1))


def weekday_in_weeks(weeks: int) -> Resolver:
    """ "A week on Tuesday"."""

    def resolve(match: re.Match[str], context: DateContext) -> Span:
        first = spans.weekday_after(context.today, _weekday(match, context))
        return spans.days_from(first, 7 * weeks)

    return resolve


def weeks_from_now(weeks: int) -> Resolver:
    return lambda _, context: spans.days_from(context.today, 7 * weeks)


# Counted from now ----------------------------------------------------------------------------------


def offset(match: re.Match[str], context: DateContext) -> Span:
    """ "Yesterday"."""
    return spans.days_from(context.today, context.language.offsets[match["word"].lower()])


def next_day(match: re.Match[str], context: DateContext) -> Span:
    """ "The day after", joined to another date."""
    return spans.days_from(context.today, 1)


def unit(match: re.Match[str], context: DateContext) -> Span:
    """ "Last week", "the end of next month"; without a shift, the current one."""
    name, shift, today = context.language.units[match["unit"].lower()], _shift(match, context) or 0, context.today
    match name:
        case "week":
            whole = spans.week(today, shift)
        case "weekend":
            whole = spans.weekend(today, shift)
        case "month":
            whole = spans.month(today.year, today.month + shift)
        case "quarter":
            whole = spans.quarter(today.year, (today.month + 2) // 3 + shift)
        case _:
            whole = spans.year(today.year + shift)
    return _part(match, whole, context)


def weekend(match: re.Match[str], context: DateContext) -> Span:
    """ "At the weekend": the last one in the past tense, else the one of this week."""
    this = spans.weekend(context.today)
    return spans.weekend(context.today, -1) if not context.is_ahead and this[0] > context.today else this


def ago(match: re.Match[str], context: DateContext) -> Span:
    return spans.ago(context.today, *_scaled(match, context))


def from_now(match: re.Match[str], context: DateContext) -> Span:
    unit, fewest, most = _scaled(match, context)
    return spans.ago(context.today, unit, -most, -fewest)


def in_some_time(match: re.Match[str], context: DateContext) -> Span | None:
    """ "I finished it in two weeks" is a duration, not a date."""
    return None if context.tense == "past" else from_now(match, context)


def until_now(match: re.Match[str], context: DateContext) -> Span:
    """ "The past two weeks"; without a count, one."""
    unit, _, most = _scaled(match, context)
    return spans.up_to_today(context.today, unit, most)


# Parts ---------------------------------------------------------------------------------------------


def _month(match: re.Match[str], name: str, context: DateContext) -> int:
    return context.language.months[match[name].lower()]


def _weekday(match: re.Match[str], context: DateContext) -> int:
    return context.language.weekdays[match["weekday"].lower()]


def _year(match: re.Match[str], context: DateContext) -> int | None:
    shifted, year = group(match, "year_shift"), group(match, "year")
    if shifted:
        return context.today.year + context.language.shift(shifted)
    return context.language.number(year) if year else None


def _shift(match: re.Match[str], context: DateContext) -> int | None:
    word = group(match, "shift")
    return context.language.shift(word) if word else None


def _part(match: re.Match[str], whole: Span, context: DateContext) -> Span:
    part = group(match, "part")
    return spans.part(whole, context.language.parts[part.lower()]) if part else whole


def _scaled(match: re.Match[str], context: DateContext) -> tuple[str, int, int]:
    """The unit, and the smallest and the largest count of it. Spans are whole days, so hours become days."""
    word = group(match, "count")
    fewest, most = context.language.count(word) if word else (1, 1)
    unit = context.language.units[match["unit"].lower()]
    if unit in ("minute", "hour"):
        return "day", 0, most // 24 if unit == "hour" else 0
    name, times = _MULTIPLES.get(unit, (unit, 1))
    return name, times * fewest, times * most


FLOATING: frozenset[Resolver] = frozenset(
    {named_day, slashed_day, day_alone, nth_weekday, named_month, season, holiday, weekday, weekend, next_day}
)
"""Resolvers whose result depends on the tense if the match has neither a year nor a shift."""


def is_floating(match: re.Match[str], resolve: Resolver) -> bool:
    fixed = ("year", "year_shift", "shift", "month_shift")
    return resolve in FLOATING and not any(group(match, name) for name in fixed)
