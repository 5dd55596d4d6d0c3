"""What filters ask of a memory's row, kept in memory for rows that a search has met.

A search looks at a few hundred rows, far apart in a large file. Their namespace, status and the like change seldom:
every change of a stored memory counts up a number in the file. What was read holds for as long as that number is the
same, whichever process wrote. New memories do not change it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ...namespaces import is_within
from ...types import Filter
from ..sql.rows import to_micros
from .connections import Database
from .covered import MEMORY_GENERATION

_MOST_HELD = 1 << 18
_MOST_ROW = 1 << 28
"""A row with a higher number is none: a damaged index may name any."""
_NEVER = np.iinfo(np.int64).max
_SQL = (
    "SELECT m.row, m.id, m.expires_at, m.namespace, m.status, m.tier, m.kind, m.granularity "
    "FROM json_each(?) j CROSS JOIN memory m ON m.row = j.value"
)
_LISTS = ("statuses", "tiers", "kinds", "granularities")
"""The filter's lists for the columns from `status` on."""


class Found(NamedTuple):
    """Rows that a filter admits, in the order they were asked for."""

    at: NDArray[np.int64]
    """Their places among those asked for."""
    ids: list[str]


class Standing:
    """The rows of a file that this process has met."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._forget("")

    def clear(self) -> None:
        with self._lock:
            self._forget("")

    def _forget(self, generation: str) -> None:
        self._generation = generation
        self._shapes: list[tuple[str, ...]] = [()]
        """Code → namespace, status, tier, kind and granularity of rows with it."""
        self._known: dict[tuple[str, ...], int] = {}
        self._codes = np.zeros(0, np.int32)
        """Row → its code; 0 if it was not read."""
        self._ends = np.zeros(0, np.int64)
        """Row → when it expires."""
        self._ids: NDArray[np.object_] = np.empty(0, object)
        self._rows: dict[str, int] = {}

    def rows(self, db: Database, ids: Sequence[str]) -> list[int] | None:
        """The rows of these memories, if all are known."""
        with self._lock:
            found = [self._rows.get(id) for id in ids] if self._generation == _generation(db) else [None]
            return None if None in found else cast(list[int], found)

    def admitted(self, db: Database, rows: NDArray[np.int64], filter: Filter) -> Found:
        """The caller holds a snapshot of the file. The filter must be `simple`."""
        if not len(rows):
            return Found(np.empty(0, np.int64), [])
        rows = np.where((rows > 0) & (rows < _MOST_ROW), rows, 0)
        with self._lock:
            self._follow(db, rows)
            codes = self._codes[rows]
            fits = np.zeros(len(rows), bool)
            for code in {*codes.tolist()}:
                if _admits(filter, self._shapes[code]):
                    fits |= codes == code
            if (now := to_micros(filter.live_at)) is not None:
                fits &= self._ends[rows] > now
            at = np.flatnonzero(fits)
            return Found(at, self._ids[rows[at]].tolist())

    def _follow(self, db: Database, rows: NDArray[np.int64]) -> None:
        """Reads the rows that were not read since the last change."""
        generation = _generation(db)
        if generation != self._generation or len(self._rows) > _MOST_HELD:
            self._forget(generation)
        self._make_room(int(rows.max()) + 1)
        missing = rows[self._codes[rows] == 0]
        if not len(missing):
            return
        for row, id, end, *shape in db.execute(_SQL, (json.dumps(missing.tolist()),)):
            self._codes[row] = self._code(tuple(shape))
            self._ends[row] = _NEVER if end is None else end
            self._ids[row] = id
            self._rows[id] = row

    def _code(self, shape: tuple[str, ...]) -> int:
        if shape not in self._known:
            self._known[shape] = len(self._shapes)
            self._shapes.append(shape)
        return self._known[shape]

    def _make_room(self, size: int) -> None:
        if size > len(self._codes):
            more = size * 3 // 2 - len(self._codes)
            self._codes = np.concatenate([self._codes, np.zeros(more, np.int32)])
            self._ends = np.concatenate([self._ends, np.zeros(more, np.int64)])
            self._ids = np.concatenate([self._ids, np.empty(more, object)])


def _generation(db: Database) -> str:
    return str(db.execute("SELECT value FROM setting WHERE key = ?", (MEMORY_GENERATION,)).get)


def is_simple(filter: Filter) -> bool:
    """Whether it asks for nothing else."""
    times = (filter.since, filter.until, filter.as_of)
    others = (filter.session_id, filter.lacks_view, filter.where, *times)
    return not (filter.tags or filter.turns or any(each is not None for each in others))


def _admits(filter: Filter, shape: Sequence[str]) -> bool:
    if not shape:  # there is no such row
        return False
    namespace, *others = shape
    listed = [getattr(filter, name) for name in _LISTS]
    return _is_inside(filter, namespace) and all(
        not wanted or value in wanted for wanted, value in zip(listed, others, strict=True)
    )


def _is_inside(filter: Filter, namespace: str) -> bool:
    within = filter.namespaces
    return not within or any(namespace == path or (not filter.exact and is_within(namespace, path)) for path in within)
