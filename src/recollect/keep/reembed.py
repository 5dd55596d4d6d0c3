"""Vectors for memories that lack them, or new ones from another embedder."""

from __future__ import annotations

from collections.abc import Callable

from ..embedders.lenient import Lenient
from ..embedders.protocol import Embedder
from ..store.protocol import Batch, Embedded, Put, Store
from ..write.embed import FULL
from ..write.path import BATCH, remember_embedder


def reembed(store: Store, embedder: Embedder, *, anew: bool, advance: Callable[[int], None]) -> int:
    """Fills in what is missing; `anew` drops all vectors first. Can be stopped and taken up again."""
    strict = Lenient(embedder)
    if anew:
        embedder.embed(["a first try, before anything is dropped"])
        with store.transaction():
            store.drop_vectors()
            store.set_setting("embedder", embedder.name)
            store.set_setting("fingerprint", embedder.fingerprint)
    done = 0
    while memories := store.without_vectors(FULL, BATCH):
        vectors = embedder.embed([memory.text for memory in memories])
        with store.transaction():
            remember_embedder(store, strict)
            held = store.get([memory.id for memory in memories])
            puts = [
                Put(memory=held[memory.id], vectors={FULL: Embedded(hash=strict.hash(memory.text), vector=vector)})
                for memory, vector in zip(memories, vectors, strict=True)
                # what another process changed meanwhile comes round again
                if memory.id in held and held[memory.id].text == memory.text
            ]
            store.write(Batch(puts=puts))
        done += len(puts)
        advance(len(puts))
    return done
