"""Changes that affect more than one memory: the dead letters, a namespace, its pinned memories."""

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
    """Changes fields of a memory. Refuses to pin more text than a prompt has room for."""
    from ...tend.tiers import check_update

    with store.transaction() if "tier" in fields else nullcontext():
        check_update(store, memory_id, fields)
        return revise.update(store, embedder, memory_id, fields, stamp)


def undo(store: Store, embedder: OptionalEmbedder, event_id: str, stamp: Stamp) -> Event:
    from .undo import undo  # rarely needed

    return undo(store, embedder, event_id, stamp)


def purge(
    store: Store, embedder: OptionalEmbedder, memories: Sequence[Memory], letters: DeadLetters, stamp: Stamp
) -> None:
    """Removes memories permanently, also from the dead letters."""
    from ..conversations.restate import drop_letters

    revise.purge(store, embedder, memories, stamp)
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
