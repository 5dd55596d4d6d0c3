"""When a memory was last used. Reading, recalling and editing count; maintenance does not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from datetime import datetime
from typing import Any

from ..store.protocol import Store
from ..text.moments import add_days
from ..types import Filter, Memory
from ..write.changes import revise
from ..write.stamp import Stamp

PAGE = 1_000
"""Memories per transaction. Other writers wait some hundredths of a second, not for the whole run."""

Choice = Callable[[Sequence[Memory]], Sequence[Memory]]
"""A page → those of its memories that are due."""
Do = Callable[[Sequence[Memory]], Sequence[Memory]]
"""Changes memories. Returns those that it is about, with what follows from them."""


def last_touched(memory: Memory) -> datetime:
    moments = (memory.created_at, memory.last_accessed_at, memory.last_retrieved_at)
    return max(moment for moment in moments if moment is not None)


def idle(store: Store, memories: Sequence[Memory], at: datetime, days: float) -> list[Memory]:
    """The memories that were not read, recalled or edited in the `days` before `at`."""
    since = add_days(at, -days)
    quiet = [memory for memory in memories if last_touched(memory) < since]
    edits = store.last_edited([memory.id for memory in quiet], until=at)
    return [memory for memory in quiet if edits.get(memory.id, memory.created_at) < since]


def sweep(
    store: Store, within: Filter, choose: Choice, do: Do, *, preview: bool, skip: frozenset[str] = frozenset()
) -> list[str]:
    """Does something with the chosen memories of a filter, page by page. Returns the ids that `do` returns.

    Each page is read and written under the lock, so a second run at the same time finds nothing left to do.
    """
    swept: dict[str, None] = {}
    after: str | None = None
    while True:
        with nullcontext() if preview else store.transaction():
            page = store.scan(within, order="id", limit=PAGE, after=after)
            chosen = [memory for memory in choose(page) if memory.id not in skip]
            swept |= dict.fromkeys(memory.id for memory in do(chosen))
        if not page:
            return list(swept)
        after = page[-1].id


def setting(store: Store, action: str, stamp: Stamp, *, preview: bool, **values: Any) -> Do:  # noqa: ANN401
    """Sets fields of the memories; in a preview, only returns them."""
    return lambda chosen: chosen if preview else revise.change(store, chosen, action, stamp, **values)
