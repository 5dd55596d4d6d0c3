"""Undoes an event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...embedders.optional import OptionalEmbedder
from ...errors import Conflict, NotFound
from ...store.protocol import Store
from ...store.values import Batch
from ...types import VISIBLE, Change, Event, Filter, Link, LinkKind, Memory
from ..build.draft import Draft
from ..build.put import build, fields_only, write
from ..stamp import Stamp, as_before
from .follow import OF_VIEWS, follow, follow_links, refresh
from .joined import JoinedChanges
from .leave import hidden, noted
from .leaving import LASTING, REPLACED, Leaving, leaving, stated_by
from .restore import judge
from .surroundings import Surroundings


def undo(store: Store, embedder: OptionalEmbedder, event_id: str, stamp: Stamp) -> Event:
    """Restores what the event changed. Refused when a later event changed the same fields again."""
    with store.transaction():
        event = _undoable(store, event_id)
        held = store.get([change.memory_id for change in event.changes])
        changes = [change for change in event.changes if change.memory_id in held]
        former = [(held[change.memory_id], _former(store, event, change, held)) for change in changes]
        plan = _followers(store, former, stamp.within)
        new = {change.memory_id for change in changes if change.before is None}
        former = [(now, plan.kept.get(now.id, then) if now.id in new else then) for now, then in former]
        drafts = [Draft(memory=then, before=now, takes_back=True) for now, then in former if now != then]
        puts = build(store, embedder, drafts, stamp)
        links, unlinks = _former_links(store, event, stamp)
        others = [*(then for _, then in (*hidden(plan), *plan.changed)), *_moved_along(store, former)]
        puts += [fields_only(then) for then in others if then.id not in held]
        joined = JoinedChanges(store)
        write(joined.store, embedder, Batch(puts=puts, links=links, unlinks=unlinks))
        _keep_home(joined.store, [then for now, then in former if now.message != then.message])
        back = [then for now, then in former if now.status == "forgotten" != then.status]
        replaced = [then for now, then in former if then.status in REPLACED and now.status in LASTING]
        judge(joined.store, [*_hide_unstated(joined.store, back), *replaced], event.id, stamp)
        if event.action != "link":
            _hide_unstated(joined.store, _unlinked(joined.store, unlinks))
        undone = _logged(store, joined, event, [now for now, _ in former], stamp)
        _refresh(store, embedder, undone, store.get(change.memory_id for change in undone.changes))
        refresh(store, embedder, plan.kept)
    return undone


def _moved_along(store: Store, former: Sequence[tuple[Memory, Memory]]) -> list[Memory]:
    """The facts of turns that move back, also those that were stored since the turns moved."""
    turns = [pair for pair in former if pair[0].granularity == "turn" and pair[0].namespace != pair[1].namespace]
    homes = {now.message: then.namespace for now, then in turns}
    facts = Surroundings(store).taken_from([now for now, _ in turns])
    return [replace(fact, namespace=homes[fact.message]) for fact in facts if fact.message in homes]


def _keep_home(store: Store, facts: Sequence[Memory]) -> None:
    """A fact can't go back to a turn that was purged. It belongs to one that states it."""
    near = Surroundings(store)
    homes = [(fact, near.turns_of(fact)) for fact in facts if fact.granularity == "fact"]
    lost = [(fact, turns[0]) for fact, turns in homes if turns and fact.message not in {t.message for t in turns}]
    store.write(Batch(puts=[fields_only(stated_by(turn, fact, fact)) for fact, turn in lost]))


def _unlinked(store: Store, unlinks: Sequence[tuple[str, str, LinkKind]]) -> list[Memory]:
    """The visible memories that lost the link to their turn."""
    return list(store.get((a for a, _, kind in unlinks if kind == "extends"), Filter(statuses=VISIBLE)).values())


def _hide_unstated(store: Store, back: Sequence[Memory]) -> list[Memory]:
    """Forgets the facts among these again that none of the turns in sight states. Returns the others."""
    near = Surroundings(store)
    gone = [memory for memory in back if memory.granularity == "fact" and not near.is_stated(memory)]
    store.write(Batch(puts=[fields_only(replace(memory, status="forgotten")) for memory in gone]))
    return [memory for memory in back if memory not in gone]


def _logged(store: Store, joined: JoinedChanges, event: Event, touched: Sequence[Memory], stamp: Stamp) -> Event:
    changed = {change.memory_id: change for change in joined.changes()}
    named = {memory.id for memory in touched}
    changes = [changed.pop(id, Change(memory_id=id, before={})) for id in sorted(named)] + list(changed.values())
    detail = {"undoes": event.id, "linked": [], "unlinked": [], **joined.relinked(), **noted(list(changed))}
    undone = stamp.event("undo", event.namespace, changes, detail)
    store.write(Batch(events=[undone]))
    _mark(store, event, undone.id)
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
