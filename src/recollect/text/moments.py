"""Machine-written timestamps to moments; the words people use for time are in dates.py."""

from __future__ import annotations

import re
from datetime import MINYEAR, UTC, datetime, timedelta, tzinfo

from recollect.errors import InvalidInput

_ACCEPTED = "ISO 8601 such as 2023-05-20T07:34:00Z or 2023-05-20, or 2023/05/20 (Sat) 07:34"
# LongMemEval's haystack dates; the weekday is redundant and not checked.
_SLASHED = re.compile(
    r"(?P<day>\d{4}/\d{2}/\d{2})(?: \([A-Za-z]{3,9}\))?(?: (?P<time>\d{2}:\d{2}(?::\d{2})?))?", re.ASCII
)


def parse_moment(value: str | datetime) -> datetime:
    """An aware datetime, in the zone it was given in; without a zone it is UTC.

    Raises InvalidInput, naming the accepted forms, for anything else.
    """
    if isinstance(value, datetime):
        return _aware(value, value)
    if not isinstance(value, str):
        raise _refused(value)
    text = value.strip()
    slashed = _SLASHED.fullmatch(text)
    if slashed:
        text = f"{slashed['day'].replace('/', '-')}T{slashed['time'] or '00:00'}"
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise _refused(value) from None
    return _aware(moment, value)


def shifted(moment: datetime, days: float) -> datetime:
    """So many days later, or earlier; where the calendar ends, its end."""
    try:
        return moment + timedelta(days=days)
    except OverflowError:
        return (datetime.max if days > 0 else datetime.min).replace(tzinfo=UTC)


def in_zone(moment: datetime, zone: tzinfo) -> datetime:
    """The same moment in another zone; where the calendar ends, its end."""
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return (datetime.min if moment.year == MINYEAR else datetime.max).replace(tzinfo=zone)


def _aware(moment: datetime, given: object) -> datetime:
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    try:
        aware.astimezone(UTC)  # the first and last day of the calendar may not exist there
    except (OverflowError, ValueError):
        raise _refused(given) from None
    return aware


def _refused(value: object) -> InvalidInput:
    return InvalidInput(f"{value!r} is not a date or time; accepted: {_ACCEPTED}")
