"""Which rows a filter admits, if they are few."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from ...types import Filter
from ..sql.filters import Where
from .connections import Database

_SUBSET_UP_TO = 4_096
"""A filter that admits at most this many memories is applied first, and only these are compared."""
LOOKED_AT = 16_384
"""In an index of at most this many rows, all of them are checked against the filter. What the filter admits may be many
more: a view or a granularity that few memories have."""
_BELIEVED_FOR_SECONDS = 60
_BELIEVED_AT_MOST = 1_000


class Admitted:
    """Remembers the filters that admitted many memories."""

    def __init__(self) -> None:
        self._many: dict[Filter, float] = {}
        """Filter that admitted many memories → when this entry expires. An outdated entry costs time, but the results
        stay correct."""

    def few(self, db: Database, filter: Filter, where: Where) -> NDArray[np.int64] | None:
        """The rows the filter admits, or None when there are many."""
        shape = replace(filter, live_at=None) if filter.where is None else None  # live_at differs per question
        if shape is not None and self._many.get(shape, 0.0) > monotonic():
            return None
        sql = f"SELECT m.row FROM memory m WHERE {where.sql} LIMIT ?"
        rows = db.execute(sql, (*where.values, _SUBSET_UP_TO + 1)).fetchall()
        if len(rows) <= _SUBSET_UP_TO:
            return np.fromiter((row for (row,) in rows), np.int64, len(rows))
        if shape is not None:
            if len(self._many) >= _BELIEVED_AT_MOST:
                self._many.clear()
            self._many[shape] = monotonic() + _BELIEVED_FOR_SECONDS
        return None


def all_rows(db: Database, where: Where) -> NDArray[np.int64]:
    """Every row that the filter admits."""
    rows = db.execute(f"SELECT m.row FROM memory m WHERE {where.sql}", where.values)
    return np.fromiter((row for (row,) in rows), np.int64)


def named(db: Database, rows: Iterable[int], where: Where) -> list[tuple[int, str]]:
    """(row, memory id) of those of the rows that the filter admits."""
    found: list[tuple[int, str]] = db.execute(
        f"SELECT m.row, m.id FROM json_each(?) j CROSS JOIN memory m ON m.row = j.value WHERE {where.sql}",
        (json.dumps(list(rows)), *where.values),
    ).fetchall()
    return found
