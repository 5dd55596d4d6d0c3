"""Builds the views of stored memories again, from the stored rows and links.

The result is the same as that of `ingest`. So an edit, an import and a new embedder all lead to the same vectors.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import groupby

from ...embedders.optional import OptionalEmbedder
from ...store.protocol import Store
from ...store.values import Batch, Put
from ...types import Filter, Granularity, Memory
from ..conversations import records
from .embed import FULL, embed
from .put import write
from .words import document

Said = dict[str, list[records.Said]]


def rebuild(store: Store, embedder: OptionalEmbedder, memories: Sequence[Memory], *, words: bool = False) -> list[Put]:
    """Puts with the current views of stored memories; with `words`, also with their terms, analysed again."""
    tenants = [memory.tenant for memory in memories]
    made = embed(store, embedder, list(zip(tenants, views_of(store, memories), strict=True))) or [{} for _ in memories]
    return [
        Put(memory=memory, document=document(memory) if words else None, vectors=vectors)
        for memory, vectors in zip(memories, made, strict=True)
    ]


def refresh(store: Store, embedder: OptionalEmbedder, ids: Collection[str]) -> None:
    """Builds the views of these stored memories again and writes them."""
    if ids:
        held = list(store.get(ids).values())
        write(store, embedder, Batch(puts=rebuild(store, embedder, held)))


def views_of(store: Store, memories: Sequence[Memory]) -> list[records.Views]:
    """For each memory: view → the texts it is the mean of."""
    found: dict[str, records.Views] = {}
    for granularity, derive in _DERIVED.items():
        for (namespace, session), members in _by_session(memories, granularity):
            held = _session(store, namespace, session, granularity)
            found |= derive(store, held, {memory.id for memory in members})
    return [{FULL: (memory.text,)} | found.get(memory.id, {}) for memory in memories]


def around(store: Store, memories: Sequence[Memory]) -> list[str]:
    """The ids of the given memories that belong to a conversation, and of all records whose views depend on them."""
    linked = [link for link in store.links([memory.id for memory in memories]) if link.kind == "extends"]
    found = {memory.id: memory for memory in memories if memory.session_id is not None}
    found |= store.get({end for link in linked for end in (link.a, link.b)})
    for granularity in ("turn", "round", "session"):
        for (namespace, session), members in _by_session(memories, granularity):
            held = _session(store, namespace, session, granularity)
            found |= {beside.id: beside for beside in _beside(held, members)}
    own = {memory.id for memory in memories}
    return sorted(id for id, memory in found.items() if id in own or records.is_record(memory))


def _beside(held: Sequence[Memory], memories: Sequence[Memory]) -> list[Memory]:
    """The records of their rounds and the two rounds before each. Their views can contain a text of the following
    round. All memories are of one granularity."""
    by_round = memories[0].granularity == "turn"
    rounds = [list(some) for _, some in groupby(held, key=records.round_of if by_round else _id)]
    ends = [members[-1].turn or 0 for members in rounds]
    own = {bisect_left(ends, memory.turn or 0) for memory in memories}
    near = {n for last in own for n in range(max(0, last - 2), last + 1)}
    return [beside for n in sorted(near) if n < len(rounds) for beside in rounds[n]]


def _id(memory: Memory) -> str:
    return memory.id


def _by_session(memories: Iterable[Memory], granularity: str) -> Iterable[tuple[tuple[str, str], list[Memory]]]:
    inside = [m for m in memories if m.granularity == granularity and m.session_id is not None]
    ordered = sorted(inside, key=_session_of)
    return [(key, list(members)) for key, members in groupby(ordered, key=_session_of)]


def _session_of(memory: Memory) -> tuple[str, str]:
    return memory.namespace, memory.session_id or ""


def _session(store: Store, namespace: str, session_id: str, granularity: Granularity) -> list[Memory]:
    within = Filter(namespaces=(namespace,), exact=True, session_id=session_id, granularities=(granularity,))
    return in_order(memory for memory in store.scan(within, order="id") if records.is_record(memory))


def in_order(memories: Iterable[Memory]) -> list[Memory]:
    return sorted(memories, key=lambda memory: (memory.turn or 0, memory.id))


def _of_turns(store: Store, held: Sequence[Memory], wanted: set[str]) -> dict[str, records.Views]:
    views = records.turn_views(held, stated_in(store, wanted))
    return {id: views[id] for id in wanted if id in views}


def stated_in(store: Store, turns: Collection[str]) -> Said:
    """Turn id → the facts extracted from it, including facts that were first extracted from another turn."""
    taken = [(link.a, link.b) for link in store.links(turns) if link.kind == "extends" and link.b in turns]
    held = store.get({id for pair in taken for id in pair})
    found: Said = {}
    for id, turn in taken:
        fact = held.get(id)
        if fact is not None and fact.granularity in ("fact", "memory"):
            text = records.meant(fact.text, held[turn].text)
            found.setdefault(turn, []).append((text, _facets(fact)))
    return found


def _facets(fact: Memory) -> tuple[str, ...]:
    """The facets of a fact. For a plain memory, the rules derive them from its text."""
    if fact.granularity == "fact":
        return tuple(fact.metadata.get("facets", ()))
    from ...extractors.rules import extract

    return tuple(facet for statement in extract(fact.text) for facet in statement.facets)


def _of_facts(store: Store, held: Sequence[Memory], wanted: set[str]) -> dict[str, records.Views]:
    """The views of facts. A fact that is linked to its turn may use the turn's vector (see `records.meant`)."""
    if not held:
        return {}
    turns = {turn.turn: turn for turn in _session(store, *_session_of(held[0]), "turn")}
    linked = {(link.a, link.b) for link in store.links(wanted) if link.kind == "extends"}
    taken = [(fact, turns[fact.turn]) for fact in held if fact.id in wanted and fact.turn in turns]
    return {
        fact.id: {FULL: (records.meant(fact.text, turn.text),)} for fact, turn in taken if (fact.id, turn.id) in linked
    }


def _of_wholes(store: Store, held: Sequence[Memory], wanted: set[str]) -> dict[str, records.Views]:
    """The views of rounds and sessions. Their facts are not stored, so the rules extract them again."""
    from ...extractors.rules import Rules

    found = {}
    spoken = [records.said_in(memory) for memory in held]
    for memory, turns, after in zip(held, spoken, [*spoken[1:], None], strict=False):
        if memory.id in wanted and records.is_whole(memory):
            stated = records.facts(turns, Rules(), [turn.number for turn in turns])
            said = records.said(statement for found_in in stated.values() for statement in found_in)
            found[memory.id] = records.whole_views(turns, said, after)
    return found


_DERIVED: Mapping[Granularity, Callable[[Store, Sequence[Memory], set[str]], dict[str, records.Views]]] = {
    "turn": _of_turns,
    "fact": _of_facts,
    "round": _of_wholes,
    "session": _of_wholes,
}
