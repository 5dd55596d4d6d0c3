"""Postings as columns, so that all of them are scored at once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, compress
from typing import TYPE_CHECKING, overload

from .memory import FIELDS
from .query import Posting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The postings of some memories of one tenant and granularity."""

    tenant: str
    granularity: str
    ids: Sequence[str]
    terms: Sequence[str]
    counts: NDArray[np.uint32]
    """Field, term and memory → how often the term occurs. The fields are in the order of FIELDS."""
    lengths: NDArray[np.int64]
    """Field and memory → number of terms."""

    def held(self, n: int) -> list[str]:
        """The terms that the n-th memory has."""
        most: list[int] = self.counts[:, :, n].max(axis=0).tolist()
        return list(compress(self.terms, most))

    def posting(self, n: int) -> Posting:
        """The posting of the n-th memory."""
        own, sizes = self.counts[:, :, n].tolist(), self.lengths[:, n].tolist()
        held = {
            name: {term: count for term, count in zip(self.terms, counts, strict=True) if count}
            for name, counts in zip(FIELDS, own, strict=True)
        }
        return Posting(
            memory_id=self.ids[n],
            tenant=self.tenant,
            granularity=self.granularity,
            frequencies={name: counts for name, counts in held.items() if counts},
            lengths={name: size for name, size in zip(FIELDS, sizes, strict=True) if size},
        )


class Postings(Sequence[Posting]):
    """The postings of several blocks. Each is made when it is asked for."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.blocks = blocks
        self.ids = [memory_id for block in blocks for memory_id in block.ids]
        self._starts = [*accumulate((len(block.ids) for block in blocks), initial=0)]

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, at: int) -> Posting: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Posting]: ...
    def __getitem__(self, at: int | slice) -> Posting | Sequence[Posting]:
        if isinstance(at, slice):
            return [self[n] for n in range(*at.indices(len(self)))]
        block, n = self.place(range(len(self))[at])
        return block.posting(n)

    def place(self, at: int) -> tuple[Block, int]:
        """The block of the memory at a place, and its place there."""
        number = bisect_right(self._starts, at) - 1
        return self.blocks[number], at - self._starts[number]
