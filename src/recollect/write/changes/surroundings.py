"""Reads what is linked with some memories: a few statements, however many memories they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TypeGuard

from ...namespaces import is_within
from ...store.protocol import Store
from ...types import Filter, Link, LinkKind, Memory, Status

ABSENT: tuple[Status, ...] = ("forgotten", "quarantined", "expired")
"""The statuses of a turn that states nothing now."""
_KINDS: tuple[LinkKind, ...] = ("extends", "same_as", "supersedes")
"""The kinds of links that say what was made from what, and what stands for what."""


@dataclass(slots=True)
class Surroundings:
    """Memories and the links among them, each read once."""

    store: Store
    within: str | None = None
    """The namespace of the caller. Memories outside of it are not changed."""
    memories: dict[str, Memory] = field(default_factory=dict)
    _links: dict[str, list[Link]] = field(default_factory=dict)

    def know(self, memories: Iterable[Memory]) -> None:
        self.memories |= {memory.id: memory for memory in memories if memory.id not in self.memories}

    def may_change(self, memory: Memory) -> bool:
        return self.within is None or is_within(memory.namespace, self.within)

    def links(self, ids: Iterable[str]) -> list[Link]:
        """The links of these memories. The memories at their other ends are read too."""
        wanted = list(dict.fromkeys(ids))
        self._read([id for id in wanted if id not in self._links])
        return list(dict.fromkeys(link for id in wanted for link in self._links[id]))

    def _read(self, ids: Sequence[str]) -> None:
        if not ids:
            return
        found = [link for link in self.store.links(ids) if link.kind in _KINDS]
        self._links |= {id: [] for id in ids}
        asked = set(ids)
        for link in found:
            for end in {link.a, link.b} & asked:
                self._links[end].append(link)
        ends = {end for link in found for end in (link.a, link.b)}
        self.know(self.store.get(ends - self.memories.keys()).values())

    def stated_in(self, turns: Sequence[Memory]) -> list[Memory]:
        """The facts that these turns state now."""
        own = {turn.id for turn in turns if turn.granularity == "turn"}
        linked = {link.a for link in self.links(own) if link.kind == "extends" and link.b in own}
        found = (self.memories[id] for id in sorted(linked) if id in self.memories)
        return [memory for memory in found if memory.granularity == "fact"]

    def taken_from(self, turns: Sequence[Memory]) -> list[Memory]:
        """The facts that these turns state now, and those that their messages stated before."""
        found = {fact.id: fact for fact in self.stated_in(turns)}
        for within in _messages(turn for turn in turns if turn.granularity == "turn"):
            placed = self.store.scan(within, order="id")
            self.know(placed)
            found |= {fact.id: self.memories[fact.id] for fact in placed}
        return list(found.values())

    def turns_of(self, fact: Memory) -> list[Memory]:
        """The turns that state a fact."""
        linked = [link.b for link in self.links([fact.id]) if link.kind == "extends" and link.a == fact.id]
        found = (self.memories[id] for id in linked if id in self.memories)
        return [memory for memory in found if memory.granularity == "turn"]

    def is_stated(self, fact: Memory) -> bool:
        """Whether a turn in sight states the fact, or no turn of its message is stored."""
        turns = self.turns_of(fact)
        if turns or fact.session_id is None or fact.turn is None:
            return not turns or any(turn.status not in ABSENT for turn in turns)
        own = Filter(
            namespaces=(fact.namespace,),
            exact=True,
            session_id=fact.session_id,
            turns=(fact.turn,),
            granularities=("turn",),
        )
        return not self.store.scan(own, limit=1)

    def summaries_of(self, ids: Iterable[str]) -> list[Memory]:
        """The summaries that stand for these memories."""
        own = set(ids)
        linked = {link.a for link in self.links(own) if link.kind == "extends" and link.b in own}
        return [memory for id in sorted(linked) if is_summary(memory := self.memories.get(id))]

    def copies_of(self, ids: Iterable[str]) -> list[Memory]:
        """The near-duplicates that were merged into these memories."""
        own = set(ids)
        linked = {link.a for link in self.links(own) if link.kind == "same_as" and link.b in own}
        return [self.memories[id] for id in sorted(linked) if id in self.memories]

    def replaced_by(self, memory: Memory) -> list[Memory]:
        """The memories that stand for this one."""
        ids = [link.a for link in self.links([memory.id]) if link.b == memory.id and self._stands_for(link)]
        ids += [link.b for link in self.links([memory.id]) if link.a == memory.id and link.kind == "same_as"]
        return [self.memories[id] for id in ids if id in self.memories]

    def replaces(self, ids: Iterable[str]) -> list[Memory]:
        """The memories that these stand for."""
        own = set(ids)
        linked = {link.b for link in self.links(own) if link.a in own and self._stands_for(link)}
        found = [self.memories[id] for id in sorted(linked) if id in self.memories]
        return [*found, *self.copies_of(own)]

    def _stands_for(self, link: Link) -> bool:
        return link.kind == "supersedes" or (link.kind == "extends" and is_summary(self.memories.get(link.a)))


def is_summary(memory: Memory | None) -> TypeGuard[Memory]:
    return memory is not None and "consolidates" in memory.metadata


def _messages(turns: Iterable[Memory]) -> Iterator[Filter]:
    """One filter for each session: the facts with the numbers of these turns."""
    said = [turn for turn in turns if turn.session_id is not None and turn.turn is not None]
    for (namespace, session), some in groupby(sorted(said, key=_session), key=_session):
        numbers = tuple(sorted({turn.turn for turn in some if turn.turn is not None}))
        yield Filter(namespaces=(namespace,), exact=True, session_id=session, turns=numbers, granularities=("fact",))


def _session(turn: Memory) -> tuple[str, str]:
    return turn.namespace, turn.session_id or ""
