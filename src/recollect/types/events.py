"""The journal, and what maintenance did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from .plain import by_name, from_plain, readable


@readable
@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What an event did to one memory: the old values of the fields it changed.

    `before` is None if the event created the memory.
    """

    memory_id: str
    """The memory."""
    before: Mapping[str, Any] | None
    """Field → its old value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An entry of the append-only journal. As stored, `detail` holds references and numbers, never a memory's text;
    `history` adds the old and the new value to the `why` of an automatic change."""

    id: str
    """What `undo` takes."""
    at: datetime
    """When it happened."""
    actor: str
    """Who did it."""
    action: str
    """Such as `remember`, `update`, `supersede`, `purge`."""
    namespace: str
    """Where it happened."""
    changes: tuple[Change, ...] = ()
    """The memories it changed."""
    detail: Mapping[str, Any] = field(default_factory=dict)
    """The reasons, as references and numbers."""
    undone_by: str | None = None
    """The event that took it back."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        return by_name(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Event:
        return from_plain(cls, data)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How long and how many memories a namespace keeps searchable. None means no limit."""

    expires_after_days: int | None = None
    """For memories without an `expires_at` of their own."""
    most_memories: int | None = None
    """The weakest beyond this number are archived."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tended:
    """The ids of the memories that maintenance changed, or would change in a preview."""

    at: datetime
    """The moment that was taken as now."""
    preview: bool
    """Whether nothing was changed."""
    expired: tuple[str, ...]
    """Marked as expired."""
    completed: tuple[str, ...]
    """Tasks that were said to be done."""
    decayed: int
    """How many lost strength."""
    archived: tuple[str, ...]
    """Moved to the tier `archived`."""
    consolidated: tuple[str, ...]
    """Replaced by a summary."""
    summaries: tuple[str, ...]
    """New memories, each replacing several consolidated ones. In a preview their ids are placeholders."""
    linked: int = 0
    """New links between memories that are similar or name the same rare thing."""
    recovered: int = 0
    """Passages that a model failed before and now extracted. A preview does not ask the model."""

    @property
    def counts(self) -> dict[str, int]:
        """How many of each."""
        lists = ("expired", "completed", "archived", "consolidated", "summaries")
        numbers = {"decayed": self.decayed, "linked": self.linked, "recovered": self.recovered}
        return numbers | {name: len(getattr(self, name)) for name in lists}

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        return by_name(self) | {"counts": self.counts}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Tended:
        return from_plain(cls, data)
