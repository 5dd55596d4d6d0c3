"""Dates as people type them in options: `yesterday`, `last March`, `2026-06`, `3 weeks ago`."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo

from ..errors import InvalidInput
from ..text.moments import in_zone, parse_moment

_MONTH_OR_YEAR = re.compile(r"(\d{4})(?:-(\d{2}))?")
_FUTURE = ("expires_at", "valid_to")
"""Options of which a date without a year, such as `March`, is the next one and not the last."""


def typed_moment(name: str, text: str, zone: tzinfo, now: datetime | None = None) -> datetime:
    """The moment that an option names. A named day, month or year means its beginning, in the user's time zone."""
    try:
        return parse_moment(text)
    except InvalidInput as refused:
        found = _in_words(name, text.strip(), zone, now or datetime.now(UTC))
        if found is None:
            option = f"--{name.replace('_', '-')}"
            raise InvalidInput(f"{option}: {refused}; or words such as yesterday, last March or 2026-06") from None
        return found


def _in_words(name: str, text: str, zone: tzinfo, now: datetime) -> datetime | None:
    if text.casefold() == "now":
        return now
    if (found := _MONTH_OR_YEAR.fullmatch(text)) and 1 <= int(found[2] or 1) <= 12:
        return datetime(int(found[1]) or 1, int(found[2] or 1), 1, tzinfo=zone)
    from ..text.dates import find_dates  # its patterns take time to compile

    spans = find_dates(text, in_zone(now, zone), "future" if name in _FUTURE else "past")
    whole = [span for span in spans if span.text.casefold() == text.casefold()]
    return whole[0].start if len(whole) == 1 else None
