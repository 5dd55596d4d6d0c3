"""Vector search on matrices in memory. They are copies of rows in the file and are updated before each search.

A view's matrix knows the last row it has copied and the generation of the file. New rows are appended. When a row was
replaced or removed, the generation has changed and the whole matrix is read again.
"""

from __future__ import annotations

import math
import threading
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...types import Filter
from ..sql.filters import Where
from .admitted import Admitted, all_rows, named
from .connections import Database
from .dialect import compile_filter

EXACT_UP_TO = 65_536
"""Views up to this size are compared exactly. In larger ones, sign bits select rows and the vectors rescore them."""
_RESCORE_LEAST = 500
_SPARE = 16
_TIE = 1e-6
"""The error of a float32 product. Rows this close to the last place are kept and compared exactly."""
_BLOCK = 16_384
_FEW_QUERIES = 32
"""Up to this many queries, sign bits are compared first. With more, a product of all vectors is faster."""

_MATRIX_PAYS_FROM = 8
"""From this many queries on, a matrix product takes less processor time than single rows."""

Floats: TypeAlias = NDArray[np.float32]
_Number = TypeVar("_Number", bound=np.generic)


class Matrix:
    """One view's vectors in memory, in the order they were written."""

    def __init__(self, generation: str) -> None:
        self.generation = generation
        self.seq = 0
        self.size = 0
        self._rows: NDArray[np.int64] = np.empty(0, np.int64)
        self._halves: NDArray[np.float16] = np.empty((0, 0), np.float16)
        self._floats: Floats = np.empty((0, 0), np.float32)
        self._bits: NDArray[np.uint8] = np.empty((0, 0), np.uint8)
        self._order: NDArray[np.int64] = np.empty(0, np.int64)

    @property
    def exact(self) -> bool:
        return self.size <= EXACT_UP_TO

    @property
    def rows(self) -> NDArray[np.int64]:
        return self._rows[: self.size]

    def append(self, rows: list[int], blob: bytes) -> None:
        if not rows:
            return
        fresh = np.frombuffer(blob, np.float16).reshape(len(rows), -1)
        self._reserve(self.size + len(rows), fresh.shape[1])
        span = slice(self.size, self.size + len(rows))
        self._rows[span] = rows
        self._halves[span] = fresh
        if len(self._floats) >= span.stop:
            self._floats[span] = fresh
        self._bits[span] = np.packbits(fresh > 0, axis=1)
        self.size += len(rows)

    def _reserve(self, size: int, dim: int) -> None:
        if size <= len(self._rows):
            return
        room = max(1024, int(size * 1.5))
        self._rows = _grown(self._rows, (room,))
        self._halves = _grown(self._halves, (room, dim))
        # float32 needs twice the memory and saves a conversion per search: only for small matrices
        self._floats = _grown(self._floats, (room if room <= EXACT_UP_TO * 1.5 else 0, dim))
        self._bits = _grown(self._bits, (room, (dim + 7) // 8))

    def positions(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The positions of the given rows in the matrix. Rows that it does not have are left out."""
        mine, order = self.rows, self._order
        if len(order) != len(mine):  # another thread is appending: use the rows from before
            order = self._order = np.argsort(mine, kind="stable")
        at = order[np.minimum(np.searchsorted(mine, rows, sorter=order), len(mine) - 1)]
        found: NDArray[np.int64] = at[mine[at] == rows]
        return found

    def best(self, query: Floats, count: int, among: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Positions of the `count` nearest rows and those that tie with the last of them, unordered."""
        if among is not None:
            return among[_top(_products(self._halves[among].astype(np.float32), query), count)]
        if self.exact:
            return _top(_products(self._floats[: self.size], query), count)
        near = _top(-self._signs_apart(query), max(_RESCORE_LEAST, 8 * count))
        return near[_top(_products(self._halves[near].astype(np.float32), query), count)]

    def cosines(self, query: Floats, at: NDArray[np.int64]) -> NDArray[np.float64]:
        """Cosines, row by row in float64, so that a value does not depend on the row's position."""
        vectors = self._halves[at].astype(np.float64)
        found: NDArray[np.float64] = np.einsum("ij,j->i", vectors, query.astype(np.float64), optimize=False)
        return found

    def alike(self, queries: Floats, at_least: float) -> dict[int, list[int]]:
        """Query → the positions with about this cosine or more. Queries without any are left out."""
        if not self.exact and len(queries) <= _FEW_QUERIES:
            near = {asked: self._near_by_bits(query, at_least) for asked, query in enumerate(queries)}
            if all(len(at) <= self.size // 8 for at in near.values()):
                return {asked: at.tolist() for asked, at in near.items() if len(at)}
        found: dict[int, list[int]] = {}
        for start in range(0, self.size, _BLOCK):
            span = slice(start, min(start + _BLOCK, self.size))
            block = self._floats[span] if self.exact else self._halves[span].astype(np.float32)
            close = _all_products(block, queries) >= at_least - _TIE
            for asked in np.flatnonzero(close.any(axis=1)).tolist():
                found.setdefault(asked, []).extend((start + np.flatnonzero(close[asked])).tolist())
        return found

    def _near_by_bits(self, query: Floats, at_least: float) -> NDArray[np.int64]:
        """The positions that the sign bits do not rule out. On average, angle / π of the signs differ. The bound is six
        standard deviations above that, so hardly any pair is missed."""
        share = math.acos(max(-1.0, min(at_least, 1.0))) / math.pi
        most = len(query) * share + 6 * math.sqrt(len(query) * share * (1 - share))
        return np.flatnonzero(self._signs_apart(query) <= most)

    def _signs_apart(self, query: Floats) -> NDArray[np.int32]:
        """For each row: the number of dimensions with another sign than the query. Uses 8-byte words if possible."""
        held, asked = self._bits[: self.size], np.packbits(query > 0)
        wide = np.uint64 if held.shape[1] % 8 == 0 else np.uint8
        found: NDArray[np.int32] = np.bitwise_count(held.view(wide) ^ asked.view(wide)).sum(axis=1, dtype=np.int32)
        return found


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


def _top(values: NDArray[Any], count: int) -> NDArray[np.int64]:
    if count >= len(values):
        return np.arange(len(values))
    last = np.partition(values, len(values) - count)[len(values) - count]
    return np.flatnonzero(values >= last - _TIE)


class VectorIndex:
    """The matrices of a file's views."""

    def __init__(self, admitted: Admitted) -> None:
        self._admitted = admitted
        self._matrices: dict[str, Matrix] = {}
        self._lock = threading.Lock()

    def clear(self) -> None:
        with self._lock:
            self._matrices.clear()

    def matrix(self, db: Database, view: str) -> Matrix:
        """The view's matrix, updated from the file."""
        with self._lock:
            generation = str(db.execute("SELECT value FROM setting WHERE key = 'vector_generation'").get)
            held = self._matrices.get(view)
            if held is None or held.generation != generation:
                held = self._matrices[view] = Matrix(generation)
            _catch_up(db, held, view)
            return held

    def search(
        self, db: Database, query: Floats, view: str, filter: Filter, limit: int, floor: float
    ) -> list[tuple[str, float]]:
        matrix = self.matrix(db, view)
        if not matrix.size or limit < 1:
            return []
        where = compile_filter(filter)
        few = self._admitted.few(db, filter, where)
        if few is not None:
            found = self._ranked(db, matrix, query, where, limit, matrix.positions(few))
        else:
            found = self._widening(db, matrix, query, where, limit)
        return [(memory_id, cosine) for memory_id, cosine in found[:limit] if cosine >= floor]

    def _widening(
        self, db: Database, matrix: Matrix, query: Floats, where: Where, limit: int
    ) -> list[tuple[str, float]]:
        """Searches a growing number of rows until the filter admits enough of them."""
        count = 2 * limit + _SPARE
        while True:
            found = self._ranked(db, matrix, query, where, count, None)
            if len(found) >= limit or count >= matrix.size:
                return found
            if count > matrix.size // 8:
                among = matrix.positions(all_rows(db, where))
                return self._ranked(db, matrix, query, where, limit, among)
            count *= 4

    def _ranked(
        self,
        db: Database,
        matrix: Matrix,
        query: Floats,
        where: Where,
        count: int,
        among: NDArray[np.int64] | None,
    ) -> list[tuple[str, float]]:
        return self._named(db, matrix, query, where, matrix.best(query, count + _SPARE, among))

    def _named(
        self, db: Database, matrix: Matrix, query: Floats, where: Where, at: NDArray[np.int64]
    ) -> list[tuple[str, float]]:
        """(id, cosine) of the positions that the filter admits, best first."""
        cosines = dict(zip(matrix.rows[at].tolist(), matrix.cosines(query, at).tolist(), strict=True))
        return sorted(
            ((memory_id, cosines[row]) for row, memory_id in named(db, cosines, where)), key=lambda x: (-x[1], x[0])
        )

    def similar(
        self, db: Database, queries: Floats, view: str, filter: Filter, at_least: float
    ) -> list[list[tuple[str, float]]]:
        found: list[list[tuple[str, float]]] = [[] for _ in range(len(queries))]
        matrix = self.matrix(db, view)
        if not matrix.size:
            return found
        where = compile_filter(filter)
        for asked, at in matrix.alike(queries, at_least).items():
            close = self._named(db, matrix, queries[asked], where, np.array(at))
            found[asked] = [(memory_id, cosine) for memory_id, cosine in close if cosine >= at_least]
        return found


def unpacked(data: bytes) -> Floats:
    """Decodes a stored vector."""
    return np.frombuffer(data, np.float16).astype(np.float32)


def _catch_up(db: Database, matrix: Matrix, view: str) -> None:
    sql = (
        "SELECT w.seq, w.row, v.data FROM view w JOIN vector v ON v.number = w.vector "
        "WHERE w.seq > ? AND w.name = ? ORDER BY w.seq LIMIT ?"
    )
    while True:
        fresh = db.execute(sql, (matrix.seq, view, _BLOCK)).fetchall()
        if not fresh:
            return
        matrix.append([row for _, row, _ in fresh], b"".join(data for _, _, data in fresh))
        matrix.seq = fresh[-1][0]
