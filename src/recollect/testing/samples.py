"""Memories, puts and vectors to test a store with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from ..ids import digest, new_id
from ..store.protocol import Store
from ..store.values import Batch, Embedded, Put
from ..types import Change, Event, Filter, Memory, Statistics
from ..write.build.words import document

if TYPE_CHECKING:
    from ..types import Vector

START = datetime(2024, 1, 1, 12, tzinfo=UTC)
VIEW = "full"
DIM = 16
ALL_FIELDS = {"gist": 1.0, "text": 1.0, "entities": 1.0, "tags": 1.0}


def moment(minutes: float) -> datetime:
    return START + timedelta(minutes=minutes)


def memory(n: int, text: str = "", **fields: Any) -> Memory:  # noqa: ANN401 - a memory's fields
    """The n-th memory: its id and its age go by n."""
    values = {"created_at": moment(n), **fields}
    return Memory(id=f"00000000-0000-7000-8000-{n:012d}", text=text or f"common number {n}", **values)


def put(memory: Memory, vector: Vector | None = None) -> Put:
    """As the write path would make it; without a vector there is none."""
    views = {} if vector is None else {VIEW: Embedded(hash=digest(memory.text + memory.id), vector=vector)}
    return Put(memory=memory, document=document(memory), digest=digest(memory.text), vectors=views)


def axis(n: int, towards: int = 0, share: float = 0.0) -> Vector:
    """The unit vector along one axis, turned a share of the way towards another."""
    import numpy as np

    made = np.zeros(DIM, np.float32)
    made[n] += 1 - share
    made[towards] += share
    found: Vector = made / np.linalg.norm(made)
    return found


def fan(n: int, of: int) -> Vector:
    """The n-th of several unit vectors, each further from `axis(0)` than the one before."""
    import numpy as np

    angle = n / of * np.pi / 2
    found: Vector = (axis(0) * np.cos(angle) + axis(1) * np.sin(angle)).astype(np.float32)
    return found


def event(action: str = "test", *changes: Change, **fields: Any) -> Event:  # noqa: ANN401 - an event's fields
    values = {"id": new_id(), "at": START, "actor": "tester", "namespace": "default", **fields}
    return Event(action=action, changes=changes, **values)


def fill(store: Store, memories: Iterable[Memory]) -> list[Memory]:
    """Stores them, the n-th with the n-th vector of a fan."""
    listed = list(memories)
    store.write(Batch(puts=[put(m, fan(n, len(listed))) for n, m in enumerate(listed)]))
    return listed


def found_by_text(store: Store, words: Iterable[str], filter: Filter | None = None, limit: int = 10_000) -> set[str]:
    found = store.search_text(tuple(words), (), filter or Filter(), match="any", fields=ALL_FIELDS, limit=limit)
    return {posting.memory_id for posting in found.postings}


def vectors(store: Store, ids: Iterable[str], view: str = VIEW) -> dict[str, Vector]:
    return store.fetch(list(ids), view=view).vectors


def statistics(store: Store, terms: Sequence[str]) -> Statistics:
    """What the store says about the corpora in which one of these terms occurs."""
    corpora = store.search_text(terms, (), Filter(), match="any", fields=ALL_FIELDS, limit=10_000).corpora
    return {pair: corpus for pair, corpus in corpora.items() if corpus.document_frequencies}


def everywhere(store: Store, ids: Iterable[str], word: str, filter: Filter) -> dict[str, set[str]]:
    """The same filter through every way of reading; each should give the same memories."""
    import numpy as np

    query = axis(0)
    return {
        "get": set(store.get(ids, filter)),
        "scan": {m.id for m in store.scan(filter)},
        "search_text": found_by_text(store, [word], filter),
        "search_vector": {id for id, _ in store.search_vector(query, VIEW, filter, limit=10_000)},
        "similar": {id for id, _ in store.similar(np.stack([query]), VIEW, filter, at_least=-1.0)[0]},
    }
