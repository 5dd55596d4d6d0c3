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
    store: Store,
    within: Filter,
    choose: Choice,
    *,
    action: str,
    stamp: Stamp,
    preview: bool,
    skip: frozenset[str] = frozenset(),
    **values: Any,  # noqa: ANN401 - a memory's fields
) -> list[str]:
    """Sets fields on the chosen memories of a filter, page by page. Returns their ids.

    Each page is read and written under the lock, so a second run at the same time finds nothing left to do.
    """
    swept: list[str] = []
    after: str | None = None
    while True:
        with nullcontext() if preview else store.transaction():
            page = store.scan(within, order="id", limit=PAGE, after=after)
            chosen = [memory for memory in choose(page) if memory.id not in skip]
            if not preview:
                revise.change(store, chosen, action, stamp, **values)
        if not page:
            return swept
        swept += [memory.id for memory in chosen]
        after = page[-1].id
