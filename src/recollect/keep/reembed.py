"""Adds missing vectors, or replaces all vectors by those of another embedder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..embedders.optional import OptionalEmbedder
from ..embedders.protocol import Embedder
from ..progress import progress
from ..store.protocol import Store
from ..store.settings import FINGERPRINT, set_embedder, setting
from ..store.values import Batch, Put
from ..types import FIELDS, Filter, Memory
from ..write.build.embed import FULL
from ..write.build.put import write
from ..write.build.views import rebuild
from ..write.path import BATCH

if TYPE_CHECKING:
    from ..embedders.protocol import Vectors


class Strict(OptionalEmbedder):
    """An embedder that raises an error if there is no model, instead of returning no vectors."""

    def vectors(self, texts: Sequence[str]) -> Vectors:
        return self.embedder.embed(texts)


def reembed(store: Store, embedder: Embedder, *, anew: bool, advance: Callable[[int], None]) -> int:
    """Embeds memories that lack a vector, in every view, and analyses their words again. `anew` drops all vectors
    first. It can be interrupted and continued later."""
    strict = Strict(embedder)
    if anew:
        embedder.embed(["a first try, before anything is dropped", "试一试"])
        with store.transaction():
            store.drop_vectors()
            set_embedder(store, embedder.name, embedder.fingerprint)
    done = 0
    while memories := store.scan(Filter(lacks_view=FULL), order="id", limit=BATCH):
        made = rebuild(store, strict, memories, words=True)
        with store.transaction():
            puts = as_held(made, store.get([memory.id for memory in memories]))
            write(store, strict, Batch(puts=puts))
        done += len(puts)
        advance(len(puts))
    return done


def as_held(made: Sequence[Put], held: Mapping[str, Memory]) -> list[Put]:
    """Drops the puts of memories that another process changed meanwhile. They still lack a vector, so the next pass
    embeds them."""
    now = [(put, held[put.memory.id]) for put in made if put.memory.id in held]
    return [
        replace(put, memory=memory)
        for put, memory in now
        if all(getattr(memory, name) == getattr(put.memory, name) for name in FIELDS)
    ]


def change_over(store: Store, embedder: Embedder, *, show: bool) -> int:
    """Adds missing vectors if the store already uses this embedder. Otherwise replaces all vectors."""
    held = setting(store, FINGERPRINT)
    anew = held is not None and embedder.fingerprint != held
    counts = store.counts(())
    with progress("embedding", counts.memories if anew else counts.without_vector, show) as advance:
        return reembed(store, embedder, anew=anew, advance=advance)
