"""Embedders without a model, for timing. What they take is counted, so that it can be left out."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from ...embedders.hashing import Hashing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ...embedders.protocol import Embedder, Vectors

DIM = 384
COMMON = 0.6
"""Weight of the part that all vectors share. Real embedders give unrelated texts a cosine well above 0."""
_TABLE = 1 << 14


class Dense:
    """A random direction for each word, summed, plus one that all texts share. Texts with the same words are near to
    each other, and near-copies are very near, as with a real model."""

    name, fingerprint, dim = "speed-dense", "speed-dense-1", DIM

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        table = _directions()
        held = np.empty((len(texts), DIM), np.float32)
        for row, text in zip(held, texts, strict=True):
            words = text.split()
            row[:] = table[[_place(word) for word in words]].T @ [_weight(word) for word in words]
        held /= np.maximum(np.linalg.norm(held, axis=1, keepdims=True), 1e-9)
        held += COMMON * table[0]
        held /= np.linalg.norm(held, axis=1, keepdims=True)
        return held


@lru_cache(maxsize=1)
def _directions() -> NDArray[np.float32]:
    import numpy as np

    made = np.random.default_rng(21).standard_normal((_TABLE, DIM), dtype=np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    return made


@lru_cache(maxsize=200_000)
def _place(word: str) -> int:
    return int.from_bytes(blake2b(word.lower().strip(",.:;?").encode(), digest_size=4).digest()) % (_TABLE - 1) + 1


def _weight(word: str) -> float:
    """Names and numbers say more than short and usual words."""
    if word[0].isupper() or word[0].isdigit():
        return 1.5
    return 0.3 if len(word) < 5 else 0.8


class Sparse(Hashing):
    """Most numbers of a vector are 0."""

    name, fingerprint = "speed-sparse", "speed-sparse-1"


class Counted:
    """An embedder that counts the time it takes."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.name, self.fingerprint, self.dim = inner.name, inner.fingerprint, inner.dim
        self.seconds = self.cpu_seconds = 0.0

    def embed(self, texts: Sequence[str]) -> Vectors:
        with self._counting():
            return self._inner.embed(texts)

    @contextmanager
    def _counting(self) -> Iterator[None]:
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            yield
        finally:
            self.seconds += time.perf_counter() - wall
            self.cpu_seconds += time.process_time() - cpu


def embedder(kind: str) -> Counted:
    return Counted(Sparse() if kind == "sparse" else Dense())
