"""The changes that a caller can make, each with everything that follows from it.

The modules are imported only when needed: most programs use few of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from ...embedders.optional import OptionalEmbedder
from ...errors import InvalidInput, NotFound
from ...recipes.recipe import WriteRules
from ...store.protocol import Store
from ...types import Changed, Event, Memory
from ..stamp import Stamp

if TYPE_CHECKING:
    from ...extractors.dead_letters import DeadLetters


def update(
    store: Store,
    embedder: OptionalEmbedder,
    memory_id: str,
    fields: Mapping[str, Any],
    *,
    rules: WriteRules,
    stamp: Stamp,
) -> Memory:
    """Changes fields of a memory. Refuses to pin more text than a prompt has room for."""
    from ...tend.tiers import check_update
    from .reword import update

    with store.transaction() if "tier" in fields else nullcontext():
        check_update(store, memory_id, fields)
        return update(store, embedder, memory_id, fields, rules=rules, stamp=stamp)


def undo(store: Store, embedder: OptionalEmbedder, event_id: str, stamp: Stamp) -> Event:
    from .undo import undo

    return undo(store, embedder, event_id, stamp)


def purge(
    store: Store,
    embedder: OptionalEmbedder,
    memories: Sequence[Memory],
    letters: DeadLetters,
    stamp: Stamp,
    *,
    preview: bool = False,
) -> list[Memory]:
    """Removes memories permanently, also from the dead letters. Returns all that goes, as it was."""
    from ..conversations.restate import drop_letters
    from . import purge

    if preview:
        return purge.preview(store, memories, stamp)
    gone = purge.purge(store, embedder, memories, stamp)
    drop_letters(letters, gone)
    return gone


def forget(
    store: Store,
    embedder: OptionalEmbedder,
    memories: Sequence[Memory],
    stamp: Stamp,
    *,
    preview: bool = False,
) -> list[Memory]:
    """Sets the status `forgotten`. Returns all that changes; a preview returns what would be forgotten, as it is."""
    from . import leave
    from .leaving import leaving
    from .owners import check_pinned

    check_pinned(memories, stamp)
    if preview:
        return [before for before, _ in leave.hidden(leaving(store, "forget", stamp.within).name(memories))]
    return leave.forget(store, embedder, memories, stamp)


def supersede(
    store: Store,
    embedder: OptionalEmbedder,
    old: str,
    new: str | None,
    text: str | None,
    since: datetime | None,
    *,
    rules: WriteRules,
    stamp: Stamp,
) -> Memory:
    """A stored memory or a new text replaces the old one."""
    from . import replace_text, revise

    if (new is None) == (text is None):
        raise InvalidInput("give either new (an id) or text (the new memory)")
    if new is not None and since is not None:
        raise InvalidInput("`since` is for a new text: a stored memory has its own time")
    if text is None:
        return revise.supersede(store, old, new or "", stamp)
    return replace_text.replace_text(store, embedder, old, text, since, rules=rules, stamp=stamp)


def restore(store: Store, memory_id: str, stamp: Stamp) -> Memory:
    from .restore import restore

    return restore(store, memory_id, stamp)


def move(
    store: Store,
    embedder: OptionalEmbedder,
    old: str,
    new: str,
    memories: Sequence[Memory],
    *,
    whole: bool,
    rules: WriteRules,
    stamp: Stamp,
) -> int:
    """Moves these memories from one namespace to another: all of it (`whole`), or some of it with what was made from
    them. Returns how many were moved."""
    from . import relocate

    relocate.check(old, new, whole=whole)
    if whole and not memories:
        raise NotFound(f"no namespace is called {old!r}: `recollect namespaces` lists them")
    work = relocate.Relocation(store=store, embedder=embedder, rules=rules, stamp=stamp, old=old, new=new)
    return work.move_all(memories) if whole else work.move_some(memories)


def many(action: str, to: str | None, add: object, remove: object) -> Callable[..., Changed]:
    """The function that makes this change of many memories."""
    from .many import change_many, wanted

    return partial(change_many, change=wanted(action, to, add, remove))
