"""Which index leads to the rows that a filter admits in the fewest steps.

SQLite's planner can't tell: without statistics, it reads every active memory of a store for a namespace of a thousand.
So the entries of each index are counted, up to a limit, and the index with the fewest is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...namespaces import is_within
from ...types import Filter
from ..sql.filters import HAPPENED, Where
from ..sql.rows import to_micros
from .connections import Database
from .dialect import SQLITE

_COUNTED_UP_TO = (1_024, 16_384)
_BY_NAMESPACE = "memory_by_namespace"


class Range(NamedTuple):
    """Entries of one index. All rows that a filter admits are among them."""

    name: str
    """The index. Empty if SQLite's planner may choose."""
    tests: Sequence[tuple[str, Sequence[object]]]
    """Conditions that the index answers, and their values. No row meets two of them."""

    def size(self, db: Database, most: int) -> int:
        """The number of entries, counted up to this one."""
        one = f"SELECT 1 FROM memory m INDEXED BY {self.name} WHERE"
        parts = " UNION ALL ".join(f"{one} {test}" for test, _ in self.tests)
        values = [value for _, own in self.tests for value in own]
        found: int = db.execute(f"SELECT count(*) FROM ({parts} LIMIT ?)", (*values, most)).get
        return found

    def rows(self, db: Database, where: Where, limit: int = -1) -> list[tuple[int]]:
        """The rows that the filter admits, up to a limit. A negative one is none."""
        one = f"SELECT m.row FROM memory m {self.name and f'INDEXED BY {self.name}'} WHERE"
        parts = " UNION ALL ".join(f"{one} {test} AND {where.sql}" for test, _ in self.tests)
        values = [value for _, own in self.tests for value in (*own, *where.values)]
        found: list[tuple[int]] = db.execute(f"{parts} LIMIT ?", (*values, limit)).fetchall()
        return found


_ANY = Range("", [("1", ())])


def narrowest(db: Database, filter: Filter) -> Range:
    """The range with the fewest entries."""
    ranges = list(_ranges(filter))
    if len(ranges) == 1:
        return ranges[0]
    for most in _COUNTED_UP_TO if ranges else ():
        sizes = [one.size(db, most) for one in ranges]
        if min(sizes) < most:
            return ranges[sizes.index(min(sizes))]
    return _ANY


def _ranges(filter: Filter) -> Iterator[Range]:
    if filter.session_id is not None:
        yield Range("memory_by_session", [("m.session_id = ?", (filter.session_id,))])
    if filter.since is not None and filter.until is not None:
        between = f"{HAPPENED} >= ? AND {HAPPENED} < ?"
        yield Range("memory_by_time", [(between, (to_micros(filter.since), to_micros(filter.until)))])
    if filter.statuses and filter.kinds:
        status, kind = SQLITE.among("m.status", filter.statuses), SQLITE.among("m.kind", filter.kinds)
        yield Range("memory_by_group", [(f"{status.sql} AND {kind.sql}", (*status.values, *kind.values))])
    if filter.namespaces:
        yield Range(_BY_NAMESPACE, [test for path in _outermost(filter) for test in _of_namespace(path, filter)])


def _outermost(filter: Filter) -> list[str]:
    """The namespaces that are not below another one."""
    paths = sorted(set(filter.namespaces))
    if filter.exact:
        return paths
    return [path for path in paths if not any(is_within(path, other) for other in paths if other != path)]


def _of_namespace(path: str, filter: Filter) -> Iterator[tuple[str, Sequence[object]]]:
    status = SQLITE.among("m.status", filter.statuses) if filter.statuses else None
    test, values = (f" AND {status.sql}", status.values) if status else ("", [])
    yield f"m.namespace = ?{test}", (path, *values)
    if not filter.exact:
        yield f"m.namespace > ? AND m.namespace < ?{test}", (f"{path}/", f"{path}0", *values)
