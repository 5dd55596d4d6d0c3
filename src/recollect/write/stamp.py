"""Who makes a change, and when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from ..ids import new_id
from ..text.moments import parse_moment
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
    within: str | None = None
    """The writer's namespace. What follows from a change does not reach memories outside of it."""

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


def as_before(memory: Memory, before: Mapping[str, Any]) -> Memory:
    """The memory with former values, as the log holds them."""
    return replace(memory, **{name: from_plain(name, value) for name, value in before.items()})


def from_plain(name: str, value: Any) -> Any:  # noqa: ANN401 - any field of a memory
    """A memory's field from JSON."""
    if value is not None and (name.endswith("_at") or name.startswith("valid_")):
        return parse_moment(value)
    return tuple(value) if name in _LISTS else value


_LISTS = ("tags", "entities")
