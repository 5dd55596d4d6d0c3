"""Reads memories and links."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any

from ...types import Filter, Link, Memory
from ..protocol import Order
from ..values import Numbers
from .dialect import Database, Dialect
from .filters import compile_filter
from .rows import COLUMNS, from_micros

ORDERS: dict[Order, tuple[str, str]] = {
    "newest": (
        "m.created_at DESC, m.id DESC",
        "(m.created_at, m.id) < (SELECT created_at, id FROM memory WHERE id = ?)",
    ),
    "oldest": (
        "m.created_at, m.id",
        "(m.created_at, m.id) > (SELECT created_at, id FROM memory WHERE id = ?)",
    ),
    "id": ("m.id", "m.id > ?"),
}
"""Order → the ORDER BY clause, and the condition for rows after the memory with an id."""
SAID = "coalesce(m.valid_from, m.created_at)"
"""When a turn was said. The index of first turns has it."""
_OLDEST = itemgetter(COLUMNS.index("created_at") + 1, COLUMNS.index("id") + 1)
"""The key of a row of a column and a memory."""
_LINK = "SELECT a, b, kind, weight, created_at FROM link l WHERE"


def get(
    db: Database, dialect: Dialect, keys: Iterable[Any], filter: Filter | None, by: str = "id"
) -> dict[str, Memory]:
    return {row[0]: dialect.memory(row) for row in _found(db, dialect, keys, filter, dialect.selected, by)}


def numbers(
    db: Database, dialect: Dialect, keys: Iterable[Any], filter: Filter | None, fields: Iterable[str], by: str = "id"
) -> Numbers:
    names = ", ".join(("m.id", *map(dialect.column, fields)))
    return {row[0]: row[1:] for row in _found(db, dialect, keys, filter, names, by)}


def _found(
    db: Database, dialect: Dialect, keys: Iterable[Any], filter: Filter | None, selected: str, by: str
) -> Sequence[tuple[Any, ...]]:
    if not (listed := list(keys)):
        return ()
    where, found = compile_filter(filter or Filter(), dialect), dialect.looked_up("m", by, listed)
    sql = f"SELECT {selected} FROM {found.sql} {dialect.counters} WHERE {where.shared}"
    return dialect.rows(db, sql, (*found.values, *where.values))


def scan(
    db: Database, dialect: Dialect, filter: Filter, order: Order, limit: int | None, after: str | None
) -> list[Memory]:
    where = compile_filter(filter, dialect)
    by, beyond = ORDERS[order]
    if after is not None:
        where.add(beyond, after)
    index = "" if filter.session_id is None else dialect.by_session
    rows = dialect.rows(
        db,
        f"SELECT {dialect.selected} FROM memory m{index} {dialect.counters} WHERE {where.shared} ORDER BY {by} LIMIT ?",
        (*where.values, dialect.no_limit if limit is None else limit),
    )
    return [dialect.memory(row) for row in rows]


def sessions(db: Database, dialect: Dialect, filter: Filter, limit: int, after: str | None) -> list[Memory]:
    where, index = compile_filter(filter, dialect).add("m.turn = 0"), ""
    where.add("m.granularity = 'turn' AND m.session_id IS NOT NULL")
    tenants = {path.partition("/")[0] for path in filter.namespaces}
    if len(tenants) == 1:
        where.add("m.tenant = ?", *tenants)
        index = dialect.by_first_turn
    if after is not None:
        where.add(f"({SAID}, m.id) < (SELECT {SAID}, m.id FROM memory m WHERE m.id = ?)", after)
    rows = dialect.rows(
        db,
        f"SELECT {dialect.selected} FROM memory m{index} {dialect.counters} WHERE {where.shared} "
        f"ORDER BY {SAID} DESC, m.id DESC LIMIT ?",
        (*where.values, limit),
    )
    return [dialect.memory(row) for row in rows]


def find_same(db: Database, dialect: Dialect, digests: Iterable[bytes], filter: Filter) -> dict[bytes, Memory]:
    rows = _found_by(db, dialect, "digest", digests, filter)
    return {bytes(digest): dialect.memory(row) for digest, *row in reversed(rows)}  # the oldest is last and wins


def find_about(db: Database, dialect: Dialect, keys: Iterable[str], filter: Filter) -> dict[str, list[Memory]]:
    found: dict[str, list[Memory]] = {}
    for key, *row in _found_by(db, dialect, "about", keys, filter):
        found.setdefault(key, []).append(dialect.memory(row))
    return found


def _found_by(
    db: Database, dialect: Dialect, column: str, values: Iterable[Any], filter: Filter
) -> list[tuple[Any, ...]]:
    """Rows of the column and the memory, oldest first."""
    if not (listed := list(values)):
        return []
    where, found = compile_filter(filter, dialect), dialect.looked_up("m", column, listed)
    rows = dialect.rows(
        db,
        f"SELECT m.{column}, {dialect.selected} FROM {found.sql} {dialect.counters} WHERE {where.shared}",
        (*found.values, *where.values),
    )
    return sorted(rows, key=_OLDEST)  # mostly none or one, for which SQLite's sorter would take longer than the rest


def links(db: Database, dialect: Dialect, ids: Iterable[str]) -> list[Link]:
    wanted = list(ids)
    if not wanted:
        return []
    first, second = dialect.among("a", wanted), dialect.among("b", wanted)
    whole = dialect.intact("link", "l")
    sql = f"{_LINK} {first.sql}{whole} UNION {_LINK} {second.sql}{whole} ORDER BY a, b, kind"
    return [link(row) for row in dialect.rows(db, sql, (*first.values, *second.values))]


def link_page(db: Database, dialect: Dialect, after: Sequence[str], limit: int) -> list[Link]:
    """Links in order, after the link with this (a, b, kind)."""
    sql = f"{_LINK} (a, b, kind) > (?, ?, ?){dialect.intact('link', 'l')} ORDER BY a, b, kind LIMIT ?"
    return [link(row) for row in dialect.rows(db, sql, (*after, limit))]


def link(row: Sequence[Any]) -> Link:
    a, b, kind, weight, at = row
    return Link(a=a, b=b, kind=kind, weight=weight, created_at=from_micros(at))


def turns_near(
    db: Database, dialect: Dialect, ids: Iterable[str], distance: int, filter: Filter
) -> dict[str, list[Memory]]:
    where, own = compile_filter(filter, dialect), dialect.looked_up("o", "id", ids)
    rows = dialect.rows(
        db,
        f"SELECT o.id, {dialect.selected} FROM {own.sql} JOIN memory m{dialect.by_session} "
        f"ON {dialect.same_tenant('m', 'o')}"
        "m.session_id = o.session_id AND m.turn BETWEEN o.turn - ? AND o.turn + ? "
        "AND m.namespace = o.namespace AND m.granularity = o.granularity AND m.id <> o.id "
        f"{dialect.counters} WHERE {where.shared} ORDER BY m.turn, m.id",
        (*own.values, distance, distance, *where.values),
    )
    found: dict[str, list[Memory]] = {}
    for memory_id, *row in rows:
        found.setdefault(memory_id, []).append(dialect.memory(row))
    return found


def namespaces(db: Database, dialect: Dialect) -> dict[str, int]:
    sql = "SELECT namespace, count(*) FROM memory WHERE status <> 'forgotten' GROUP BY 1 ORDER BY 1"
    return dict(dialect.rows(db, sql))
