"""People and things that are named together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from .memory import Memory
from .plain import by_name, from_plain, readable


@readable
@dataclass(frozen=True, slots=True, kw_only=True)
class GraphNode:
    """A person or thing."""

    name: str
    count: int
    """The memories that name it together with the one in the middle."""


@readable
@dataclass(frozen=True, slots=True, kw_only=True)
class GraphEdge:
    """Two that are named together."""

    a: str
    b: str
    count: int
    memories: tuple[str, ...]
    """The ids of the newest memories that name both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """What is named together with one person or thing."""

    name: str
    nodes: tuple[GraphNode, ...]
    """Most memories in common first."""
    edges: tuple[GraphEdge, ...]
    memories: tuple[Memory, ...]
    """The newest memories about the one in the middle."""
    kinds: Mapping[str, int]
    """Kind → memories about the one in the middle, before `kinds` were chosen."""
    first: datetime | None
    """When the oldest of these memories began to hold."""
    more: int
    """How many others would be shown with a higher `limit`."""
    truncated: bool
    """Whether there are more memories than were read."""

    def to_dict(self) -> dict[str, Any]:
        return by_name(self) | {"memories": [memory.to_dict() for memory in self.memories]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Graph:
        return from_plain(cls, data)


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """What `change_many` did."""

    changed: tuple[str, ...]
    """The ids of the memories that changed, with those that followed."""
    event: str | None
    """Undoing this event takes back this call and the calls before it that it continues. None if nothing changed."""

    def to_dict(self) -> dict[str, Any]:
        return by_name(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Changed:
        return from_plain(cls, data)
