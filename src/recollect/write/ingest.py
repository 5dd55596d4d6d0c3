"""A conversation, taken in: only what is new of it is stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from ..embedders.lenient import Lenient
from ..extractors.protocol import Extractor, Statement
from ..identity import digest
from ..recipes.recipe import WriteRules
from ..store.protocol import Batch, Put, Store
from ..types import Filter, Granularity, Memory
from . import records
from .conversation import Turn, turns
from .embed import embed
from .facets import document
from .link import sources, temporal
from .path import Draft, remember
from .stamp import Stamp, difference

How = Literal["hybrid", "turn", "fact", "round", "session"]
HOWS: tuple[How, ...] = ("hybrid", "turn", "fact", "round", "session")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """What became of a conversation."""

    session_id: str
    added: tuple[Memory, ...]
    changed: tuple[Memory, ...]
    """Records whose text is another now (a round that got its answer, an edited message)."""
    unchanged: int

    def to_dict(self) -> dict[str, Any]:
        return {
            "session_id": self.session_id,
            "added": [memory.to_dict() for memory in self.added],
            "changed": [memory.to_dict() for memory in self.changed],
            "unchanged": self.unchanged,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingest:
    """One conversation on its way in."""

    store: Store
    embedder: Lenient
    extractor: Extractor
    rules: WriteRules
    namespace: str
    session_id: str
    how: How
    stamp: Stamp

    def run(self, messages: Sequence[Mapping[str, Any]], at: datetime, advance: Callable[[int], None]) -> Ingested:
        held = self._held()
        said = self._continued(messages, at, held)
        drafts, kept = self._new(self._drafts(said), held)
        added: list[Memory] = []
        for batch in remember(self.store, self.embedder, drafts, rules=self.rules, stamp=self.stamp):
            added += batch
            advance(len(batch))
        self._link(held, added)
        changed = self._rewrite(kept)
        self._backfill(held, added)
        return Ingested(
            session_id=self.session_id,
            added=tuple(added),
            changed=tuple(changed),
            unchanged=len(kept) - len(changed),
        )

    @property
    def _record(self) -> Granularity:
        """The granularity whose records tell which part of the conversation is there already."""
        return "turn" if self.how == "hybrid" else self.how

    def _held(self) -> list[Memory]:
        within = Filter(namespaces=(self.namespace,), session_id=self.session_id, granularities=(self._record,))
        found = [memory for memory in self.store.scan(within, order="id") if memory.namespace == self.namespace]
        return sorted(found, key=lambda memory: (memory.turn or 0, memory.id))

    def _continued(self, messages: Sequence[Mapping[str, Any]], at: datetime, held: Sequence[Memory]) -> list[Turn]:
        """The turns, numbered on from what is held when these messages continue it."""
        said = turns(messages, at=at)
        if self._record != "turn" or not held or not said:
            return said
        start = _offset([memory.text for memory in held], [turn.shown for turn in said])
        return turns(messages, at=at, before=[_turn(memory) for memory in held[:start]]) if start else said

    def _drafts(self, said: Sequence[Turn]) -> list[Draft]:
        stated = {} if self.how == "turn" else records.facts(said, self.extractor)
        if self.how in ("round", "session"):
            return records.whole(said, self.how, self.namespace, self.session_id, self.stamp.at, stated)
        drafts = [] if self.how == "fact" else self._turn_drafts(said, stated)
        return drafts + self._fact_drafts(said, stated) if self.how != "turn" else drafts

    def _turn_drafts(self, said: Sequence[Turn], stated: Mapping[int, Sequence[Statement]]) -> list[Draft]:
        memories = [records.turn_memory(turn, self.namespace, self.session_id, self.stamp.at) for turn in said]
        views = records.turn_views(memories, {n: records.said(facts) for n, facts in stated.items()})
        return [Draft(memory=memory, merge=False, views=views[memory.id]) for memory in memories]

    def _fact_drafts(self, said: Sequence[Turn], stated: Mapping[int, Sequence[Statement]]) -> list[Draft]:
        return [
            Draft(
                memory=records.fact_memory(fact, turn, self.namespace, self.session_id, self.stamp.at),
                about=records.about(fact),
            )
            for turn in said
            for fact in stated.get(turn.number, ())
        ]

    def _new(self, drafts: Sequence[Draft], held: Sequence[Memory]) -> tuple[list[Draft], list[tuple[Memory, Draft]]]:
        """What is not there yet, and the pairs of what is; facts go with their turn."""
        by_place = {_place(memory): memory for memory in held}
        if self.how == "fact":
            known = {digest(memory.text) for memory in held}
            return [draft for draft in drafts if digest(draft.memory.text) not in known], []
        kept = [(by_place[_place(d.memory)], d) for d in drafts if _place(d.memory) in by_place]
        same_turns = {old.turn for old, draft in kept if old.text == draft.memory.text}
        fresh = [
            draft
            for draft in drafts
            if _place(draft.memory) not in by_place
            and not (draft.memory.granularity == "fact" and draft.memory.turn in same_turns)
        ]
        return fresh, kept

    def _rewrite(self, kept: Sequence[tuple[Memory, Draft]]) -> list[Memory]:
        """Replaces the text of records that say something else now; the former text stays in their history."""
        changed = [(old, draft) for old, draft in kept if old.text != draft.memory.text]
        if not changed:
            return []
        views = embed(self.store, self.embedder, [draft.all_views for _, draft in changed])
        after = [replace(old, text=draft.memory.text) for old, draft in changed]
        puts = [
            Put(memory=m, document=document(m), digest=digest(m.text), vectors={} if views is None else views[n])
            for n, m in enumerate(after)
        ]
        differences = [difference(old, new) for (old, _), new in zip(changed, after, strict=True)]
        self.store.write(Batch(puts=puts, events=[self.stamp.event("update", self.namespace, differences)]))
        return after

    def _link(self, held: Sequence[Memory], added: Sequence[Memory]) -> None:
        """Turn to next turn, and facts to the turn they come from."""
        turns = [memory for memory in (*held[-1:], *added) if memory.granularity == "turn"]
        for why, links in (("one turn after another", temporal(turns)), ("taken from that turn", sources(added))):
            if links:
                detail = {"linked": [[link.a, link.b, link.kind] for link in links], "why": why, "automatic": True}
                event = self.stamp.event("link", self.namespace, detail=detail)
                self.store.write(Batch(links=links, events=[event]))

    def _backfill(self, held: Sequence[Memory], added: Sequence[Memory]) -> None:
        """What the user said next belongs to the views of the round before it."""
        fresh = [memory for memory in added if memory.granularity == "turn"]
        if self._record != "turn" or not held or not fresh:
            return
        last = [memory for memory in held if memory.metadata.get("round") == held[-1].metadata.get("round")]
        facts = self._facts_of({memory.turn or 0 for memory in last})
        views = records.turn_views([*last, fresh[0]], facts)
        wanted = [{"full": (memory.text,), **views[memory.id]} for memory in last]
        made = embed(self.store, self.embedder, wanted)
        if made is not None:
            self.store.write(Batch(puts=[Put(memory=m, vectors=v) for m, v in zip(last, made, strict=True)]))

    def _facts_of(self, numbers: set[int]) -> dict[int, list[records.Said]]:
        within = Filter(namespaces=(self.namespace,), session_id=self.session_id, granularities=("fact",))
        found: dict[int, list[records.Said]] = {}
        for fact in self.store.scan(within, order="id"):
            if fact.turn in numbers and fact.turn is not None:
                found.setdefault(fact.turn, []).append((fact.text, tuple(fact.metadata.get("facets", ()))))
        return found


def _place(memory: Memory) -> tuple[str, int | None]:
    return memory.granularity, memory.turn


def _turn(memory: Memory) -> Turn:
    prefix = f"{memory.role}: "
    return Turn(
        role=memory.role or "user",
        text=memory.text.removeprefix(prefix),
        at=memory.happened_at,
        number=memory.turn or 0,
        round=int(memory.metadata.get("round", 0)),
    )


def _offset(held: Sequence[str], said: Sequence[str]) -> int:
    """Where in the held conversation these turns begin: at the start (the same session again, perhaps longer or
    edited), somewhere inside (a window of it), or after its end (what came next)."""
    if any(one == other for one, other in zip(held, said, strict=False)):
        return 0
    for start in range(1, len(held)):
        overlap = held[start:]
        if overlap == said[: len(overlap)]:
            return start
    return len(held)
