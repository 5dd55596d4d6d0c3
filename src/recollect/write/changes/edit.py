"""Changes that also touch what depends on a memory: its views, dead letters and a namespace's pinned memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from ... import checks
from ...embedders.optional import OptionalEmbedder
from ...errors import InvalidInput, NotFound
from ...store.protocol import Store
from ...types import Event, Filter, Memory
from ..stamp import Stamp
from . import revise

if TYPE_CHECKING:
    from ...extractors.dead_letters import DeadLetters


def update(store: Store, embedder: OptionalEmbedder, memory_id: str, fields: Mapping[str, Any], stamp: Stamp) -> Memory:
    """Changes fields of a memory and, with its text, the views made of it."""
    from ...tend.tiers import check_update

    with store.transaction() if "tier" in fields else nullcontext():
        check_update(store, memory_id, fields)
        changed = revise.update(store, embedder, memory_id, fields, stamp)
    if "text" in fields:
        _refresh(store, embedder, [memory_id])
    return changed


def undo_event(store: Store, embedder: OptionalEmbedder, event_id: str, stamp: Stamp) -> Event:
    """Takes an event back, and refreshes the views of memories whose text changed."""
    from .undo import undo

    undone = undo(store, embedder, event_id, stamp)
    _refresh(store, embedder, [change.memory_id for change in undone.changes if "text" in (change.before or {})])
    return undone


def purge(store: Store, memories: Sequence[Memory], letters: DeadLetters, stamp: Stamp) -> None:
    """Removes memories for good, also from the dead letters."""
    from ..conversations.restate import drop_letters

    revise.purge(store, memories, stamp)
    drop_letters(letters, memories)


def forget(store: Store, memories: Sequence[Memory], stamp: Stamp) -> Sequence[Memory]:
    """Sets the status `forgotten`."""
    return revise.change(store, memories, "forget", stamp, status="forgotten")


def move(store: Store, old: str, new: str, stamp: Stamp) -> int:
    """Renames a namespace with all below it, or merges it into another; returns the number of memories moved."""
    checks.path(old)
    checks.path(new)
    if new == old or new.startswith(f"{old}/"):
        raise InvalidInput(f"{old!r} can't be moved into itself ({new!r})")
    with store.transaction():
        inside = store.scan(Filter(namespaces=(old,)), order="id")
        if not inside:
            raise NotFound(f"no namespace is called {old!r}: `recollect namespaces` lists them")
        return revise.move(store, inside, old, new, stamp)


def _refresh(store: Store, embedder: OptionalEmbedder, ids: Sequence[str]) -> None:
    """Makes the views of turns again; a turn has more views than that of its own text."""
    from ..build.views import refresh

    if ids:
        with store.transaction():
            held = store.get(ids).values()
            refresh(store, embedder, [memory for memory in held if memory.session_id is not None])
