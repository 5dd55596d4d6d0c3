"""Undoes an event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...embedders.optional import OptionalEmbedder
from ...errors import Conflict, NotFound
from ...store.protocol import Store
from ...store.values import Batch
from ...types import Change, Event, Link, LinkKind, Memory
from ..build.draft import Draft
from ..build.put import build, fields_only, write
from ..stamp import Stamp, as_before, difference
from .follow import OF_VIEWS, follow, follow_links, refresh
from .leave import hidden, noted
from .leaving import Leaving, leaving
from .revise import relinked


def undo(store: Store, embedder: OptionalEmbedder, event_id: str, stamp: Stamp) -> Event:
    """Restores what the event changed. Refused when a later event changed the same fields again."""
    with store.transaction():
        event = _undoable(store, event_id)
        held = store.get([change.memory_id for change in event.changes])
        changes = [change for change in event.changes if change.memory_id in held]
        former = [(held[change.memory_id], _former(store, event, change, held)) for change in changes]
        drafts = [Draft(memory=then, before=now, takes_back=True) for now, then in former if now != then]
        puts = build(store, embedder, drafts, stamp)
        after = {put.memory.id: put.memory for put in puts}
        links, unlinks = _former_links(store, event, stamp)
        plan = _followers(store, former, stamp.within)
        more = [(now, then) for now, then in (*hidden(plan), *plan.changed) if now.id not in held]
        undone = stamp.event(
            "undo",
            event.namespace,
            [difference(now, after.get(now.id, now)) for now, _ in former] + [difference(*pair) for pair in more],
            {"undoes": event_id, **relinked(store, links, unlinks), **noted([now.id for now, _ in more])},
        )
        puts += [fields_only(then) for _, then in more]
        write(store, embedder, Batch(puts=puts, links=links, unlinks=unlinks, events=[undone]))
        _mark(store, event, undone.id)
        _refresh(store, embedder, undone, after)
        refresh(store, embedder, [now.id for now, _ in more if now.id in plan.kept])
    return undone


def _followers(store: Store, former: Sequence[tuple[Memory, Memory]], within: str | None) -> Leaving:
    """What follows when memories are forgotten because the event that stored them is undone."""
    gone = [now for now, then in former if then.status == "forgotten" != now.status]
    return leaving(store, "undo", within).name(gone).settle()


def _undoable(store: Store, event_id: str) -> Event:
    found = store.events(id=event_id)
    if not found:
        raise no_event(event_id)
    event = found[0]
    if not event.changes:
        raise Conflict(f"the {event.action} {event_id} can't be undone: the log keeps no former values of it")
    if event.undone_by:
        raise Conflict(f"event {event_id} was undone already, by {event.undone_by}")
    return event


def no_event(event_id: object) -> NotFound:
    return NotFound(f"no event has the id {event_id!r}: `recollect history ID` lists a memory's events")


def _mark(store: Store, event: Event, by: str) -> None:
    """Marks the event as undone. If it was an undo itself, the event that it undid holds again, and so on."""
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
    return as_before(memory, change.before)


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
    """The links to restore and the links to remove. The event has their former weights in `unlinked`."""
    former = [
        Link(a=a, b=b, kind=kind, weight=weight, created_at=stamp.at)
        for a, b, kind, weight in event.detail.get("unlinked", ())
    ]
    known = store.get({end for link in former for end in (link.a, link.b)})
    back = [link for link in former if link.a in known and link.b in known]
    kept = {(link.a, link.b, link.kind) for link in back}
    return back, [(a, b, kind) for a, b, kind in event.detail.get("linked", ()) if (a, b, kind) not in kept]


def _refresh(store: Store, embedder: OptionalEmbedder, undone: Event, after: Mapping[str, Memory]) -> None:
    """Builds the views that depend on the changed memories again."""
    changed = [after[c.memory_id] for c in undone.changes if OF_VIEWS & (c.before or {}).keys()]
    follow(store, embedder, changed)
    touched = (*undone.detail["linked"], *undone.detail["unlinked"])
    follow_links(store, embedder, [(a, b, kind) for a, b, kind, *_ in touched])
