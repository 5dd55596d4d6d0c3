"""One view's vectors in memory: sketches of all of them, and the vectors that a search needed so far.

Sketches are small, so a large store opens fast. They select the rows whose vectors are compared.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from .sketch import HALF_SCALE, Floats, floats, sketches, unscaled

EXACT_UP_TO = 65_536
"""Views up to this size are compared exactly. In larger ones, sketches select rows and the vectors rescore them."""
_RESCORED, _RESCORED_TIMES = 2_000, 16
"""How many vectors are compared: so many, and so many times the number that is asked for."""
_TIE = 1e-6
"""The error of a float32 product. Rows this close to the last place are kept and compared exactly."""
_BLOCK = 16_384
_SAMPLE = 8
_SKETCHES, _WORDS = 32_768, 3
"""So many sketches are compared at once, and so many words of each: their sum fits in eight bits."""
_AT_ONCE = 256
_FEW_QUERIES = 32
"""Up to this many queries, sketches are compared first. With more, a product of all vectors is faster."""
_MATRIX_PAYS_FROM = 8
"""From this many queries on, a matrix product takes less processor time than single rows."""

Places: TypeAlias = NDArray[np.int64]
Read: TypeAlias = Callable[[list[int]], list[bytes]]
"""Sequence numbers → their vectors, in that order. Raises an error if one is missing."""
_Number = TypeVar("_Number", bound=np.generic)


class Matrix:
    """One view's vectors, in the order they were written. Threads that see different states of the file share it: each
    searches the part that it sees."""

    def __init__(self, generation: str) -> None:
        self.generation = generation
        self.followed = 0
        """Rows of the file up to this sequence number were read, also those of other views."""
        self.size = 0
        self.seqs: NDArray[np.int64] = np.empty(0, np.int64)
        self.rows: NDArray[np.int64] = np.empty(0, np.int64)
        self.words: NDArray[np.uint64] = np.empty((0, 0), np.uint64)
        """The sketches: the first words of all rows, then the second words, and so on."""
        self.vectors = Vectors()
        self._last: tuple[bytes, NDArray[np.int16]] = b"", np.empty(0, np.int16)
        self._order: Places = np.empty(0, np.int64)

    def append(self, seqs: Sequence[int], rows: Sequence[int], bits: bytes, coming: int = 0) -> None:
        """At most `coming` rows will follow at once."""
        words = np.frombuffer(bits, np.uint64).reshape(len(rows), -1)
        end = self.size + len(rows)
        if end > len(self.rows):
            room = _room(end + coming)
            self.seqs, self.rows = _grown(self.seqs, (room,)), _grown(self.rows, (room,))
            wider = np.zeros((words.shape[1], room), np.uint64)
            wider[: len(self.words), : self.size] = self.words[:, : self.size]
            self.words = wider
        self.seqs[self.size : end] = seqs
        self.rows[self.size : end] = rows
        self.words[:, self.size : end] = words.T
        self.size = end

    def up_to(self, newest: int) -> Part:
        """The rows up to this sequence number. Call it under the lock of `append`."""
        return Part(self, int(np.searchsorted(self.seqs[: self.size], newest, side="right")))

    def apart(self, query: Floats, size: int) -> NDArray[np.int16]:
        """For each of the first rows: the number of bits in which its sketch differs from the query's. A question that
        names a time is compared again with the same rows."""
        asked = _sketch(query)
        of, found = self._last
        if of != asked.tobytes() or len(found) != size:
            found = _bits_apart(self.words[:, :size], asked)
            self._last = asked.tobytes(), found
        return found

    def order(self, rows: NDArray[np.int64]) -> Places:
        """How to sort the first rows of the matrix."""
        order = self._order
        if len(order) != len(rows):
            order = self._order = np.argsort(rows, kind="stable")
        return order


class Part:
    """The rows of a matrix that one state of the file has. Rows that a thread appends later are not among them."""

    def __init__(self, matrix: Matrix, size: int) -> None:
        self.size = size
        self._matrix = matrix
        self._seqs = matrix.seqs[:size]
        self.rows = matrix.rows[:size]
        self._words = matrix.words[:, :size]

    @property
    def exact(self) -> bool:
        return self.size <= EXACT_UP_TO

    def positions(self, rows: NDArray[np.int64]) -> Places:
        """The positions of the given rows. Rows that it does not have are left out."""
        order = self._matrix.order(self.rows)
        at = order[np.minimum(np.searchsorted(self.rows, rows, sorter=order), self.size - 1)]
        found: Places = at[self.rows[at] == rows]
        return found

    def best(self, query: Floats, count: int, read: Read, among: Places | None = None) -> Places:
        """Positions of the `count` nearest rows and those that tie with the last of them, unordered."""
        if among is None and self.exact:
            return _top(_products(self._all_floats(query, read), query), count)
        most = _RESCORED + _RESCORED_TIMES * count
        if among is None:
            among = _least(self._matrix.apart(query, self.size), most)
        elif not self.exact and len(among) > 4 * most:
            among = among[_least(_bits_apart(self._words[:, among], _sketch(query)), most)]
        return among[_top(self._products_at(among, query, read), count)]

    def _products_at(self, at: Places, query: Floats, read: Read) -> Floats:
        """Products with the vectors at some positions. A few at a time, so that the numbers stay in the processor's
        cache. The query is scaled instead of the vectors: the products are the same, bit by bit."""
        halves, slots = self._matrix.vectors.slots(at, self._seqs, query.shape[-1], read)
        found, scaled = np.empty(len(at), np.float32), query * HALF_SCALE
        some, wide = np.empty((_AT_ONCE, len(query)), np.int16), np.empty((_AT_ONCE, len(query)), np.int32)
        for start in range(0, len(at), _AT_ONCE):
            end = min(start + _AT_ONCE, len(at))
            part = some[: end - start]
            np.take(halves, slots[start:end], axis=0, out=part, mode="clip")  # without "clip" it copies once more
            np.vecdot(unscaled(part, wide[: end - start]), scaled, out=found[start:end])
        return found

    def cosines(self, query: Floats, at: Places, read: Read) -> NDArray[np.float64]:
        """Cosines, row by row in float64, so that a value does not depend on the row's position."""
        vectors = floats(self._halves(at, query, read)).astype(np.float64)
        found: NDArray[np.float64] = np.einsum("ij,j->i", vectors, query.astype(np.float64), optimize=False)
        return found

    def alike(self, queries: Floats, at_least: float, read: Read) -> dict[int, Places]:
        """Query → the positions with about this cosine or more. Queries without any are left out."""
        if not self.exact and len(queries) <= _FEW_QUERIES:
            near = {asked: self._near_by_bits(query, at_least) for asked, query in enumerate(queries)}
            return {asked: at for asked, at in near.items() if len(at)}
        found: dict[int, list[Places]] = {}
        for start in range(0, self.size, _BLOCK):
            close = _all_products(self._block(start, queries, read), queries) >= at_least - _TIE
            for asked in np.flatnonzero(close.any(axis=1)).tolist():
                found.setdefault(asked, []).append(start + np.flatnonzero(close[asked]))
        return {asked: np.concatenate(parts) for asked, parts in found.items()}

    def _block(self, start: int, queries: Floats, read: Read) -> Floats:
        end = min(start + _BLOCK, self.size)
        if self.exact:
            return self._all_floats(queries, read)[start:end]
        return floats(self._halves(np.arange(start, end), queries, read))

    def _near_by_bits(self, query: Floats, at_least: float) -> Places:
        """The positions that the sketches do not rule out. A part of the bits rules out most."""
        share = math.acos(max(-1.0, min(at_least, 1.0))) / math.pi
        held, asked = self._words, _sketch(query)
        part = len(asked) * 3 // 8 or len(asked)
        apart = _bits_apart(held[:part], asked[:part])
        left = np.flatnonzero(apart <= _most_apart(64 * part, share))
        apart = apart[left] + _bits_apart(held[part:, left], asked[part:])
        return left[apart <= _most_apart(64 * len(asked), share)]

    def _halves(self, at: Places, query: Floats, read: Read) -> NDArray[np.float16]:
        return self._matrix.vectors.at(at, self._seqs, query.shape[-1], read)

    def _all_floats(self, query: Floats, read: Read) -> Floats:
        return self._matrix.vectors.all_floats(self._seqs, query.shape[-1], read)


class Vectors:
    """The vectors that were read so far."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._slots: NDArray[np.int32] = np.empty(0, np.int32)
        """Position → the place of its vector among those that were read; -1 if it was not."""
        self._halves: NDArray[np.float16] = np.empty((0, 0), np.float16)
        self._read_so_far = 0
        self._floats: Floats = np.empty((0, 0), np.float32)
        """A copy as float32, which saves a conversion per search. Only for small matrices."""
        self._converted = 0

    def at(self, at: Places, seqs: NDArray[np.int64], dim: int, read: Read) -> NDArray[np.float16]:
        """The vectors at these positions."""
        halves, slots = self.slots(at, seqs, dim, read)
        return halves[slots].view(np.float16)

    def slots(
        self, at: Places, seqs: NDArray[np.int64], dim: int, read: Read
    ) -> tuple[NDArray[np.int16], NDArray[np.int32]]:
        """Vectors, as the bits of their float16 numbers, and which of them are at these positions. Those that are not
        in memory are read."""
        with self._lock:
            self._make_room(len(seqs), dim)
            missing = at[self._slots[at] < 0]
            for start in range(0, len(missing), _BLOCK):
                self._add(missing[start : start + _BLOCK], seqs, read)
            return self._halves.view(np.int16), self._slots[at]

    def _make_room(self, size: int, dim: int) -> None:
        known = len(self._slots)
        if known < size:
            room = _room(size)
            self._slots, self._halves = _grown(self._slots, (room,)), _grown(self._halves, (room, dim))
            self._slots[known:] = -1

    def _add(self, missing: Places, seqs: NDArray[np.int64], read: Read) -> None:
        """Reads some vectors. They are put one after another: spread over the room for all, they would touch most of
        its memory."""
        blob = b"".join(read(seqs[missing].tolist()))
        start, end = self._read_so_far, self._read_so_far + len(missing)
        self._halves[start:end] = np.frombuffer(blob, np.float16).reshape(len(missing), -1)
        self._slots[missing] = np.arange(start, end, dtype=np.int32)
        self._read_so_far = end

    def all_floats(self, seqs: NDArray[np.int64], dim: int, read: Read) -> Floats:
        start, size = self._converted, len(seqs)
        fresh = self.at(np.arange(start, size), seqs, dim, read) if start < size else None
        with self._lock:
            if len(self._floats) < size:
                self._floats = _grown(self._floats, (_room(size), dim))
            if fresh is not None:
                self._floats[start:size] = floats(fresh)
                self._converted = max(self._converted, size)
            return self._floats[:size]


def _room(size: int) -> int:
    """Room for more rows than there are, so that few appends copy everything."""
    return max(1_024, size * 3 // 2)


def _sketch(query: Floats) -> NDArray[np.uint64]:
    found: NDArray[np.uint64] = sketches(query[None])[0].view(np.uint64)
    return found


def _bits_apart(held: NDArray[np.uint64], asked: NDArray[np.uint64]) -> NDArray[np.int16]:
    """For each row: the number of bits in which its sketch differs. `held` has a row for each word of a sketch."""
    found = np.zeros(held.shape[1], np.int16)
    differing, count, some = (
        np.empty(_SKETCHES, np.uint64),
        np.empty(_SKETCHES, np.uint8),
        np.empty(_SKETCHES, np.uint8),
    )
    for start in range(0, len(found), _SKETCHES):  # what is computed in between stays in the processor's cache
        part, total = held[:, start : start + _SKETCHES], found[start : start + _SKETCHES]
        bits, one, few = (kept[: len(total)] for kept in (differing, count, some))
        for first in range(0, len(asked), _WORDS):
            few[:] = 0
            for words, word in zip(part[first : first + _WORDS], asked[first : first + _WORDS], strict=True):
                np.bitwise_count(np.bitwise_xor(words, word, out=bits), out=one)
                np.add(few, one, out=few)
            total += few
    return found


def _most_apart(bits: int, share: float) -> float:
    """The most bits that differ between vectors with this angle / π. On average it is that share of them. The bound is
    six standard deviations above, so hardly any pair is missed."""
    return bits * share + 6 * math.sqrt(bits * share * (1 - share))


def _products(vectors: Floats, query: Floats) -> Floats:
    """Products row by row on this thread. A matrix product would start BLAS's own threads, which wait by spinning: with
    50,000 rows that takes four times the processor time, and several callers would use most of the machine."""
    found: Floats = np.vecdot(vectors, query)
    return found


def _all_products(vectors: Floats, queries: Floats) -> Floats:
    """Products of all vectors with all queries; one row per query."""
    if len(queries) < _MATRIX_PAYS_FROM:
        return np.stack([_products(vectors, query) for query in queries])
    found: Floats = queries @ vectors.T
    return found


def _grown(array: NDArray[_Number], shape: tuple[int, ...]) -> NDArray[_Number]:
    fresh = np.zeros(shape, array.dtype)
    kept = min(len(array), shape[0])
    if array.size:
        fresh[:kept] = array[:kept]
    return fresh


def _top(values: Floats, count: int) -> Places:
    if count >= len(values):
        return np.arange(len(values))
    last = np.partition(values, len(values) - count)[len(values) - count]
    return np.flatnonzero(values >= last - _TIE)


def _least(values: NDArray[np.int16], count: int) -> Places:
    """The places of about the `count` least values, and at least as many. Counting small numbers is faster than sorting
    a part of them, and some of them tell about where to cut."""
    if count >= len(values):
        return np.arange(len(values))
    last = np.searchsorted(np.cumsum(np.bincount(values[::_SAMPLE])), count / _SAMPLE)
    while np.count_nonzero(values <= last) < count:
        last += 1
    return np.flatnonzero(values <= last)
