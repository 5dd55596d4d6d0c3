"""Vectors for memories that lack them, or new ones from another embedder."""

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


class _Strict(OptionalEmbedder):
    """Whoever asks for vectors wants to know when there are none."""

    def vectors(self, texts: Sequence[str]) -> Vectors:
        return self.embedder.embed(texts)


def reembed(store: Store, embedder: Embedder, *, anew: bool, advance: Callable[[int], None]) -> int:
    """Fills in what is missing, with every view, and the words as they are analysed today; `anew` drops all vectors
    first. Can be stopped and taken up again."""
    strict = _Strict(embedder)
    if anew:
        embedder.embed(["a first try, before anything is dropped", "试一试"])
        with store.transaction():
            store.drop_vectors()
            set_embedder(store, embedder.name, embedder.fingerprint)
    done = 0
    while memories := store.scan(Filter(lacks_view=FULL), order="id", limit=BATCH):
        made = rebuild(store, strict, memories, words=True)
        with store.transaction():
            puts = _as_held(made, store.get([memory.id for memory in memories]))
            write(store, strict, Batch(puts=puts))
        done += len(puts)
        advance(len(puts))
    return done


def _as_held(made: Sequence[Put], held: Mapping[str, Memory]) -> list[Put]:
    """What another process changed meanwhile is left out: it still lacks its vector and comes round again."""
    now = [(put, held[put.memory.id]) for put in made if put.memory.id in held]
    return [
        replace(put, memory=memory)
        for put, memory in now
        if all(getattr(memory, name) == getattr(put.memory, name) for name in FIELDS)
    ]


def change_over(store: Store, embedder: Embedder, *, show: bool) -> int:
    """Fills in what is missing when the store has this embedder already; otherwise makes all vectors anew."""
    held = setting(store, FINGERPRINT)
    anew = held is not None and embedder.fingerprint != held
    counts = store.counts(())
    with progress("embedding", counts.memories if anew else counts.without_vector, show) as advance:
        return reembed(store, embedder, anew=anew, advance=advance)
