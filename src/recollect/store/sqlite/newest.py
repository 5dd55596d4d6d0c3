"""The newest memories of some namespaces, read in the order of the index.

One namespace and one status are one range of the index `memory_by_namespace`, newest last. So the newest of each range
are read, and the newest of these are taken. Sorting all memories would read all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ...types import Filter
from ..sql.memories import ORDERS
from .connections import Database
from .dialect import SQLITE, compile_filter

_MOST_RANGES = 64
"""With more namespaces and statuses than this, sorting is simpler and no slower."""
_NEXT = "SELECT min(namespace) FROM memory WHERE namespace > ? AND namespace < ?"


def newest(db: Database, filter: Filter, limit: int, after: str | None) -> list[tuple[Any, ...]] | None:
    """The rows, newest first. None if there are too many ranges."""
    if not filter.namespaces or not filter.statuses:
        return None
    most = _MOST_RANGES // len(filter.statuses)
    places: set[str] = set()
    for path in filter.namespaces:
        for place in _places(db, path, exact=filter.exact):
            places.add(place)
            if len(places) > most:
                return None
    return _merged(
        db, [(place, status) for place in sorted(places) for status in filter.statuses], filter, limit, after
    )


def _places(db: Database, path: str, *, exact: bool) -> Iterator[str]:
    """The namespace and, unless `exact`, those below it. Each is one step in the index."""
    yield path
    last, end = f"{path}/", f"{path}0"  # the character after the slash
    while not exact and (found := db.execute(_NEXT, (last, end)).get) is not None:
        yield found
        last = found


def _merged(
    db: Database, ranges: list[tuple[str, str]], filter: Filter, limit: int, after: str | None
) -> list[tuple[Any, ...]]:
    where = compile_filter(replace(filter, namespaces=(), statuses=()))
    by, beyond = ORDERS["newest"]
    if after is not None:
        where.add(beyond, after)
    one = (
        "SELECT row FROM (SELECT m.row FROM memory m INDEXED BY memory_by_namespace "
        f"WHERE m.namespace = ? AND m.status = ? AND {where.sql} ORDER BY {by} LIMIT ?)"
    )
    sql = (
        f"SELECT {SQLITE.selected} FROM ({' UNION ALL '.join([one] * len(ranges))}) f "
        f"CROSS JOIN memory m ON m.row = f.row ORDER BY {by} LIMIT ?"
    )
    values = [value for place, status in ranges for value in (place, status, *where.values, limit)]
    found: list[tuple[Any, ...]] = db.execute(sql, (*values, limit)).fetchall()
    return found
