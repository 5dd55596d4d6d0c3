"""The views of memories that are stored: what ingesting gave them, worked out again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import groupby

from ...embedders.optional import OptionalEmbedder
from ...store.protocol import Store
from ...store.values import Batch, Put
from ...types import Filter, Granularity, Memory
from ..conversations import records
from .embed import FULL, embed

Said = dict[str, list[records.Said]]


def views_of(store: Store, memories: Sequence[Memory]) -> list[records.Views]:
    """For each memory its views, each with the texts it is the mean of."""
    found: dict[str, records.Views] = {}
    for granularity, derive in _DERIVED.items():
        for (namespace, session), members in _by_session(memories, granularity):
            held = _session(store, namespace, session, granularity)
            found |= derive(store, held, {memory.id for memory in members})
    return [{FULL: (memory.text,)} | found.get(memory.id, {}) for memory in memories]


def refresh(store: Store, embedder: OptionalEmbedder, memories: Sequence[Memory]) -> None:
    """Gives stored memories the views they should have by now."""
    if not memories:
        return
    made = embed(store, embedder, views_of(store, memories))
    vectors = made or [{} for _ in memories]
    store.write(Batch(puts=[Put(memory=m, vectors=v) for m, v in zip(memories, vectors, strict=True)]))


def _by_session(memories: Iterable[Memory], granularity: str) -> Iterable[tuple[tuple[str, str], list[Memory]]]:
    inside = [m for m in memories if m.granularity == granularity and m.session_id is not None]
    ordered = sorted(inside, key=_session_of)
    return [(key, list(members)) for key, members in groupby(ordered, key=_session_of)]


def _session_of(memory: Memory) -> tuple[str, str]:
    return memory.namespace, memory.session_id or ""


def _session(store: Store, namespace: str, session_id: str, granularity: Granularity) -> list[Memory]:
    within = Filter(namespaces=(namespace,), exact=True, session_id=session_id, granularities=(granularity,))
    return in_order(store.scan(within, order="id"))


def in_order(memories: Iterable[Memory]) -> list[Memory]:
    return sorted(memories, key=lambda memory: (memory.turn or 0, memory.id))


def _of_turns(store: Store, held: Sequence[Memory], wanted: set[str]) -> dict[str, records.Views]:
    views = records.turn_views(held, stated_in(store, wanted))
    return {id: views[id] for id in wanted if id in views}


def stated_in(store: Store, turns: Collection[str]) -> Said:
    """Turn id → the facts taken from it, also those that are kept with another turn that said the same."""
    taken = [(link.a, link.b) for link in store.links(turns) if link.kind == "extends" and link.b in turns]
    held = store.get({id for pair in taken for id in pair})
    found: Said = {}
    for id, turn in taken:
        fact = held.get(id)
        if fact is not None and fact.granularity == "fact" and fact.status != "forgotten":
            text = records.meant(fact.text, held[turn].text)
            found.setdefault(turn, []).append((text, tuple(fact.metadata.get("facets", ()))))
    return found


def _of_facts(store: Store, held: Sequence[Memory], wanted: set[str]) -> dict[str, records.Views]:
    taken = [link for link in store.links(wanted) if link.kind == "extends" and link.a in wanted]
    turns = store.get({link.b for link in taken})
    texts = {memory.id: memory.text for memory in held}
    return {
        link.a: {FULL: (records.meant(texts[link.a], turns[link.b].text),)}
        for link in sorted(taken, key=lambda link: link.b, reverse=True)  # of several turns the first counts
        if link.b in turns and turns[link.b].granularity == "turn" and link.a in texts
    }


def _of_wholes(store: Store, held: Sequence[Memory], wanted: set[str]) -> dict[str, records.Views]:
    """The facts of a whole record are not stored: the rules read it again."""
    from ...extractors.rules import Rules

    found = {}
    spoken = [records.said_in(memory) for memory in held]
    for memory, turns, after in zip(held, spoken, [*spoken[1:], None], strict=True):
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
