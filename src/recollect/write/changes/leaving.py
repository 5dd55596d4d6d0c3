"""When memories go: what goes with them, what stays with another source, and what holds again?

Reads only. The callers write: `leave` (forgetting, expiring), `purge`, `undo`, `reword` and `relocate`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

from ...store.protocol import Store
from ...types import Link, Memory, Status
from ..duplicates import REMEMBERED
from ..stamp import as_before
from .revise import SUPERSEDES_WEIGHT
from .surroundings import ABSENT, Surroundings, is_summary

Verb = Literal["forget", "purge", "expire", "undo", "move"]

OF_CONVERSATIONS = (REMEMBERED, "round", "facets")
"""The metadata of a fact that a plain memory does not have."""
REPLACED: tuple[Status, ...] = ("superseded", "consolidated")
"""The statuses of a memory that another one stands for."""
LASTING: tuple[Status, ...] = ("active", "contradicted", "completed")
"""The statuses that a memory may come back with."""


@dataclass(slots=True)
class Leaving:
    """What follows when memories go."""

    near: Surroundings
    verb: Verb
    also: Collection[str] = ()
    """Ids that go in another step of the same call."""
    going: dict[str, Memory] = field(default_factory=dict)
    """The memories that go, the named ones first."""
    followed: set[str] = field(default_factory=set)
    """Those of them that nobody named."""
    kept: dict[str, Memory] = field(default_factory=dict)
    """Facts that stay because another turn or somebody else states them, as they will be."""
    back: dict[str, Memory] = field(default_factory=dict)
    """Memories that hold again, or that something else replaces now, as they will be. They may be in `kept` too."""
    links: list[Link] = field(default_factory=list)
    """The new links of the memories in `back`."""
    _left: dict[str | None, Memory] = field(default_factory=dict)
    """Message → its turn, of the turns that go."""

    def name(self, memories: Sequence[Memory]) -> Leaving:
        """Somebody names these memories. A fact that is named together with its turn belongs to the turn."""
        self.near.know(memories)
        named = {memory.id: self.near.memories[memory.id] for memory in memories}
        turns = {id for id, memory in named.items() if memory.granularity == "turn"} | set(self.also)
        self.near.links(id for id, memory in named.items() if memory.granularity == "fact")
        chosen = {id: memory for id, memory in named.items() if not self._is_taken_from(memory, turns)}
        self.going |= chosen
        if self.verb != "undo":
            self._add(self.near.copies_of(chosen))
        self._spread(list(self.going.values()))
        self.followed -= named.keys()
        return self

    def leave_with(self, others: Iterable[Memory]) -> Leaving:
        """The turns among these memories leave in another step of the same call."""
        self._left |= {memory.message: memory for memory in others if memory.granularity == "turn"}
        return self

    def drop(self, facts: Sequence[Memory], turn: Memory) -> Leaving:
        """The turn no longer states these facts."""
        self.also = {*self.also, turn.id}
        self._left[turn.message] = turn
        self.near.know(facts)
        self._spread(self._add(self._unstated([self.near.memories[fact.id] for fact in facts])))
        return self

    def dissolve(self, originals: Iterable[str]) -> Leaving:
        """The summaries of these memories no longer stand for them."""
        self._spread(self._add(self.near.summaries_of(originals)))
        return self

    def settle(self) -> Leaving:
        """Decides about everything that the going memories stood for. Nothing holds again because of an expiry, except
        the originals of a summary."""
        hidden = [self.near.memories[id] for id, fact in self.kept.items() if fact.status in ABSENT]
        gone = [memory for memory in (*self.going.values(), *hidden) if is_summary(memory) or self.verb != "expire"]
        return self.reconsider(self.stood_for(gone))

    def stood_for(self, memories: Sequence[Memory]) -> list[Memory]:
        """What these memories replaced, and what those of them replaced that are forgotten now."""
        found: dict[str, Memory] = {}
        while memories:
            fresh = [m for m in self.near.replaces(m.id for m in memories) if m.id not in found]
            found |= {memory.id: memory for memory in fresh}
            memories = [memory for memory in fresh if memory.status == "forgotten"]
        return list(found.values())

    def reconsider(self, memories: Sequence[Memory]) -> Leaving:
        """Those of these memories that something replaces hold again, if nothing of it is there any more."""
        self.near.know(memories)
        self.near.links(memory.id for memory in memories)
        for memory in memories:
            stays = self.verb == "move" or not self._leaves(memory)
            is_replaced = self.kept.get(memory.id, memory).status in REPLACED
            if stays and is_replaced and self.near.may_change(memory):
                self._replace(memory)
        return self

    @property
    def changed(self) -> list[tuple[Memory, Memory]]:
        """(before, after) of what stays and changes."""
        after = {**self.kept, **self.back}
        pairs = [(self.near.memories[id], memory) for id, memory in after.items()]
        return [pair for pair in pairs if pair[0] != pair[1]]

    @property
    def going_messages(self) -> Collection[str | None]:
        """The messages whose turns go."""
        return self._left.keys()

    # What goes too ----------------------------------------------------------------------------------

    def _spread(self, fresh: Sequence[Memory]) -> None:
        while fresh:
            self._left |= {memory.message: memory for memory in fresh if memory.granularity == "turn"}
            stated = self._unstated(self.near.taken_from(fresh))
            fresh = self._add([*stated, *self.near.summaries_of(memory.id for memory in fresh)])

    def _add(self, memories: Iterable[Memory]) -> list[Memory]:
        fresh = {m.id: m for m in memories if m.id not in self.going and self._may_go(m)}
        self.going |= fresh
        self.followed.update(fresh)
        for id in fresh:
            self.kept.pop(id, None)
        return list(fresh.values())

    def _may_go(self, memory: Memory) -> bool:
        return self.near.may_change(memory) and not (self.verb == "expire" and _outlives(memory))

    def _leaves(self, memory: Memory) -> bool:
        return memory.id in self.going or (memory.id in self.also and memory.id not in self.kept)

    def _is_taken_from(self, memory: Memory, turns: Collection[str]) -> bool:
        return memory.granularity == "fact" and any(turn.id in turns for turn in self.near.turns_of(memory))

    def _unstated(self, facts: Sequence[Memory]) -> list[Memory]:
        """The facts that nothing else states. The others are kept."""
        self.near.links(fact.id for fact in facts)
        found = []
        for fact in facts:
            kept = self._kept(fact)
            if kept is None:
                found.append(fact)
            elif self.near.may_change(fact):
                self.kept[fact.id] = kept
        return found

    def _kept(self, fact: Memory) -> Memory | None:
        """The fact as it stays with another turn or on its own; None if it goes."""
        turns = self.near.turns_of(fact)
        if fact.message not in self._left and fact.message not in {turn.message for turn in turns}:
            return fact  # it was stored without a turn
        others = sorted((t for t in turns if not self._leaves(t)), key=lambda t: (t.status in ABSENT, t.told_at, t.id))
        if others and (others[0].status not in ABSENT or self.verb in ("purge", "move")):
            return stated_by(others[0], fact, self._left.get(fact.message))
        return on_its_own(fact) if fact.metadata.get(REMEMBERED) else None

    # What holds again -------------------------------------------------------------------------------

    def _replace(self, memory: Memory) -> None:
        if any(self._is_there(other, memory) for other in self.near.replaced_by(memory)):
            return
        heir, stays = self._heir(memory), self.kept.get(memory.id, memory)
        if heir is None:
            self.back[memory.id] = before_replaced(self.near.store, stays)
            return
        until = heir.valid_from or heir.happened_at
        self.back[memory.id] = replace(stays, status="superseded", valid_to=until)
        if self.verb in ("purge", "move"):  # the links that lead there go
            link = partial(Link, kind="supersedes", weight=SUPERSEDES_WEIGHT, created_at=heir.created_at)
            self.links.append(link(a=heir.id, b=memory.id))

    def _is_there(self, memory: Memory, other: Memory) -> bool:
        """Whether the memory can still replace the other one. What moves is there only for what moves with it."""
        moves = self.verb == "move" and self._leaves(other)
        status = self.kept.get(memory.id, memory).status
        return self._leaves(memory) is moves and status not in ("forgotten", "quarantined")

    def _heir(self, memory: Memory) -> Memory | None:
        """What replaces the memories that replaced this one, if these are all gone."""
        seen, waiting = {memory.id}, self.near.replaced_by(memory)
        while waiting:
            seen.update(gone.id for gone in waiting)
            self.near.links(gone.id for gone in waiting)
            above = [m for gone in waiting for m in self.near.replaced_by(gone) if m.id not in seen]
            heir = next((m for m in above if self._is_there(m, memory)), None)
            if heir is not None:
                return heir
            waiting = above
        return None


def leaving(store: Store, verb: Verb, within: str | None, also: Collection[str] = ()) -> Leaving:
    return Leaving(Surroundings(store, within), verb, also)


def before_replaced(store: Store, memory: Memory) -> Memory:
    """The memory as it was before another one replaced it, according to the log."""
    before: dict[str, Any] = {}
    for event in store.events(memory_id=memory.id):
        before |= event.changes[0].before or {}
        if before.get("status") in LASTING:
            return as_before(memory, {name: before[name] for name in ("status", "valid_to") if name in before})
    return replace(memory, status="active", valid_to=None if memory.status == "superseded" else memory.valid_to)


def is_set_by_hand(store: Store, memory: Memory) -> bool:
    """Whether somebody set its status with `update`."""
    for event in store.events(memory_id=memory.id):
        if (event.changes[0].before or {}).get("status") in LASTING:
            return event.action == "update" and memory.id not in event.detail.get("followed", ())
    return False


def stated_by(turn: Memory, fact: Memory, left: Memory | None) -> Memory:
    """The fact as one of this turn, if the turn it belonged to has left. It has the status of a turn that is gone."""
    hidden = turn.status in ("forgotten", "expired") and fact.status not in ABSENT
    kept = replace(fact, status=turn.status) if hidden else fact
    if left is None:
        return kept
    return replace(
        kept,
        session_id=turn.session_id,
        turn=turn.turn,
        role=turn.role,
        metadata={**fact.metadata, "round": turn.metadata.get("round")},
        created_at=turn.created_at,
        occurred_at=turn.occurred_at if fact.occurred_at == left.occurred_at else fact.occurred_at,
        valid_from=turn.valid_from,
    )


def on_its_own(fact: Memory) -> Memory:
    """The fact as a memory that belongs to no conversation."""
    metadata = {name: value for name, value in fact.metadata.items() if name not in OF_CONVERSATIONS}
    return replace(fact, granularity="memory", session_id=None, turn=None, role=None, metadata=metadata)


def _outlives(memory: Memory) -> bool:
    """Whether it stays when its source expires."""
    return memory.tier == "pinned" or memory.status in ABSENT
