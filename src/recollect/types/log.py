"""The log of recalls, as people read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from .plain import by_name, from_plain, readable


@readable
@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedHit:
    """A memory that a recall returned."""

    memory_id: str
    score: float
    used: bool | None
    """None without feedback."""
    outcome: float | None


@readable
@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedRecall:
    """One recall of the log: who asked what, when, and what was returned."""

    id: str
    at: datetime
    actor: str
    namespace: str
    query: str
    """Empty if the settings keep questions out of the log, or after a purge of a memory that it found."""
    recipe: str
    rejected: str | None
    confidence: float
    ms: float | None
    """How long it took; None for recalls that an older version logged."""
    hits: tuple[LoggedHit, ...]

    def to_dict(self) -> dict[str, Any]:
        return by_name(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallLog:
    """A page of the log, newest first."""

    recalls: tuple[LoggedRecall, ...]
    before: str | None
    """What to give as `before` for the next page; None at the end. A page can be short or empty before the end."""

    def to_dict(self) -> dict[str, Any]:
        return by_name(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RecallLog:
        return from_plain(cls, data)


@readable
@dataclass(frozen=True, slots=True, kw_only=True)
class RecallDay:
    """The recalls of one day."""

    day: str
    """As `2026-05-20`, in UTC."""
    asked: int
    refused: int
    judged: int
    """Hits of recalls that have feedback."""
    unused: int
    """Those of them that were not used."""

    def to_dict(self) -> dict[str, Any]:
        return by_name(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RecallDay:
        return from_plain(cls, data)
