"""Vector search on matrices in memory. They are copies of rows in the file and are updated before each search.

A view's matrix knows the last row it has copied and the generation of the file. New rows are appended. When a row was
replaced or removed, the generation has changed and the sketches are read again.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...errors import StoreDamaged
from ...types import Filter
from ..checksums import vector_checksum
from ..sql.filters import Where
from .admitted import LOOKED_AT, Admitted, all_rows
from .connections import Database
from .dialect import compile_filter
from .matrix import Matrix, Part, Read
from .sketch import Floats

_AT_ONCE = 128
"""Vectors that are compared with all others at once. More would need too much memory if all are alike."""
_SPARE = 16
_MOST_TIMES = 16
_PAGE = 16_384


class VectorIndex:
    """The matrices of a file's views."""

    def __init__(self, admitted: Admitted) -> None:
        self._admitted = admitted
        self._matrices: dict[str, Matrix] = {}
        self._lock = threading.Lock()

    def clear(self) -> None:
        with self._lock:
            self._matrices.clear()

    def _part(self, db: Database, view: str) -> Part:
        """The rows of the view's matrix that the caller's snapshot has. The matrix is updated first."""
        with self._lock:
            generation = str(db.execute("SELECT value FROM setting WHERE key = 'vector_generation'").get)
            held = self._matrices.get(view)
            if held is None or held.generation != generation:
                held = self._matrices[view] = Matrix(generation)
            return held.up_to(_catch_up(db, held, view))

    def search(
        self, db: Database, query: Floats, view: str, filter: Filter, limit: int, floor: float
    ) -> list[tuple[str, float]]:
        matrix = self._part(db, view)
        if not matrix.size or limit < 1:
            return []
        where = compile_filter(filter)
        few = self._admitted.few(db, filter, where)
        if few is not None:
            found = self._ranked(db, matrix, query, filter, where, limit, matrix.positions(few))
        else:
            found = self._widening(db, matrix, query, filter, where, limit)
        return [(memory_id, cosine) for memory_id, cosine in found[:limit] if cosine >= floor]

    def _widening(
        self, db: Database, matrix: Part, query: Floats, filter: Filter, where: Where, limit: int
    ) -> list[tuple[str, float]]:
        """Searches a growing number of rows until the filter admits enough of them."""
        count = limit + _SPARE
        while True:
            found = self._ranked(db, matrix, query, filter, where, count, None)
            if len(found) >= limit or count >= matrix.size:
                return found
            if matrix.size <= LOOKED_AT:
                return self._ranked(db, matrix, query, filter, where, matrix.size, None)
            if count > matrix.size // 8:
                among = matrix.positions(all_rows(db, filter, where))
                return self._ranked(db, matrix, query, filter, where, limit, among)
            count *= _times_more(len(found), limit)

    def _ranked(
        self,
        db: Database,
        matrix: Part,
        query: Floats,
        filter: Filter,
        where: Where,
        count: int,
        among: NDArray[np.int64] | None,
    ) -> list[tuple[str, float]]:
        at = matrix.best(query, count + _SPARE, _reader(db, query.shape[-1]), among)
        return self._named(db, matrix, query, filter, where, at)

    def _named(
        self, db: Database, matrix: Part, query: Floats, filter: Filter, where: Where, at: NDArray[np.int64]
    ) -> list[tuple[str, float]]:
        """(id, cosine) of the positions that the filter admits, best first."""
        cosines = matrix.cosines(query, at, _reader(db, query.shape[-1]))
        found = self._admitted.named(db, matrix.rows[at], filter, where)
        ordered = sorted(zip((-cosines[found.at]).tolist(), found.ids, strict=True))
        return [(memory_id, -negated) for negated, memory_id in ordered]

    def similar(
        self, db: Database, queries: Floats, view: str, filter: Filter, at_least: float, limit: int | None = None
    ) -> list[list[tuple[str, float]]]:
        found: list[list[tuple[str, float]]] = [[] for _ in range(len(queries))]
        matrix = self._part(db, view)
        if not matrix.size:
            return found
        where = compile_filter(filter)
        for start in range(0, len(queries), _AT_ONCE):
            some = queries[start : start + _AT_ONCE]
            for asked, at in matrix.alike(some, at_least, _reader(db, some.shape[-1])).items():
                found[start + asked] = self._closest(db, matrix, some[asked], filter, where, at, at_least, limit)
        return found

    def _closest(
        self,
        db: Database,
        matrix: Part,
        query: Floats,
        filter: Filter,
        where: Where,
        at: NDArray[np.int64],
        at_least: float,
        limit: int | None,
    ) -> list[tuple[str, float]]:
        """The nearest of these positions that the filter admits. Few of many are looked up first."""
        count = len(at) if limit is None else 4 * limit
        if count < len(at):
            at = at[np.argsort(-matrix.cosines(query, at, _reader(db, query.shape[-1])), kind="stable")]
        while True:
            named = self._named(db, matrix, query, filter, where, at[:count])
            close = [(memory_id, cosine) for memory_id, cosine in named if cosine >= at_least]
            if count >= len(at) or (limit is not None and len(close) >= limit):
                return close[:limit]
            count *= 4


def _times_more(found: int, wanted: int) -> int:
    """How many times as many rows to look at, if so few of those wanted were admitted."""
    return min(_MOST_TIMES, max(2, wanted * 5 // (4 * max(found, 1)) + 1))


def unpacked(data: bytes, checksum: int) -> Floats:
    """Decodes a stored vector. Raises StoreDamaged if its checksum is wrong."""
    _verify(data, checksum)
    return np.frombuffer(data, np.float16).astype(np.float32)


def _verify(data: bytes, checksum: int) -> None:
    if vector_checksum(data) != checksum:
        raise StoreDamaged("a stored vector is damaged: `recollect check --repair` makes it again")


def _joined(bits: Sequence[bytes]) -> bytes:
    if len(set(map(len, bits))) > 1 or not bits[0]:
        raise StoreDamaged("sketches of vectors have different lengths: `recollect check --repair` makes them again")
    return b"".join(bits)


def _catch_up(db: Database, matrix: Matrix, view: str) -> int:
    """Appends new rows. Returns the newest sequence number of the caller's snapshot, which may be behind the matrix."""
    newest: int = db.execute("SELECT max(seq) FROM view").get or 0
    sql = "SELECT seq, row, bits FROM view WHERE seq > ? AND name = ? ORDER BY seq LIMIT ?"
    while matrix.followed < newest:
        fresh = db.execute(sql, (matrix.followed, view, _PAGE)).fetchall()
        if fresh:
            seqs, rows, bits = zip(*fresh, strict=True)
            matrix.append(seqs, rows, _joined(bits), newest - seqs[-1])
        matrix.followed = fresh[-1][0] if len(fresh) == _PAGE else newest
    return newest


def _reader(db: Database, dim: int) -> Read:
    """Reads vectors for a matrix."""

    def read(seqs: list[int]) -> list[bytes]:
        sql = (
            "SELECT v.data, v.checksum FROM json_each(?) j CROSS JOIN view w ON w.seq = j.value "
            "CROSS JOIN vector v ON v.number = w.vector"
        )
        found = [_whole(data, checksum, dim) for data, checksum in db.execute(sql, (json.dumps(seqs),))]
        if len(found) < len(seqs):
            raise StoreDamaged("a stored vector is missing: `recollect check --repair` makes it again")
        return found

    return read


def _whole(data: bytes, checksum: int, dim: int) -> bytes:
    _verify(data, checksum)
    if len(data) != 2 * dim:
        raise StoreDamaged("vectors have different lengths: `recollect check --repair` makes them again")
    return data
