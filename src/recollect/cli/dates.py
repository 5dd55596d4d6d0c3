"""The moments that options name, also in words."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

from ..errors import InvalidInput
from ..text.moments import parse_moment
from ..text.typed_dates import typed_date


def typed_moment(name: str, text: str, zone: tzinfo, now: datetime | None = None) -> datetime:
    """The moment that an option names. A named day, month or year means its beginning, in the user's time zone."""
    try:
        return parse_moment(text)
    except InvalidInput as refused:
        found = typed_date(name, text.strip(), zone, now or datetime.now(UTC))
        if found is None:
            option = f"--{name.replace('_', '-')}"
            raise InvalidInput(f"{option}: {refused}; or words such as yesterday, last March or 2026-06") from None
        return found
