"""Which rows a filter admits, if they are few."""

from __future__ import annotations

import json
from dataclasses import replace
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from ...types import Filter
from ..sql.filters import Where
from .connections import Database
from .ranges import narrowest
from .standing import Found, Standing, is_simple

_SUBSET_UP_TO = 4_096
"""A filter that admits at most this many memories is applied first, and only these are compared."""
LOOKED_AT = 16_384
"""In an index of at most this many rows, all of them are checked against the filter. What the filter admits may be many
more: a view or a granularity that few memories have."""
_BELIEVED_FOR_SECONDS = 60
_BELIEVED_AT_MOST = 1_000


class Admitted:
    """Remembers the filters that admitted many memories, and rows that were looked at."""

    def __init__(self) -> None:
        self.standing = Standing()
        self._many: dict[Filter, float] = {}
        """Filter that admitted many memories → when this entry expires. An outdated entry costs time, but the results
        stay correct."""

    def few(self, db: Database, filter: Filter, where: Where) -> NDArray[np.int64] | None:
        """The rows the filter admits, or None when there are many."""
        shape = replace(filter, live_at=None) if filter.where is None else None  # live_at differs per question
        if shape is not None and self._many.get(shape, 0.0) > monotonic():
            return None
        rows = narrowest(db, filter).rows(db, where, _SUBSET_UP_TO + 1)
        if len(rows) <= _SUBSET_UP_TO:
            return np.fromiter((row for (row,) in rows), np.int64, len(rows))
        if shape is not None:
            if len(self._many) >= _BELIEVED_AT_MOST:
                self._many.clear()
            self._many[shape] = monotonic() + _BELIEVED_FOR_SECONDS
        return None

    def named(self, db: Database, rows: NDArray[np.int64], filter: Filter, where: Where) -> Found:
        """Those of the rows that the filter admits, with the ids of their memories."""
        return self.standing.admitted(db, rows, filter) if is_simple(filter) else named(db, rows, where)


def all_rows(db: Database, filter: Filter, where: Where) -> NDArray[np.int64]:
    """Every row that the filter admits."""
    return np.fromiter((row for (row,) in narrowest(db, filter).rows(db, where)), np.int64)


def named(db: Database, rows: NDArray[np.int64], where: Where) -> Found:
    listed = rows.tolist()
    sql = f"SELECT m.row, m.id FROM json_each(?) j CROSS JOIN memory m ON m.row = j.value WHERE {where.sql}"
    ids = dict(db.execute(sql, (json.dumps(listed), *where.values)).fetchall())
    at = [n for n, row in enumerate(listed) if row in ids]
    return Found(np.array(at, np.int64), [ids[listed[n]] for n in at])
