"""Vectors for memories that lack them, or new ones from another embedder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..embedders.optional import OptionalEmbedder
from ..embedders.protocol import Embedder
from ..progress import progress
from ..store.protocol import Batch, Put, Store
from ..write.build.embed import FULL, embed
from ..write.build.views import views_of
from ..write.build.words import document
from ..write.path import BATCH, remember_embedder

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
            store.set_setting("embedder", embedder.name)
            store.set_setting("fingerprint", embedder.fingerprint)
    done = 0
    while memories := store.without_vectors(FULL, BATCH):
        views = embed(store, strict, views_of(store, memories)) or []
        with store.transaction():
            remember_embedder(store, strict)
            held = store.get([memory.id for memory in memories])
            puts = [
                Put(memory=held[memory.id], document=document(held[memory.id]), vectors=made)
                for memory, made in zip(memories, views, strict=True)
                # what another process changed meanwhile comes round again
                if memory.id in held and held[memory.id].text == memory.text
            ]
            store.write(Batch(puts=puts))
        done += len(puts)
        advance(len(puts))
    return done


def change_over(store: Store, embedder: Embedder, *, show: bool) -> int:
    """Fills in what is missing when the store has this embedder already; otherwise makes all vectors anew."""
    held = store.setting("fingerprint")
    anew = held is not None and embedder.fingerprint != held
    counts = store.counts(())
    with progress("embedding", counts.memories if anew else counts.without_vector, show) as advance:
        return reembed(store, embedder, anew=anew, advance=advance)
