"""Texts to vectors, each text once: what the store has, what the batch repeats and what views share is not
embedded again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

from ...embedders.optional import OptionalEmbedder
from ...store.protocol import Store
from ...store.values import Embedded

if TYPE_CHECKING:
    from ...types import Vector

FULL = "full"
"""The view of a memory's whole text."""


def embed(
    store: Store, embedder: OptionalEmbedder, wanted: Sequence[Mapping[str, tuple[str, ...]]]
) -> list[dict[str, Embedded]] | None:
    """For each memory its views, a view being the mean of its texts; None when there is no model."""
    texts = list(dict.fromkeys(text for views in wanted for parts in views.values() for text in parts))
    hashes = {text: embedder.hash(text) for text in texts}
    known = store.vectors_by_hash(hashes.values())
    fresh = [text for text in texts if hashes[text] not in known]
    made = embedder.vectors(fresh) if fresh else ()
    if made is None:
        return None
    known |= {hashes[text]: vector for text, vector in zip(fresh, made, strict=True)}
    return [{name: _view([hashes[text] for text in parts], known) for name, parts in views.items()} for views in wanted]


def _view(hashes: Sequence[bytes], known: Mapping[bytes, Vector]) -> Embedded:
    if len(hashes) == 1:
        return Embedded(hash=hashes[0], vector=known[hashes[0]])
    return Embedded(hash=blake2b(b"".join(hashes), digest_size=16).digest(), vector=mean([known[h] for h in hashes]))


def mean(vectors: Sequence[Vector]) -> Vector:
    """The unit vector in the middle."""
    import numpy as np

    middle: Vector = np.stack(vectors).mean(axis=0, dtype=np.float32)
    length = float(np.linalg.norm(middle))
    return (middle / length).astype(np.float32) if length else vectors[0]
