"""Dates as people type them: `yesterday`, `last March`, `2026-06`, `3 weeks ago`."""

from __future__ import annotations

import re
from datetime import datetime, tzinfo

from .moments import in_zone

_MONTH_OR_YEAR = re.compile(r"(\d{4})(?:-(\d{2}))?")
_FUTURE = ("expires_at", "valid_to")
"""Fields of which a date without a year, such as `March`, is the next one and not the last."""


def typed_date(name: str, text: str, zone: tzinfo, now: datetime) -> datetime | None:
    """The beginning of the day, month or year that a text names for a field, in the user's time zone."""
    if text.casefold() == "now":
        return now
    if (found := _MONTH_OR_YEAR.fullmatch(text)) and 1 <= int(found[2] or 1) <= 12:
        return datetime(int(found[1]) or 1, int(found[2] or 1), 1, tzinfo=zone)
    from .dates import find_dates  # its patterns take time to compile

    spans = find_dates(text, in_zone(now, zone), "future" if name in _FUTURE else "past")
    whole = [span for span in spans if span.text.casefold() == text.casefold()]
    return whole[0].start if len(whole) == 1 else None
