"""Counts for `stats` and `doctor`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from ...types import Filter
from ..values import Counts
from .dialect import Database, Dialect
from .filters import Where, compile_filter
from .rows import moment

SHOWN = 5
"""The number of most and least helpful memories that `stats` lists."""
_MICROS_PER_DAY = 86_400_000_000
_USED = "sum(CASE WHEN f.used THEN 1 ELSE 0 END)"


def counts(db: Database, dialect: Dialect, namespaces: Sequence[str]) -> Counts:
    inside = Filter(namespaces=tuple(namespaces))
    where, bare = compile_filter(inside, dialect), compile_filter(inside, dialect).also(dialect.lacks_view("full"))
    texts = f"SELECT sum(octet_length(m.text)) FROM memory m WHERE {where.shared}"
    return Counts(
        memories=_count(db, "memory", where),
        by_status=_grouped(db, "m.status", where),
        by_kind=_grouped(db, "m.kind", where),
        by_tier=_grouped(db, "m.tier", where),
        by_granularity=_grouped(db, "m.granularity", where),
        without_vector=_count(db, "memory", bare),
        links=_links(db, where),
        events=_count(db, "event", where),
        recalls=_count(db, "recall", where),
        bytes=_number(db, texts, where) if namespaces else _number(db, dialect.store_size, Where(dialect)),
        extra=_usage(db, where),
    )


def _number(db: Database, sql: str, where: Where) -> int:
    ((found,),) = where.dialect.rows(db, sql, where.values)
    return int(found or 0)


def _count(db: Database, table: str, where: Where) -> int:
    return _number(db, f"SELECT count(*) FROM {table} m WHERE {where.shared}", where)


def _grouped(db: Database, column: str, where: Where) -> dict[str, int]:
    sql = f"SELECT {column}, count(*) FROM memory m WHERE {where.shared} GROUP BY 1"
    # a damaged row may have NULL here
    return dict(sorted(where.dialect.rows(db, sql, where.values), key=lambda row: str(row[0])))


def _links(db: Database, where: Where) -> int:
    """The number of links with both ends inside. Counting others would reveal hidden memories."""
    if not where.tests:
        return _number(db, "SELECT count(*) FROM link", where)
    sql = (
        f"SELECT count(*) FROM memory m JOIN link l ON l.a = m.id WHERE {where.shared} "
        f"AND EXISTS (SELECT 1 FROM memory m WHERE m.id = l.b AND {where.shared})"
    )
    ((found,),) = where.dialect.rows(db, sql, (*where.values, *where.values))
    return int(found)


def _usage(db: Database, where: Where) -> dict[str, Any]:
    """The memories that were used most often, and those that were recalled most often but never used."""
    names = ("id", "used", "offered", "outcome")
    found = {
        "most_used": _offered(db, where, f"{_USED} > 0", "2"),
        "never_used": _offered(db, where, f"{_USED} = 0", "3"),
    }
    return {key: [dict(zip(names, row, strict=True)) for row in rows] for key, rows in found.items() if rows}


def _offered(db: Database, where: Where, having: str, order: str) -> list[tuple[Any, ...]]:
    sql = (
        f"SELECT m.id, {_USED}, count(*), avg(f.outcome) FROM feedback f JOIN memory m ON m.id = f.memory_id "
        f"WHERE {where.shared} GROUP BY m.id HAVING {having} ORDER BY {order} DESC, 1 LIMIT ?"
    )
    return where.dialect.rows(db, sql, (*where.values, SHOWN))


def growth(db: Database, dialect: Dialect, namespaces: Sequence[str]) -> list[tuple[date, int]]:
    where = compile_filter(Filter(namespaces=tuple(namespaces)), dialect).add("m.status <> 'forgotten'")
    rows = dialect.rows(
        db,
        f"SELECT min(m.created_at), count(*) FROM memory m WHERE {where.shared} GROUP BY m.created_at / ? ORDER BY 1",
        (*where.values, _MICROS_PER_DAY),
    )
    return [(moment(at).date(), count) for at, count in rows]
