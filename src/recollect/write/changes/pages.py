"""A change of many memories is written in pages, so that other writers wait for one page and not for all.

Each page is a transaction with its own event. The event names the one of the page before it. So `undo` of the last one
takes all of them back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ...store.protocol import Store
from ...types import Event

PAGE = 500
"""Memories per transaction."""
PREVIOUS = "previous"
T = TypeVar("T")


def pages(items: Sequence[T]) -> Iterator[Sequence[T]]:
    return (items[start : start + PAGE] for start in range(0, len(items), PAGE))


@dataclass(slots=True)
class EventChain:
    """The last event of each namespace, in one call."""

    _last: dict[str, str] = field(default_factory=dict)

    def detail(self, namespace: str) -> dict[str, Any]:
        """What the next event of this namespace notes."""
        return {PREVIOUS: self._last[namespace]} if namespace in self._last else {}

    def add(self, event: Event) -> None:
        self._last[event.namespace] = event.id


def events_of(store: Store, event: Event) -> list[Event]:
    """The events of all pages up to this one, newest first."""
    found = [event]
    while previous := found[-1].detail.get(PREVIOUS):
        before = store.events(id=previous)
        if not before:
            break
        found += before
    return found
