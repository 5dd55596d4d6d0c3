"""Finds the memories that a new one supersedes or contradicts, inside the transaction that stored the new one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from ..store.protocol import Store
from ..store.values import Batch
from ..text.moments import parse_moment
from ..types import Change, Event, Filter, Link, LinkKind, Memory, Status
from .build.put import fields_only
from .build.statements import ENDING, STATING
from .changes.owners import is_protected
from .changes.revise import CONTRADICTS_WEIGHT, SUPERSEDES_WEIGHT, relinked, start
from .links import Clash, clashes, order, words_of
from .nearby import alike, corrected, related_keys
from .said_in import Messages, says_only
from .stamp import Stamp, difference

MOST_HELD = 500
"""A new statement is compared with at most this many active ones about the same attribute, the latest."""
MOST_AROUND = 8
"""A statement that arrives late is compared with so many before and after it."""
_LATE = timedelta(hours=1)
_Key = tuple[str, str]
"""Namespace and `about` key."""


@dataclass(frozen=True, slots=True)
class Related:
    """What the new memories did to others."""

    changed: Mapping[str, Memory]
    """The changed memories by id; a new one that arrived late may be among them."""
    replaced: Mapping[str, tuple[str, ...]]
    """New memory → the statements that it replaced."""


def relate(
    store: Store, new: Sequence[Memory], about: Mapping[str, str], stamp: Stamp, *, alone: Collection[str] = ()
) -> Related:
    """Supersedes or contradicts older statements automatically. Each change is logged with its reason and can be
    undone. `alone`: new memories that are to replace nothing."""
    work = _Relating(store, stamp, about, [memory for memory in new if memory.granularity == "turn"])
    stating = sorted((m for m in new if m.granularity in STATING and m.status == "active"), key=order)
    stating = [memory for memory in stating if memory.id not in alone]
    work.load(stating)
    for memory in stating:
        work.relate(memory)
    return Related(work.changed, {id: tuple(older) for id, older in work.replaced.items()})


@dataclass(slots=True)
class _Relating:
    """Takes new statements in the order they were made, and keeps which ones hold."""

    store: Store
    stamp: Stamp
    about: Mapping[str, str]
    turns: Sequence[Memory]
    """The turns stored together with the new statements."""
    changed: dict[str, Memory] = field(default_factory=dict)
    replaced: dict[str, list[str]] = field(default_factory=dict)
    _held: dict[_Key, list[Memory]] = field(default_factory=dict)
    """The active statements about each attribute, of those that came before."""
    _pending: set[str] = field(default_factory=set)
    """New statements that have not had their turn."""
    _messages: Messages = field(init=False)

    def __post_init__(self) -> None:
        self._messages = Messages(self.store, self.turns, self.changed)

    def load(self, new: Sequence[Memory]) -> None:
        self._pending = {memory.id for memory in new}
        for namespace in {memory.namespace for memory in new}:
            here = [memory for memory in new if memory.namespace == namespace]
            keys = {key for memory in here for key in related_keys(self.about.get(memory.id))}
            keys |= {ENDING} if any(map(_is_late, here)) else set()
            for key, found in self._find(namespace, keys, "active").items():
                self._held[namespace, key] = self._still_holding(m for m in found if m.id not in self._pending)

    def _find(self, namespace: str, keys: Iterable[str], *statuses: Status) -> dict[str, list[Memory]]:
        return self.store.find_about(keys, Filter(namespaces=(namespace,), exact=True, statuses=statuses))

    def _still_holding(self, found: Iterable[Memory]) -> list[Memory]:
        """Without those that stay active because they say more, though what they say here was superseded."""
        from ..extractors.judgement import states_more

        active = list(found)
        links = self.store.links([m.id for m in active if states_more(words_of(m))])
        over = {link.b for link in links if link.kind == "supersedes"}
        return [memory for memory in active if memory.id not in over]

    # Relating one statement -----------------------------------------------------------------------

    def relate(self, memory: Memory) -> None:
        self._pending.discard(memory.id)
        for clash in clashes(memory, self._others(memory)):
            if memory.id in self.changed:  # it was superseded by a later one
                break
            self._settle(self._as_restated(clash), memory)
        if memory.id not in self.changed and memory.id in self.about:
            self._held.setdefault((memory.namespace, self.about[memory.id]), []).append(memory)

    def _others(self, memory: Memory) -> list[Memory]:
        """The active statements that it may clash with, the latest first."""
        own = self.about.get(memory.id)
        held = {m.id: m for key in related_keys(own) for m in self._held.get((memory.namespace, key), ())}
        over = self._held.get((memory.namespace, ENDING), ()) if _is_late(memory) else ()
        without_key = [*alike(self.store, memory, own), *over, *corrected(self.store, memory)]
        held |= {m.id: m for m in without_key if m.id not in self._pending and m.role == memory.role}
        active = (self.changed.get(id, m) for id, m in held.items() if id != memory.id)
        return sorted((m for m in active if m.status == "active"), key=order, reverse=True)[:MOST_HELD]

    def _as_restated(self, clash: Clash) -> Clash:
        """The clash the other way around, if the older statement was repeated after the newer one."""
        if clash.kind != "supersedes":
            return clash
        older, newer = clash.older, clash.newer
        in_one = older.session_id is not None and older.session_id == newer.session_id
        if _last_told(self.store, older, in_one) > _last_told(self.store, newer, in_one):
            return replace(clash, newer=older, older=newer)
        return clash

    def _settle(self, clash: Clash, memory: Memory) -> None:
        if clash.kind == "contradicts" or is_protected(clash.older, self.stamp):
            self._contradict(replace(clash, kind="contradicts"))
        elif clash.newer.id == memory.id:
            self._supersede(clash)
        else:
            self._insert(clash, memory)

    def _contradict(self, clash: Clash) -> None:
        links = [_link(clash.newer, clash.older, "contradicts", CONTRADICTS_WEIGHT, self.stamp)]
        changes = [Change(memory_id=m.id, before={}) for m in (clash.newer, clash.older)]
        self._write([], links, changes, clash)

    def _supersede(self, clash: Clash, after: Memory | None = None) -> None:
        """Ends what the older statement says where the newer one begins. `after`: what ended it before."""
        turns = [turn for turn in self._messages.saying(clash.older) if not is_protected(turn, self.stamp)]
        over = [m for m in (clash.older, *turns) if says_only(m, clash.older)]
        ended = [replace(memory, status="superseded", valid_to=start(clash.newer)) for memory in over]
        links = [_link(clash.newer, old, "supersedes", SUPERSEDES_WEIGHT, self.stamp) for old in (clash.older, *turns)]
        changes = [difference(*pair) for pair in zip(over, ended, strict=True)]
        changes += [Change(memory_id=m.id, before={}) for m in (clash.newer, clash.older, *turns) if m not in over]
        unlinks: list[tuple[str, str, LinkKind]] = [(after.id, link.b, "supersedes") for link in links] if after else []
        self._write(ended, links, changes, clash, unlinks)
        self.changed |= {memory.id: memory for memory in ended}
        self.replaced.setdefault(clash.newer.id, []).append(clash.older.id)
        self._drop(clash.older)

    def _insert(self, clash: Clash, late: Memory) -> None:
        """Puts a statement that arrived late between the one before it and the one after it, as if in order."""
        key = self.about.get(late.id)
        known = self._find(late.namespace, [key], "active", "superseded").get(key, []) if key else []
        around = {m.id: m for m in (clash.newer, *known) if m.id not in self._pending and m.id != late.id}
        found = clashes(late, _nearest(late, around.values()))
        nearest = min((c.newer for c in found if c.older.id == late.id), key=order, default=clash.newer)
        for before in [c for c in found if c.newer.id == late.id and self._may_take_over(nearest, c.older)]:
            self._supersede(before, after=nearest)
        self._supersede(replace(clash, newer=nearest, older=late))

    def _may_take_over(self, newer: Memory, older: Memory) -> bool:
        """Whether the newer statement ended the older one, which a late one may end instead."""
        return not is_protected(older, self.stamp) and any(
            (link.a, link.b, link.kind) == (newer.id, older.id, "supersedes") for link in self.store.links([older.id])
        )

    def _drop(self, older: Memory) -> None:
        for held in self._held.values():
            held[:] = [memory for memory in held if memory.id != older.id]

    def _write(
        self,
        memories: Sequence[Memory],
        links: Sequence[Link],
        changes: Sequence[Change],
        clash: Clash,
        unlinks: Sequence[tuple[str, str, LinkKind]] = (),
    ) -> None:
        detail = {**relinked(self.store, links, unlinks), "why": clash.why, "automatic": True}
        action = "supersede" if clash.kind == "supersedes" else "contradict"
        event: Event = self.stamp.event(action, clash.newer.namespace, changes, detail)
        puts = [fields_only(memory) for memory in memories]
        self.store.write(Batch(puts=puts, links=links, unlinks=unlinks, events=[event]))


def _link(newer: Memory, older: Memory, kind: LinkKind, weight: float, stamp: Stamp) -> Link:
    return Link(a=newer.id, b=older.id, kind=kind, weight=weight, created_at=stamp.at)


def _is_late(memory: Memory) -> bool:
    """Whether it is stored long after it was said: part of an import, in which the order may be another."""
    return memory.created_at - memory.told_at > _LATE


def _nearest(memory: Memory, others: Iterable[Memory]) -> list[Memory]:
    """The statements directly before and after a statement, the latest first."""
    ordered = sorted(others, key=order)
    place = bisect_left(ordered, order(memory), key=order)
    return ordered[max(0, place - MOST_AROUND) : place + MOST_AROUND][::-1]


def _last_told(store: Store, memory: Memory, in_one: bool) -> tuple[datetime, int]:
    """When a statement was last made, and, among those of one conversation, in which turn. Repetitions are not stored;
    the log says when they were made."""
    repeated = (event.detail for event in store.events(memory_id=memory.id) if event.action == "merge")
    times = ((parse_moment(d["told_at"]), int(d.get("turn", 0))) for d in repeated if "told_at" in d)
    at, turn = max([(memory.told_at, memory.turn or 0), *times])
    return at, turn if in_one else 0
