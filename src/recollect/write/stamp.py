"""Who makes a change, and when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ..ids import new_id
from ..types import Change, Event, Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """Time and author of a change. Every event of the log has them."""

    at: datetime
    actor: str
    origin: str | None = None
    """The `origin` of all memories of this writer. None: each memory brings its own."""
    trust: str = "user"
    """The writer's trust class."""
    redacts: bool = False
    """Whether secrets are removed from the text before it is stored."""

    def event(
        self, action: str, namespace: str, changes: Sequence[Change] = (), detail: Mapping[str, Any] | None = None
    ) -> Event:
        return Event(
            id=new_id(),
            at=self.at,
            actor=self.actor,
            action=action,
            namespace=namespace,
            changes=tuple(changes),
            detail=detail or {},
        )


def difference(before: Memory, after: Memory) -> Change:
    """The former values of the fields that differ."""
    names = [name for name in Memory.__slots__ if getattr(before, name) != getattr(after, name)]
    return Change(memory_id=before.id, before={name: getattr(before, name) for name in names})
