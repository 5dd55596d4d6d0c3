"""Sketches of vectors: the signs of their random projections, one bit each. The share of bits in which two sketches
differ is about the angle between the vectors / π.

The projections mix all dimensions (a Hadamard matrix with random signs), so sparse vectors have useful signs too.
Sketches are stored: neither the matrix nor its signs may change.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from hashlib import shake_128
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]
Bits: TypeAlias = NDArray[np.uint8]
_LEAST, _MOST = 64, 1_024
"""The fewest and the most bits of a sketch."""
_HALF_BITS = np.int32(-(1 << 31) | 0x0FFFE000)
HALF_SCALE = np.float32(2.0**112)

K = TypeVar("K", bytes, int)


def sketches(vectors: Floats) -> Bits:
    """One row of packed bits for each vector."""
    if len(vectors) == 1:
        return np.packbits(np.vecdot(_directions(vectors.shape[1]), vectors[0]) > 0)[None]
    return np.packbits(_projections(vectors) > 0, axis=0).T.copy()


def _projections(vectors: Floats) -> Floats:
    """The product of `_directions` and the vectors, by the fast Walsh-Hadamard transform. A matrix product would start
    BLAS's threads, which wait by spinning and slow the writer down."""
    number, dim = vectors.shape
    width = max(1 << (dim - 1).bit_length(), _LEAST)
    held = np.zeros((width, number), np.float32)
    held[:dim] = np.where(_negative(dim)[:, None], -vectors.T, vectors.T)
    step = 1
    while step < width:
        pairs = held.reshape(-1, 2, step, number)
        held = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1)
        step *= 2
    return held.reshape(width, number)[:_MOST]


def sketched(vectors: Mapping[K, bytes]) -> dict[K, bytes]:
    """The same keys, with the sketches of the stored vectors."""
    made: dict[K, bytes] = {}
    for size in {len(data) for data in vectors.values()}:
        alike = {key: data for key, data in vectors.items() if len(data) == size}
        halves = np.frombuffer(b"".join(alike.values()), np.float16).reshape(len(alike), -1)
        made |= {key: row.tobytes() for key, row in zip(alike, sketches(floats(halves)), strict=True)}
    return made


@lru_cache(maxsize=4)
def _directions(dim: int) -> Floats:
    """The directions of the projections, one row each."""
    count = min(max(1 << (dim - 1).bit_length(), _LEAST), _MOST)
    odd = np.bitwise_count(np.arange(count)[:, None] & np.arange(dim)) & 1
    return np.where(odd ^ _negative(dim), np.float32(-1), np.float32(1))


def _negative(dim: int) -> NDArray[np.uint8]:
    """1 for dimensions whose sign is turned. The same for ever, unlike numpy's random numbers."""
    return np.unpackbits(np.frombuffer(shake_128(b"sketch").digest(dim // 8 + 1), np.uint8))[:dim]


def floats(halves: NDArray[np.float16]) -> Floats:
    """The same numbers as float32. numpy converts one by one: this takes a sixth of the time. Sign, exponent and
    fraction are moved to their places in a float32; the product corrects the exponent, also of the smallest numbers."""
    found = unscaled(halves.view(np.int16), np.empty(halves.shape, np.int32))
    found *= HALF_SCALE
    return found


def unscaled(halves: NDArray[np.int16], into: NDArray[np.int32]) -> Floats:
    """The same, without the last product: all numbers are HALF_SCALE, a power of two, times too small. `halves` are the
    bits of float16 numbers."""
    np.left_shift(halves, 13, out=into, dtype=np.int32)
    np.bitwise_and(into, _HALF_BITS, out=into)
    return into.view(np.float32)
