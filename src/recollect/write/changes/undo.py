"""Undoes an event."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ...embedders.optional import OptionalEmbedder
from ...errors import Conflict, NotFound
from ...store.protocol import Store
from ...store.values import Batch
from ...types import Change, Event, Link, LinkKind, Memory
from ..build.draft import Draft
from ..build.put import build, fields_only, write
from ..stamp import Stamp, as_before
from .follow import OF_VIEWS, follow, follow_links, refresh
from .joined import JoinedChanges
from .leave import hidden, noted
from .leaving import LASTING, REPLACED, leaving, stated_by
from .owners import check_leaving, check_pinned
from .pages import PREVIOUS, events_of
from .restore import judge
from .surroundings import ABSENT, Surroundings


def undo(store: Store, embedder: OptionalEmbedder, event_id: str, stamp: Stamp) -> Event:
    """Restores what the event changed, with the earlier pages of the same change, each in its own transaction. Refused
    when a later event changed the same fields again. Returns the last event, with the changes of all."""
    run = _undoable(store, event_id)
    if not run[0].changes:
        return _undo_decay(store, run[0], stamp)
    if not any(store.get(change.memory_id for change in event.changes) for event in run):
        raise Conflict(f"nothing comes back with event {event_id}: what it changed was deleted for good")
    if len(run) > 1:
        _check_all(store, run)
    made: list[Event] = []
    for event in run:
        with store.transaction():
            if event.id not in {held.id for held in store.events(id=event.id, changes=False) if not held.undone_by}:
                continue  # another process has undone it
            work = Undoing(store, embedder, event, stamp)
            work.check_owner()
            work.take_back()
            work.settle()
            made.append(work.log({PREVIOUS: made[-1].id} if made else {}))
    if not made:
        raise Conflict(f"event {event_id} was undone by another process")
    return replace(made[-1], changes=tuple(change for each in made for change in each.changes))


def _check_all(store: Store, run: Sequence[Event]) -> None:
    """Before the first page is undone, so that a conflict on another page changes nothing."""
    own = frozenset(event.id for event in run)
    for event in run:
        for change in event.changes:
            if change.before is not None:
                _check_unchanged_since(store, event, change, own)


def _undo_decay(store: Store, event: Event, stamp: Stamp) -> Event:
    from ...tend.strength import undo_decay

    undone = undo_decay(store, event, stamp)
    if undone is None:
        raise Conflict(f"event {event.id} was undone by another process")
    return undone


class Undoing:
    """Undoes one event, inside a transaction."""

    def __init__(self, store: Store, embedder: OptionalEmbedder, event: Event, stamp: Stamp) -> None:
        self._store, self._embedder, self._event, self._stamp = store, embedder, event, stamp
        self._joined = JoinedChanges(store)
        self._held = store.get([change.memory_id for change in event.changes])
        changes = [change for change in event.changes if change.memory_id in self._held]
        self._new = {change.memory_id for change in changes if change.before is None}
        self._pairs = [(self._held[c.memory_id], _former(store, event, c, self._held)) for c in changes]
        self._links, self._unlinks = _former_links(store, event, stamp)

    def check_owner(self) -> None:
        check_pinned((now for now, then in self._pairs if now != then), self._stamp)

    def take_back(self) -> None:
        """Writes the former values and links."""
        drafts = [Draft(memory=then, before=now, takes_back=True) for now, then in self._pairs if now != then]
        puts = build(self._store, self._embedder, drafts, self._stamp)
        puts += [fields_only(fact) for fact in self._moved_along() if fact.id not in self._held]
        write(self._joined.store, self._embedder, Batch(puts=puts, links=self._links, unlinks=self._unlinks))

    def _moved_along(self) -> list[Memory]:
        """The facts of turns that move back, also those that were stored since the turns moved."""
        moved = [(now, then) for now, then in self._pairs if now.namespace != then.namespace]
        turns = [(now, then) for now, then in moved if now.granularity == "turn"]
        homes = {now.message: then.namespace for now, then in turns}
        facts = Surroundings(self._store).taken_from([now for now, _ in turns])
        return [replace(fact, namespace=homes[fact.message]) for fact in facts if fact.message in homes]

    def settle(self) -> None:
        """Decides about what went and what came back. Later events may have changed what belongs to it."""
        store = self._joined.store
        self._follow(store)
        _keep_home(store, [then for now, then in self._pairs if now.message != then.message])
        back = [then for now, then in self._pairs if now.status == "forgotten" != then.status]
        replaced = [then for now, then in self._pairs if then.status in REPLACED and now.status in LASTING]
        judge(store, [*_hide_unstated(store, back), *replaced], self._event.id, self._stamp)
        if self._event.action != "link":
            lost = store.get(a for a, _, kind in self._unlinks if kind == "extends")
            _hide_unstated(store, list(lost.values()))

    def _follow(self, store: Store) -> None:
        """What was made from memories that are forgotten now follows them. A fact that the event stored stays if
        another turn states it by now."""
        gone = [now for now, then in self._pairs if then.status == "forgotten" != now.status]
        plan = leaving(store, "undo", self._stamp.within).name(gone).settle()
        check_leaving(plan, self._stamp)
        others = [then for now, then in (*hidden(plan), *plan.changed) if now.id not in self._held]
        others += [fact for id, fact in plan.kept.items() if id in self._new]
        store.write(Batch(puts=[fields_only(memory) for memory in others]))
        refresh(store, self._embedder, plan.kept)

    def log(self, chained: Mapping[str, str]) -> Event:
        changed = {change.memory_id: change for change in self._joined.changes()}
        touched = [changed.pop(now.id, Change(memory_id=now.id, before={})) for now, _ in self._pairs]
        links = {"linked": [], "unlinked": [], **self._joined.relinked()}
        detail = {"undoes": self._event.id, **links, **noted(list(changed)), **chained}
        undone = self._stamp.event("undo", self._event.namespace, [*touched, *changed.values()], detail)
        self._store.write(Batch(events=[undone]))
        _mark(self._store, self._event, undone.id)
        _refresh(self._store, self._embedder, undone)
        return undone


def _keep_home(store: Store, facts: Sequence[Memory]) -> None:
    """A fact can't go back to a turn that was purged. It belongs to one that states it."""
    near = Surroundings(store)
    homes = [(fact, near.turns_of(fact)) for fact in facts if fact.granularity == "fact"]
    lost = [(fact, turns[0]) for fact, turns in homes if turns and fact.message not in {t.message for t in turns}]
    store.write(Batch(puts=[fields_only(stated_by(turn, fact, fact)) for fact, turn in lost]))


def _hide_unstated(store: Store, memories: Sequence[Memory]) -> list[Memory]:
    """Forgets those of these facts that no turn in sight states. Returns the other memories."""
    near = Surroundings(store)
    near.links(memory.id for memory in memories)
    seen = [memory for memory in memories if memory.granularity == "fact" and memory.status not in ABSENT]
    gone = {fact.id: replace(fact, status="forgotten") for fact in seen if not near.is_stated(fact)}
    store.write(Batch(puts=[fields_only(fact) for fact in gone.values()]))
    return [memory for memory in memories if memory.id not in gone]


def _undoable(store: Store, event_id: str) -> list[Event]:
    """The event and the earlier pages of the same change, newest first, without those that are undone. So an
    interrupted `undo` continues."""
    found = store.events(id=event_id)
    if not found:
        raise no_event(event_id)
    event = found[0]
    if not event.changes and "rate" not in event.detail:
        raise Conflict(f"the {event.action} {event_id} can't be undone: the log keeps no former values of it")
    if not event.changes:
        left = [event] if event.undone_by is None else []
    else:
        left = [each for each in events_of(store, event) if each.undone_by is None]
    if not left:
        raise Conflict(f"event {event_id} was undone already, by {event.undone_by}")
    return left


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


def _check_unchanged_since(store: Store, event: Event, change: Change, besides: Collection[str] = frozenset()) -> None:
    log = store.events(memory_id=change.memory_id)
    after = log[: [entry.id for entry in log].index(event.id)]
    for later in reversed(after):
        touched = later.changes[0].before or {}
        if later.id in besides or later.undone_by is not None or later.action == "undo":
            continue
        if set(touched) & set(change.before or {}):
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


def _refresh(store: Store, embedder: OptionalEmbedder, undone: Event) -> None:
    """Builds the views that depend on the changed memories again."""
    changed = [change.memory_id for change in undone.changes if OF_VIEWS & (change.before or {}).keys()]
    follow(store, embedder, list(store.get(changed).values()))
    touched = (*undone.detail["linked"], *undone.detail["unlinked"])
    follow_links(store, embedder, [(a, b, kind) for a, b, kind, *_ in touched])
