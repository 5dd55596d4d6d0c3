"""Rules for dates in English.

Weeks begin on Monday. "Last Tuesday" is the latest Tuesday before today, "next Friday" the first Friday
after today, "this Friday" the one in the current week. 5/6/2023 is read in the American order, month first.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from functools import cache

from recollect.text import calendar_spans as spans
from recollect.text.calendar_spans import Span
from recollect.text.date_rules import DateContext, Kind, Resolver, Rule, inclusive
from recollect.text.numbers import ENGLISH_NUMBER, number_value

_MONTHS = ("january february march april may june july august september october november december").split()
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_FULL_MONTH = "|".join(_MONTHS)
_MONTH = rf"(?P<month>{_FULL_MONTH}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?"
_WEEKDAY = rf"(?P<weekday>{'|'.join(_WEEKDAYS)})"
# "mon", "sat" and "sun" are also other words, so a short form needs a word such as "on" before it.
_SHORT_WEEKDAY = r"(?P<weekday>mon|tues?|wed|thur?s?|fri|sat|sun)\b"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_COUNT = rf"(?P<count>\d{{1,3}}|{ENGLISH_NUMBER}|an?(?: couple(?: of)?| few)?|few|several|couple(?: of)?)"
_UNIT = r"(?P<unit>minute|hour|day|week|fortnight|month|year|decade)s?"
_SHIFT = r"(?P<shift>last|previous|this past|past|this coming|this|current|next|coming|following)"
_PART = r"(?:(?P<part>early|mid|late)[- ])"
_SEASON = r"(?P<season>spring|summer|autumn|fall|winter)"
_BEFORE_MONTH = "in|during|since|until|till|by|before|after|from|around|about|of"
_BEFORE_YEAR = "in|during|since|until|till|by|before|after|from|around|year|end of|start of|beginning of"
# One of these words after "in 2000" makes it a quantity, not a year.
_COUNTED = "words|people|users|dollars|euros|rows|items|steps|points|calories|km|miles|meters|tokens|times"

_SHIFTS = {
    "last": -1, "previous": -1, "past": -1, "this past": -1,
    "this": 0, "current": 0,
    "next": 1, "coming": 1, "following": 1, "this coming": 1,
}  # fmt: skip
_HOLIDAYS = {
    "christmas eve": (12, 24),
    "christmas": (12, 25),
    "new year's eve": (12, 31),
    "new year's": (1, 1),
    "valentine's day": (2, 14),
    "halloween": (10, 31),
}


def _month_number(match: re.Match[str]) -> int:
    return _number_of_month(match["month"])


def _number_of_month(word: str) -> int:
    short = word[:3].lower()
    return next(number for number, name in enumerate(_MONTHS, start=1) if name.startswith(short))


def _weekday_number(match: re.Match[str]) -> int:
    return next(n for n, name in enumerate(_WEEKDAYS) if name.startswith(match["weekday"][:3].lower()))


def _shift(match: re.Match[str]) -> int | None:
    word = match.groupdict().get("shift")
    return _SHIFTS[word.lower()] if word else None


def _year(match: re.Match[str]) -> int | None:
    year = match.groupdict().get("year")
    return int(year) if year else None


def _part(match: re.Match[str], whole: Span) -> Span:
    part = match.groupdict().get("part")
    return spans.part(whole, part.lower()) if part else whole


def _counts(match: re.Match[str]) -> tuple[int, int]:
    """The smallest and the largest count. "A few" means a small range."""
    word = match["count"].lower()
    if "few" in word:
        return 2, 5
    if word == "several":
        return 3, 7
    if "couple" in word:
        return 2, 2
    value = 1 if word in ("a", "an") else number_value(word) or 0
    return value, value


def _scaled(match: re.Match[str]) -> tuple[str, int, int]:
    fewest, most = _counts(match)
    unit = match["unit"].lower()
    if unit == "fortnight":
        return "week", 2 * fewest, 2 * most
    if unit == "decade":
        return "year", 10 * fewest, 10 * most
    if unit in ("minute", "hour"):  # spans are whole days
        hours = most if unit == "hour" else 0
        return "day", 0, hours // 24
    return unit, fewest, most


def _full_date(match: re.Match[str], context: DateContext) -> Span:
    return spans.day(date(int(match["year"]), int(match["number"]), int(match["day"])))


def _american_date(match: re.Match[str], context: DateContext) -> Span:
    first, second, year = int(match["first"]), int(match["second"]), int(match["year"])
    number, day = (second, first) if first > 12 else (first, second)
    return spans.day(date(year if year > 99 else 2000 + year, number, day))


def _slashed_day(match: re.Match[str], context: DateContext) -> Span:
    return spans.day(context.resolve_day(int(match["first"]), int(match["second"])))


def _named_day(match: re.Match[str], context: DateContext) -> Span:
    number, day, year = _month_number(match), int(match["day"]), _year(match)
    first = date(year, number, day) if year else context.resolve_day(number, day)
    return inclusive(first, first.replace(day=int(match["last"])) if match["last"] else first)


def _named_month(match: re.Match[str], context: DateContext) -> Span:
    return _part(match, spans.month(int(match["year"]), _month_number(match)))


def _month_alone(match: re.Match[str], context: DateContext) -> Span:
    return _part(match, context.resolve_month(_month_number(match)))


def _day_alone(match: re.Match[str], context: DateContext) -> Span:
    return spans.day(context.resolve_day_of_month(int(match["day"])))


def _shifted_month(match: re.Match[str], context: DateContext) -> Span:
    number, shift, today = _month_number(match), _shift(match), context.today
    year = today.year
    if shift == -1 and number >= today.month:
        year -= 1
    if shift == 1 and number <= today.month:
        year += 1
    return spans.month(year, number)


def _year_alone(match: re.Match[str], context: DateContext) -> Span:
    return _part(match, spans.year(int(match["year"])))


def _decade(match: re.Match[str], context: DateContext) -> Span:
    first = int(match["year"])
    return spans.year(first)[0], spans.year(first + 9)[1]


def _shifted_unit(match: re.Match[str], context: DateContext) -> Span:
    return _unit_at(match["unit"].lower(), _shift(match) or 0, context.today)


def _unit_beyond(match: re.Match[str], context: DateContext) -> Span:
    return _unit_at(match["unit"].lower(), -2 if match["end"].lower() == "before last" else 2, context.today)


def _unit_at(unit: str, shift: int, today: date) -> Span:
    match unit:
        case "week":
            return spans.week(today, shift)
        case "weekend":
            return spans.weekend(today, shift)
        case "month":
            return spans.month(today.year, today.month + shift)
        case "quarter":
            return spans.quarter(today.year, (today.month + 2) // 3 + shift)
        case _:
            return spans.year(today.year + shift)


def _ago(match: re.Match[str], context: DateContext) -> Span:
    return spans.ago(context.today, *_scaled(match))


def _from_now(match: re.Match[str], context: DateContext) -> Span:
    unit, fewest, most = _scaled(match)
    return spans.ago(context.today, unit, -most, -fewest)


def _in_some_time(match: re.Match[str], context: DateContext) -> Span | None:
    """ "I finished it in two weeks" is a duration, not a date."""
    return None if context.tense == "past" else _from_now(match, context)


def _until_now(match: re.Match[str], context: DateContext) -> Span:
    unit, _, most = _scaled(match)
    return spans.up_to_today(context.today, unit, most)


def _past_unit(match: re.Match[str], context: DateContext) -> Span:
    return spans.up_to_today(context.today, match["unit"].lower(), 1)


def _weekday(match: re.Match[str], context: DateContext) -> Span:
    weekday, shift, today = _weekday_number(match), _shift(match), context.today
    if shift == 0:
        return spans.day(spans.week(today)[0] + timedelta(days=weekday))
    ahead = shift == 1 or (shift is None and context.tense == "future")
    return spans.day((spans.weekday_after if ahead else spans.weekday_before)(today, weekday))


def _weekday_of_week(match: re.Match[str], context: DateContext) -> Span:
    monday = spans.week(context.today, _shift(match) or 0)[0]
    return spans.day(monday + timedelta(days=_weekday_number(match)))


def _weekday_ago(match: re.Match[str], context: DateContext) -> Span:
    """The Wednesday nearest to two months ago."""
    unit, _, most = _scaled(match)
    days = {"day": 1, "week": 7, "month": 30, "year": 365}[unit] * most
    after_middle = context.today - timedelta(days=days - 4)
    return spans.day(spans.weekday_before(after_middle, _weekday_number(match)))


def _months(match: re.Match[str], context: DateContext) -> Span:
    """ "From July to October": the October is resolved first; the July is the one before it."""
    last = context.resolve_month(_number_of_month(match["last"]))
    months = (_number_of_month(match["last"]) - _month_number(match)) % 12
    return spans.month(last[0].year, last[0].month - months)[0], last[1]


def _day_of_shifted_month(match: re.Match[str], context: DateContext) -> Span:
    first = spans.month(context.today.year, context.today.month + (_shift(match) or 0))[0]
    return spans.day(first.replace(day=int(match["day"])))


def _season(match: re.Match[str], context: DateContext) -> Span:
    name, year = match["season"].lower().replace("fall", "autumn"), _year(match)
    if year:
        return spans.season(year, name)
    shift, today = _shift(match), context.today
    if shift == 0:
        return spans.season(today.year, name)
    around = [spans.season(today.year + years, name) for years in (-2, -1, 0, 1, 2)]
    if shift == 1 or (shift is None and context.tense == "future"):
        return min(span for span in around if span[0] > today)
    # "last summer" is over; "in the summer" may be the current one.
    return max(span for span in around if (span[1] if shift else span[0]) <= today)


def _quarter(match: re.Match[str], context: DateContext) -> Span:
    return spans.quarter(_year(match) or context.today.year, int(match["quarter"]))


def _holiday(match: re.Match[str], context: DateContext) -> Span:
    number, day = _HOLIDAYS[match["holiday"].lower().replace("’", "'")]
    year, shift = _year(match), _shift(match)
    if year or shift == 0:
        return spans.day(date(year or context.today.year, number, day))
    tense = context.tense if shift is None else ("past" if shift < 0 else "future")
    return spans.day(DateContext(context.today, tense).resolve_day(number, day, "past"))


def _plus(days: int) -> Resolver:
    return lambda _, context: spans.days_from(context.today, days)


_ORDINAL = "(?:st|nd|rd|th)"
_DAY_MONTH = rf"\b(?:the )?{_DAY}(?: ?[-–] ?(?P<last>\d\d?){_ORDINAL}?)?(?: of)? {_MONTH}"
_MONTH_DAY = rf"\b{_MONTH} (?:the )?{_DAY}(?!\d)(?: ?(?:[-–]|to) ?(?P<last>\d\d?){_ORDINAL}?(?!\d))?"
_NOT_A_DAY = "floor|street|avenue|century|time|page|try|place|attempt|anniversary"
# "It will last two weeks" is a duration.
_VERB_LAST = "".join(f"(?<!{word} )" for word in ("will", "to", "can", "would", "could", "might", "should"))
_ANY_HOLIDAY = "|".join(_HOLIDAYS).replace("'", "['’]")

_ABSOLUTE: tuple[tuple[str, Resolver], ...] = (
    (r"(?<![\d.])(?P<year>\d{4})(?P<mark>[-/.])(?P<number>\d\d?)(?P=mark)(?P<day>\d\d?)(?!\.?\d)", _full_date),
    (r"(?<![\d.])(?P<day>\d\d?)\.(?P<number>\d\d?)\.(?P<year>\d{4})(?!\.?\d)", _full_date),
    (r"(?<![\d/.])(?P<first>\d\d?)/(?P<second>\d\d?)/(?P<year>\d{4}|\d\d)(?![\d/])", _american_date),
    (rf"{_DAY_MONTH},? {_YEAR}\b", _named_day),
    (rf"{_MONTH_DAY},? {_YEAR}\b", _named_day),
    (rf"\b{_PART}?{_MONTH}(?: of|,)? {_YEAR}\b", _named_month),
    (rf"\b(?:{_BEFORE_YEAR}) {_YEAR}\b(?! (?:{_COUNTED})\b|[-.,]\d)", _year_alone),
    (rf"\b{_PART}{_YEAR}\b", _year_alone),
    (r"\b(?:the )?(?P<year>(?:19|20)\d0)s\b", _decade),
    (rf"\b{_SEASON}(?: of|,)? {_YEAR}\b", _season),
    (rf"\bQ(?P<quarter>[1-4])(?: of)?[ -]?{_YEAR}\b", _quarter),
    (rf"\b(?P<holiday>{_ANY_HOLIDAY})(?: day)?,? (?:of )?{_YEAR}\b", _holiday),
)

_PARTIAL: tuple[tuple[str, Resolver], ...] = (
    (rf"{_DAY_MONTH}", _named_day),
    (rf"{_MONTH_DAY}\b(?!:\d)", _named_day),
    (r"\bon (?P<first>\d\d?)/(?P<second>\d\d?)\b(?!/)", _slashed_day),
    (rf"\b(?:{_BEFORE_MONTH}) (?P<month>{_FULL_MONTH})\b", _month_alone),
    (rf"\b{_PART}(?P<month>{_FULL_MONTH})\b", _month_alone),
    (rf"\b(?:from|between) (?P<month>{_FULL_MONTH}) (?:to|and|through|until|till) (?P<last>{_FULL_MONTH})\b", _months),
    (rf"\b{_SHIFT} (?P<month>{_FULL_MONTH})\b", _shifted_month),
    # The other months are also names or words: April, May, June, August, march.
    (r"\b(?P<month>january|february|july|september|october|november|december)\b", _month_alone),
    (rf"\b(?:in|during) (?:the )?{_SEASON}\b", _season),
    (rf"\bon the (?P<day>\d\d?){_ORDINAL}\b(?! (?:{_NOT_A_DAY})\b)", _day_alone),
    (rf"\b(?:{_SHIFT} |on )?(?P<holiday>{_ANY_HOLIDAY})\b", _holiday),
    (r"\bQ(?P<quarter>[1-4])\b", _quarter),
)

_RELATIVE: tuple[tuple[str, Resolver], ...] = (
    (r"\b(?:the )?day before yesterday\b", _plus(-2)),
    (r"\b(?:the )?day after tomorrow\b", _plus(2)),
    (r"\b(?:yesterday|last night)\b", _plus(-1)),
    (r"\btomorrow\b", _plus(1)),
    (r"\b(?:today|tonight|this (?:morning|afternoon|evening))\b", _plus(0)),
    (rf"\b{_COUNT}[ -]{_UNIT} (?:ago|back)\b", _ago),
    (rf"\b{_COUNT} {_UNIT} from (?:now|today)\b", _from_now),
    (rf"\bin {_COUNT} {_UNIT}(?:['’] time)?\b", _in_some_time),
    (rf"{_VERB_LAST}\b(?:the )?(?:last|past|previous) {_COUNT} {_UNIT}\b", _until_now),
    (r"\b(?:the|this) past (?P<unit>week|month|year)\b", _past_unit),
    (rf"\b(?:the )?{_SHIFT} (?P<unit>weekend|week|month|quarter|year)\b", _shifted_unit),
    (r"\b(?:the )?(?P<unit>weekend|week|month|year) (?P<end>before last|after next)\b", _unit_beyond),
    (rf"(?<!every )(?<!each )\b(?:(?:on )?(?:the )?{_SHIFT} |on |the )?{_WEEKDAY}\b", _weekday),
    (rf"\b(?:(?:on )?{_SHIFT}|on) {_SHORT_WEEKDAY}", _weekday),
    (rf"\b(?:on )?{_WEEKDAY},? (?:of )?{_SHIFT} week\b", _weekday_of_week),
    (rf"\b(?:on )?(?:the )?{_WEEKDAY},? {_COUNT} {_UNIT} ago\b", _weekday_ago),
    (rf"\b{_SHIFT} week(?:['’]s)?,? (?:on )?{_WEEKDAY}\b", _weekday_of_week),
    (rf"\b(?:on )?the {_DAY} of {_SHIFT} month\b", _day_of_shifted_month),
    (rf"\b{_SHIFT} {_SEASON}\b", _season),
)


@cache
def english_rules() -> tuple[Rule, ...]:
    groups: tuple[tuple[Kind, tuple[tuple[str, Resolver], ...]], ...] = (
        ("absolute", _ABSOLUTE),
        ("partial", _PARTIAL),
        ("relative", _RELATIVE),
    )
    return tuple(
        Rule(re.compile(pattern, re.IGNORECASE), resolve, kind) for kind, rules in groups for pattern, resolve in rules
    )
