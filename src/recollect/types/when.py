"""When something happens, as it is kept in a memory's metadata and shown beside its text."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, TypeAlias, get_args

WHEN = "when"
"""The metadata key."""
Repeats: TypeAlias = Literal["daily", "weekly", "monthly", "yearly"]
Weekday: TypeAlias = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
WEEKDAYS: tuple[Weekday, ...] = get_args(Weekday)
_UNITS: dict[Repeats, str] = {"daily": "day", "weekly": "week", "monthly": "month", "yearly": "year"}


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """First and last day, both inside, and how it repeats. Days are those of the speaker's time zone."""

    start: date | None = None
    end: date | None = None
    uncertain: bool = False
    repeats: Repeats | None = None
    interval: int = 1
    """2 is every second day, week, month or year."""
    days: tuple[Weekday, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Only what applies, as JSON."""
        values = {
            "start": self.start and self.start.isoformat(),
            "end": self.end and self.end.isoformat(),
            "uncertain": self.uncertain,
            "repeats": self.repeats,
            "interval": self.interval if self.interval > 1 else None,
            "days": list(self.days),
        }
        return {name: value for name, value in values.items() if value}

    @classmethod
    def from_metadata(cls, metadata: Mapping[str, Any]) -> When | None:
        """The time of a memory; None if there is none, or something else under that name."""
        kept = metadata.get(WHEN)
        if not isinstance(kept, Mapping):
            return None
        try:
            return _read(kept)
        except (TypeError, ValueError):
            return None

    def __str__(self) -> str:
        """ "on 2026-10-03", "in 2026-10", "about 2026-05-18 to 2026-05-22", "every Tue, Sun"."""
        if self.repeats is None:
            return self._dates()
        every = ", ".join(day.title() for day in self.days) or _UNITS[self.repeats]
        count = f"{self.interval} {_UNITS[self.repeats]}s" if self.interval > 1 else every
        named = f"every {count}" + (f" on {every}" if self.interval > 1 and self.days else "")
        since = f" from {self.start}" if self.start else ""
        return named + since + (f" until {self.end}" if self.end else "")

    def _dates(self) -> str:
        assert self.start is not None and self.end is not None
        name, is_day = _name(self.start, self.end)
        if self.uncertain:
            return f"about {name}"
        return f"on {name}" if is_day else name if " to " in name else f"in {name}"


def _read(kept: Mapping[str, Any]) -> When | None:
    start, end = (date.fromisoformat(kept[name]) if name in kept else None for name in ("start", "end"))
    repeats, days, interval = kept.get("repeats"), tuple(kept.get("days", ())), kept.get("interval", 1)
    if repeats is None and (start is None or end is None):
        return None
    if repeats not in (None, *_UNITS) or not {*days} <= {*WEEKDAYS} or not isinstance(interval, int):
        return None
    uncertain = kept.get("uncertain") is True
    return When(start=start, end=end, uncertain=uncertain, repeats=repeats, interval=interval, days=days)


def _name(start: date, end: date) -> tuple[str, bool]:
    """The days in short form, and whether it is a single day."""
    year, month = f"{start}"[:4], f"{start}"[:7]
    if start == end:
        return f"{start}", True
    if (f"{start}", f"{end}") == (f"{year}-01-01", f"{year}-12-31"):
        return year, False
    last_day = monthrange(end.year, end.month)[1]
    if f"{end}"[:7] == month and (start.day, end.day) == (1, last_day):
        return month, False
    return f"{start} to {end}", False
