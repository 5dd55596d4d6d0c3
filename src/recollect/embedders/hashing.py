"""A deterministic embedder without a model: signed feature hashing, for tests and offline use.

Weinberger et al. 2009, "Feature Hashing for Large Scale Multitask Learning": every feature adds
+1 or -1 to one slot. The features are words and the character trigrams of each padded word.
Near-duplicates share most of their features, unrelated texts share few.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .protocol import Vectors

DIM = 256  # a power of two: the slot is the low bits of the hash
WORD_WEIGHT = 2  # integers, so that sums are exact and a row does not depend on its batch
TRIGRAM_WEIGHT = 1
BATCH = 1024  # limits the memory used; does not change the result

_WORD = re.compile(r"\w+")
_SPACE = ord(" ")
# The multipliers of splitmix64 (Steele, Lea and Flood 2014) and its increment.
_MIX_1 = 0xBF58476D1CE4E5B9
_MIX_2 = 0x94D049BB133111EB
_STEP = 0x9E3779B97F4A7C15


class Hashing:
    name = "hashing"
    fingerprint = f"hashing-1-{DIM}"
    dim = DIM

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        rows = [_embed_batch(batch) for batch in _batches(texts)]
        return np.concatenate(rows) if rows else np.empty((0, DIM), np.float32)


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    return (texts[start : start + BATCH] for start in range(0, len(texts), BATCH))


def _embed_batch(texts: Sequence[str]) -> Vectors:
    import numpy as np

    padded = [_padded_words(text) for text in texts]
    chars = np.frombuffer("".join(padded).encode("utf-32-le", "replace"), np.uint32).astype(np.uint64)
    row_of_char = np.repeat(np.arange(len(texts)), [len(text) for text in padded])
    sums = np.zeros(len(texts) * DIM)
    for hashes, at, weight in (_trigrams(chars), _words(chars)):
        slots = row_of_char[at] * DIM + (hashes % np.uint64(DIM)).astype(np.int64)
        signs = np.where(hashes >> np.uint64(63), weight, -weight)
        sums += np.bincount(slots, weights=signs, minlength=len(sums))
    return _unit_rows(sums.reshape(len(texts), DIM))


def _padded_words(text: str) -> str:
    """Lower-cased words with one space before each and after the last."""
    return f" {' '.join(_WORD.findall(text.lower()))} "


def _trigrams(chars: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64], int]:
    """Hash, place and weight of each trigram; one with a space in the middle spans two words."""
    import numpy as np

    at = np.flatnonzero(chars[1:-1] != _SPACE)
    # A code point needs 21 bits, so three fill a 64-bit integer without colliding.
    packed = chars[at] | chars[at + 1] << np.uint64(21) | chars[at + 2] << np.uint64(42)
    return _mix(packed), at, TRIGRAM_WEIGHT


def _words(chars: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64], int]:
    """Hash, place and weight of each word."""
    import numpy as np

    spaces = chars == _SPACE
    starts = np.flatnonzero(spaces[:-1] & ~spaces[1:])
    if not len(starts):
        return np.empty(0, np.uint64), starts, WORD_WEIGHT
    last_space = np.maximum.accumulate(np.where(spaces, np.arange(len(chars)), 0))
    offsets = (np.arange(len(chars)) - last_space).astype(np.uint64)
    letters = np.where(spaces, np.uint64(0), _mix(chars + (offsets << np.uint64(21))))
    return _mix(np.add.reduceat(letters, starts)), starts, WORD_WEIGHT


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """splitmix64's finaliser: every input bit reaches every output bit."""
    import numpy as np

    mixed = values + np.uint64(_STEP)
    mixed = (mixed ^ mixed >> np.uint64(30)) * np.uint64(_MIX_1)
    mixed = (mixed ^ mixed >> np.uint64(27)) * np.uint64(_MIX_2)
    return mixed ^ mixed >> np.uint64(31)


def _unit_rows(sums: NDArray[np.float64]) -> Vectors:
    """Rows of length 1. A row without features, or whose features cancel out, becomes the first axis."""
    import numpy as np

    sums[~sums.any(axis=1), 0] = 1.0
    rows: Vectors = (sums / np.linalg.norm(sums, axis=1, keepdims=True)).astype(np.float32)
    return rows
