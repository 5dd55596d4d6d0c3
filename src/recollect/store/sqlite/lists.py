"""Posting lists in memory: those of a corpus's segments, read when a term is asked for, and those of the documents that
no segment holds yet.

Segments do not change, except that documents leave them, which changes their version. So what was read from the file
stays valid for as long as the versions are the same, whichever process wrote them.
"""

from __future__ import annotations

import math
from array import array
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import count
from operator import or_

import numpy as np
from numpy.typing import NDArray

from ...types import FIELDS
from ..top_k import Floats, Numbers, Places
from .connections import Database
from .postings import HEAD, HEAD_TYPES, LARGE, MASKS, SHIFTS, Lists, lengths, unsealed

_CACHE_BYTES = 64_000_000
_HEAD_BYTES = [array(kind).itemsize for kind in HEAD_TYPES]
_SHIFT_COLUMN = np.array(SHIFTS, np.uint32)[:, None, None]
_MASK_COLUMN = np.array(MASKS, np.uint32)[:, None, None]
_epochs = count()


@dataclass(frozen=True, slots=True)
class Coded:
    """A term's list: its documents, ascending, and its counts in them."""

    documents: Numbers
    codes: NDArray[np.uint16]
    large_at: NDArray[np.int64]
    """The places of the code LARGE."""
    large: NDArray[np.uint32]
    """The counts there, by field."""
    mixed: int
    """All codes, joined by OR. So no field has a higher count than this code says, but for those in `large`."""

    def most(self, weights: tuple[float, ...]) -> float:
        """No document has a higher weighted count."""
        return math.inf if len(self.large_at) else float(_weighted_codes(weights)[self.mixed])

    def weighted(self, weights: tuple[float, ...], at: Places) -> Floats:
        found = _weighted_codes(weights)[self.codes[at]]
        if len(self.large_at):
            counts = self.large @ np.array(weights)
            if isinstance(at, slice):
                found[self.large_at] = counts
            else:
                here = np.flatnonzero(self.codes[at] == LARGE)
                found[here] = counts[np.searchsorted(self.large_at, at[here])]
        return found

    @property
    def bytes(self) -> int:
        return self.documents.nbytes + self.codes.nbytes + self.large_at.nbytes + self.large.nbytes


@lru_cache(maxsize=16)
def _weighted_codes(weights: tuple[float, ...]) -> Floats:
    """Code → the weighted sum of its counts."""
    codes = np.arange(LARGE + 1)
    counts = [codes >> shift & mask for shift, mask in zip(SHIFTS, MASKS, strict=True)]
    found: Floats = np.sum([weight * held for weight, held in zip(weights, counts, strict=True)], axis=0, dtype=float)
    return found


def _coded(packed: NDArray[np.uint32], large: bytes, first: int = 0) -> Coded:
    codes = (packed & LARGE).astype(np.uint16)
    large_at = np.flatnonzero(codes == LARGE) if large else np.empty(0, np.int64)
    counts = np.frombuffer(large, np.uint32).reshape(-1, len(FIELDS))
    mixed = int(np.bitwise_or.reduce(codes))
    return Coded((packed >> 16).astype(np.int32) + np.int32(first), codes, large_at, counts, mixed)


NOWHERE = _coded(np.empty(0, np.uint32), b"")


def _joined(parts: Sequence[Coded]) -> Coded:
    if len(parts) == 1:
        return parts[0]
    starts = np.cumsum([0, *(len(part.documents) for part in parts)])
    return Coded(
        np.concatenate([part.documents for part in parts]),
        np.concatenate([part.codes for part in parts]),
        np.concatenate([part.large_at + start for part, start in zip(parts, starts, strict=False)]),
        np.concatenate([part.large for part in parts]),
        reduce(or_, (part.mixed for part in parts)),
    )


def counted(lists: Sequence[Coded], documents: Numbers) -> NDArray[np.uint32]:
    """Field, list and document → how often the term of the list occurs. The documents are ascending."""
    at = np.zeros((len(lists), len(documents)), np.int64)
    codes = np.zeros(at.shape, np.uint16)
    for coded, own, found in zip(lists, at, codes, strict=True):
        if len(coded.documents):
            own[:] = np.searchsorted(coded.documents, documents)
            here = coded.documents.take(own, mode="clip") == documents
            np.multiply(coded.codes.take(own, mode="clip"), here, out=found)
    counts: NDArray[np.uint32] = codes >> _SHIFT_COLUMN & _MASK_COLUMN
    for n, coded in enumerate(lists):
        if len(coded.large_at):
            here = np.flatnonzero(codes[n] == LARGE)
            counts[:, n, here] = coded.large[np.searchsorted(coded.large_at, at[n, here])].T
    return counts


class TermCache:
    """Lists that were read, up to a number of bytes. The one not used for the longest time is dropped first."""

    def __init__(self) -> None:
        self._held: OrderedDict[tuple[int, str], tuple[int, Coded]] = OrderedDict()
        self._bytes = 0

    def get(self, key: tuple[int, str]) -> tuple[int, Coded]:
        """The number of segments it is from, and the list."""
        if key not in self._held:
            return 0, NOWHERE
        self._held.move_to_end(key)
        return self._held[key]

    def set(self, key: tuple[int, str], segments: int, coded: Coded) -> None:
        _, old = self._held.pop(key, (0, NOWHERE))
        self._held[key] = segments, coded
        self._bytes += coded.bytes - old.bytes
        while self._bytes > _CACHE_BYTES and len(self._held) > 1:
            _, (_, dropped) = self._held.popitem(last=False)
            self._bytes -= dropped.bytes


class Documents:
    """Documents of one corpus, numbered from 0."""

    rows: NDArray[np.int64]
    sizes: NDArray[np.uint32]
    """For each document its length by field."""

    def __init__(self) -> None:
        self._forget_derived()

    def _forget_derived(self) -> None:
        self._sorted: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None
        """How to sort the rows, and the sorted rows."""
        self._lengths: dict[tuple[bool, ...], Floats] = {}
        self._shortest: dict[tuple[bool, ...], float] = {}

    @property
    def size(self) -> int:
        return len(self.rows)

    def lengths(self, searched: tuple[bool, ...]) -> Floats:
        """The length of each document over the searched fields."""
        if searched not in self._lengths:
            self._lengths[searched] = self.sizes[:, list(searched)].sum(axis=1, dtype=float)
        return self._lengths[searched]

    def shortest(self, searched: tuple[bool, ...]) -> float:
        """The length of the shortest document."""
        if searched not in self._shortest:
            self._shortest[searched] = float(self.lengths(searched).min(initial=math.inf))
        return self._shortest[searched]

    def numbers(self, rows: NDArray[np.int64]) -> Numbers:
        """The documents of these rows, ascending. If a row was written again, its last document."""
        if self._sorted is None:
            order = np.argsort(self.rows, kind="stable")
            self._sorted = order, self.rows[order]
        order, held = self._sorted
        at = np.searchsorted(held, rows, side="right") - 1
        found = order[at[(at >= 0) & (held[np.maximum(at, 0)] == rows)]] if len(held) else order
        return np.sort(found).astype(np.int32)


class Sealed(Documents):
    """The documents in the segments of a corpus."""

    def __init__(self, cache: TermCache) -> None:
        super().__init__()
        self._cache = cache
        self._segments: list[tuple[int, int]] = []
        """Number and version of each."""
        self._forget()

    def _forget(self) -> None:
        self._epoch = next(_epochs)
        self._starts = [0]
        self.rows = np.empty(0, np.int64)
        self.sizes = np.empty((0, len(FIELDS)), np.uint32)

    def follow(self, db: Database, corpus: int) -> None:
        """Reads which segments there are now."""
        found = db.execute("SELECT number, version FROM segment WHERE corpus = ? ORDER BY number", (corpus,)).fetchall()
        if found == self._segments:
            return
        if found[: len(self._segments)] != self._segments:
            self._forget()
        heads = [_head(db, number) for number, _ in found[len(self._starts) - 1 :]]
        self.rows = np.concatenate([self.rows, *(rows for rows, _ in heads)])
        self.sizes = np.concatenate([self.sizes, *(sizes for _, sizes in heads)])
        for rows, _ in heads:
            self._starts.append(self._starts[-1] + len(rows))
        self._segments = found
        self._forget_derived()

    def find(self, db: Database, term: str) -> Coded:
        if not self._segments:
            return NOWHERE
        key = (self._epoch, term)
        known, held = self._cache.get(key)
        if known == len(self._segments):
            return held
        held = _joined([held, *(self._read(db, term, n) for n in range(known, len(self._segments)))])
        self._cache.set(key, len(self._segments), held)
        return held

    def _read(self, db: Database, term: str, at: int) -> Coded:
        sql = "SELECT data, large FROM posting WHERE segment = ? AND term = ?"
        found = db.execute(sql, (self._segments[at][0], term)).fetchone()
        if found is None:
            return NOWHERE
        return _coded(np.frombuffer(found[0], np.uint32), found[1] or b"", self._starts[at])


def _head(db: Database, segment: int) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """The rows of a segment's documents, and their lengths by field."""
    head = db.execute("SELECT data FROM posting WHERE segment = ? AND term = ?", (segment, HEAD)).get
    held = len(head) // sum(_HEAD_BYTES)
    ends = np.cumsum([0, *(held * size for size in _HEAD_BYTES)]).tolist()
    _, rows, *sizes = (
        np.frombuffer(head[start:end], kind) for start, end, kind in zip(ends, ends[1:], HEAD_TYPES, strict=False)
    )
    return rows, np.stack(sizes, axis=1)


class Unsealed(Documents):
    """The documents of a corpus that no segment holds, read once and then followed."""

    def __init__(self) -> None:
        super().__init__()
        self._read_anew(0)

    def _read_anew(self, sealed: int) -> None:
        self._start = self._last = sealed
        self._removed = 0
        self._lists = Lists()
        self._seqs, self._rows, self._sizes = array("q"), array("q"), array("I")
        self._alive: NDArray[np.bool_] | None = None
        self._expose()

    def follow(self, db: Database, corpus: int, sealed: int, removed: int) -> None:
        if sealed != self._start:
            self._read_anew(sealed)
        before = len(self._rows)
        for seq, row, *columns in unsealed(db, corpus, self._last):
            self._lists.add(len(self._rows), columns)
            self._seqs.append(seq)
            self._rows.append(row)
            self._sizes.extend(lengths(columns))
            self._last = seq
        if removed != self._removed:
            self._find_removed(db, corpus)
            self._removed = removed
        elif len(self._rows) == before:
            return
        self._expose()

    def _find_removed(self, db: Database, corpus: int) -> None:
        sql = "SELECT seq FROM document WHERE corpus = ? AND seq > ?"
        there = np.fromiter((seq for (seq,) in db.execute(sql, (corpus, self._start))), np.int64)
        alive = np.isin(np.array(self._seqs, np.int64), there)
        self._alive = None if alive.all() else alive

    def _expose(self) -> None:
        self.rows = np.array(self._rows, np.int64)
        self.sizes = np.array(self._sizes, np.uint32).reshape(-1, len(FIELDS))
        if self._alive is not None and len(self._alive) < len(self.rows):
            more = np.ones(len(self.rows) - len(self._alive), bool)
            self._alive = np.concatenate([self._alive, more])
        self._forget_derived()

    def find(self, term: str) -> Coded:
        packed = self._lists.packed.get(term)
        if packed is None:
            return NOWHERE
        large = self._lists.large.get(term)
        coded = _coded(np.array(packed, np.uint32), large.tobytes() if large else b"")
        return coded if self._alive is None else _only(coded, self._alive)


def _only(coded: Coded, alive: NDArray[np.bool_]) -> Coded:
    kept = np.flatnonzero(alive[coded.documents])
    codes = coded.codes[kept]
    large = coded.large[np.isin(coded.large_at, kept)]
    return Coded(coded.documents[kept], codes, np.flatnonzero(codes == LARGE), large, coded.mixed)
