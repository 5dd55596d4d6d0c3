"""Taking an event back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...embedders.optional import OptionalEmbedder
from ...errors import Conflict, NotFound
from ...ids import digest
from ...store.protocol import Store
from ...store.values import Batch, Embedded, Put
from ...text.moments import parse_moment
from ...types import Change, Event, Link, LinkKind, Memory
from ..build.embed import FULL
from ..build.words import document
from ..links import about
from ..screening import quarantine
from ..stamp import Stamp, difference
from .revise import relinked

_LISTS = ("tags", "entities")


def undo(store: Store, embedder: OptionalEmbedder, event_id: str, stamp: Stamp) -> Event:
    """Puts back what the event changed; refused when something later built on it."""
    with store.transaction():
        found = store.events(id=event_id)
        if not found:
            raise no_event(event_id)
        event = found[0]
        if not event.changes:
            raise Conflict(f"the {event.action} {event_id} can't be undone: the log keeps no former values of it")
        if event.undone_by:
            raise Conflict(f"event {event_id} was undone already, by {event.undone_by}")
        held = store.get([change.memory_id for change in event.changes])
        changes = [change for change in event.changes if change.memory_id in held]
        pairs = [(held[c.memory_id], _looked_at(_former(store, event, c, held), c, stamp)) for c in changes]
        links, unlinks = _former_links(store, event, stamp)
        undone = stamp.event(
            "undo",
            event.namespace,
            [difference(now, then) for now, then in pairs],
            {"undoes": event_id, **relinked(store, links, unlinks)},
        )
        puts = [_put(embedder, now, then) for now, then in pairs if now != then]
        store.write(Batch(puts=puts, links=links, unlinks=unlinks, events=[undone]))
        _mark(store, event, undone.id)
    return undone


def no_event(event_id: object) -> NotFound:
    return NotFound(f"no event has the id {event_id!r}: `recollect history ID` lists a memory's events")


def _mark(store: Store, event: Event, by: str) -> None:
    """Undoing an undo brings the first event back into force, and so on down the chain."""
    undone: dict[str, str | None] = {event.id: by}
    above, holds = event, True
    while below := store.events(id=above.detail.get("undoes", "")):
        undone[below[0].id] = None if holds else above.id
        above, holds = below[0], not holds
    store.write(Batch(undone=undone))


def _former(store: Store, event: Event, change: Change, held: Mapping[str, Memory]) -> Memory:
    memory = held[change.memory_id]
    if change.before is None:
        return replace(memory, status="forgotten")
    _check_unchanged_since(store, event, change)
    return replace(memory, **{name: from_plain(name, value) for name, value in change.before.items()})


def _looked_at(memory: Memory, change: Change, stamp: Stamp) -> Memory:
    """Words that come back are looked at like new ones: they may have been replaced to have the memory released."""
    return quarantine.quarantined(memory, quarantine.reasons(stamp.trust, change.before or {}))


def _check_unchanged_since(store: Store, event: Event, change: Change) -> None:
    log = store.events(memory_id=change.memory_id)
    after = log[: [entry.id for entry in log].index(event.id)]
    for later in reversed(after):
        touched = later.changes[0].before or {}
        if later.undone_by is None and later.action != "undo" and set(touched) & set(change.before or {}):
            raise Conflict(
                f"memory {change.memory_id} was changed again by event {later.id} ({later.action}): undo that first"
            )


def _former_links(store: Store, event: Event, stamp: Stamp) -> tuple[list[Link], list[tuple[str, str, LinkKind]]]:
    """Links to put back and links to take away. Their former weights are in the event, as `unlinked`."""
    former = [
        Link(a=a, b=b, kind=kind, weight=weight, created_at=stamp.at)
        for a, b, kind, weight in event.detail.get("unlinked", ())
    ]
    known = store.get({end for link in former for end in (link.a, link.b)})
    back = [link for link in former if link.a in known and link.b in known]
    kept = {(link.a, link.b, link.kind) for link in back}
    return back, [(a, b, kind) for a, b, kind in event.detail.get("linked", ()) if (a, b, kind) not in kept]


def _put(embedder: OptionalEmbedder, now: Memory, then: Memory) -> Put:
    if now.text == then.text:
        searchable = (now.gist, now.tags, now.entities) != (then.gist, then.tags, then.entities)
        return Put(memory=then, document=document(then) if searchable else None)
    fresh = embedder.vectors([then.text])
    views = {} if fresh is None else {FULL: Embedded(hash=embedder.hash(then.text), vector=fresh[0])}
    return Put(memory=then, document=document(then), digest=digest(then.text), about=about(then.text), vectors=views)


def from_plain(name: str, value: Any) -> Any:  # noqa: ANN401 - any field of a memory
    """A memory's field from JSON."""
    if value is not None and (name.endswith("_at") or name.startswith("valid_")):
        return parse_moment(value)
    return tuple(value) if name in _LISTS else value
