"""Counts for `stats` and `doctor`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import Any

from ...types import Filter
from ..values import Counts
from .dialect import Database, Dialect
from .filters import Where, compile_filter, compile_logged
from .rows import moment

SHOWN = 5
"""The number of most and least helpful memories that `stats` lists."""
_MICROS_PER_DAY = 86_400_000_000
_TOLD = "coalesce(m.valid_from, CASE WHEN m.occurred_at < m.created_at THEN m.occurred_at ELSE m.created_at END)"
"""`Memory.told_at`: when it was said or happened, not when it was imported."""
_GROUPS = ("status", "kind", "tier", "granularity")
_USED = "sum(CASE WHEN f.used THEN 1 ELSE 0 END)"


def counts(db: Database, dialect: Dialect, namespaces: Sequence[str]) -> Counts:
    inside = Filter(namespaces=tuple(namespaces))
    where = compile_filter(inside, dialect)
    whole, logged = _whole(db, where), compile_logged(namespaces, dialect)
    memories, grouped = _memories(db, whole)
    texts = f"SELECT sum(octet_length(m.text)) FROM memory m WHERE {whole.shared}"
    return Counts(
        memories=memories,
        by_status=grouped["status"],
        by_kind=grouped["kind"],
        by_tier=grouped["tier"],
        by_granularity=grouped["granularity"],
        without_vector=_without_vector(db, whole, memories),
        links=_links(db, whole),
        events=_count(db, "event", logged),
        recalls=_count(db, "recall", logged),
        bytes=_number(db, texts, whole) if namespaces else _number(db, dialect.store_size, Where(dialect)),
        extra=_usage(db, where),
    )


def _whole(db: Database, where: Where) -> Where:
    """The same without tests of namespaces if these hold all memories: several times as fast."""
    if not where.tests or not where.dialect.sees_all:
        return where
    outside = f"SELECT EXISTS (SELECT 1 FROM memory m WHERE NOT ({where.shared}))"
    return where if _number(db, outside, where) else compile_filter(Filter(), where.dialect)


def _number(db: Database, sql: str, where: Where) -> int:
    ((found,),) = where.dialect.rows(db, sql, where.values)
    return int(found or 0)


def _count(db: Database, table: str, where: Where) -> int:
    return _number(db, f"SELECT count(*) FROM {table} m WHERE {where.shared}", where)


def _memories(db: Database, where: Where) -> tuple[int, dict[str, dict[str, int]]]:
    """The number of memories, and how many there are of each status, kind, tier and granularity. The table is read
    once."""
    columns = ", ".join(f"m.{name}" for name in _GROUPS)
    sql = f"SELECT {columns}, count(*) FROM memory m WHERE {where.shared} GROUP BY {columns}"
    rows = where.dialect.rows(db, sql, where.values)
    found: dict[str, Counter[str]] = {name: Counter() for name in _GROUPS}
    for *values, count in rows:
        for name, value in zip(_GROUPS, values, strict=True):
            found[name][value] += count
    # a damaged row may have NULL here
    ordered = {name: dict(sorted(counted.items(), key=lambda one: str(one[0]))) for name, counted in found.items()}
    return sum(count for *_, count in rows), ordered


def _without_vector(db: Database, where: Where, memories: int) -> int:
    if not where.tests:
        return max(0, memories - _number(db, "SELECT count(*) FROM view WHERE name = 'full'", where))
    lacking = where.dialect.lacks_view("full")
    sql = f"SELECT count(*) FROM memory m WHERE {where.shared} AND {lacking.sql}"
    ((found,),) = where.dialect.rows(db, sql, (*where.values, *lacking.values))
    return int(found)


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
        f"SELECT f.memory_id, {_USED}, count(*), avg(f.outcome) FROM feedback f JOIN memory m ON m.id = f.memory_id "
        f"WHERE {where.shared} GROUP BY f.memory_id HAVING {having} ORDER BY {order} DESC, 1 LIMIT ?"
    )
    return where.dialect.rows(db, sql, (*where.values, SHOWN))


def growth(db: Database, dialect: Dialect, namespaces: Sequence[str]) -> list[tuple[date, int]]:
    inside = compile_filter(Filter(namespaces=tuple(namespaces)), dialect)
    where = _whole(db, inside).add("m.status <> 'forgotten'")
    rows = dialect.rows(
        db,
        f"SELECT min({_TOLD}), count(*) FROM memory m WHERE {where.shared} GROUP BY {_TOLD} / ? ORDER BY 1",
        (*where.values, _MICROS_PER_DAY),
    )
    return [(moment(at).date(), count) for at, count in rows]
