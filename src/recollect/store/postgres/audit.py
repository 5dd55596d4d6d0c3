"""Who did and asked what, and when it came: the logs read backwards, within some namespaces."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from ...types import Event, Filter
from ..protocol import RecallHit, RecallRecord
from . import dump, log
from .connections import Database
from .filters import Where, compile_filter
from .rows import from_micros

_MICROS_PER_DAY = 86_400_000_000


def _inside(namespaces: Sequence[str], before: str | None = None) -> Where:
    where = compile_filter(Filter(namespaces=tuple(namespaces)))
    if before is not None:
        where.add('m.id COLLATE "C" < %s', before)
    return where


def events(db: Database, namespaces: Sequence[str], limit: int, before: str | None) -> list[Event]:
    where = _inside(namespaces, before)
    rows = db.execute(
        "SELECT e.seq, e.id, e.at, e.actor, e.action, e.namespace, e.detail, e.undone_by, r.memory_id, r.before "
        f'FROM (SELECT m.* FROM event m WHERE {where.sql} ORDER BY m.id COLLATE "C" DESC LIMIT %s) e '
        "LEFT JOIN revision r ON r.tenant = e.tenant AND r.event = e.seq "
        'ORDER BY e.id COLLATE "C" DESC, r.memory_id',
        (*where.bindings, limit),
    )
    return log.grouped(rows)


def recalls(db: Database, namespaces: Sequence[str], limit: int, before: str | None) -> list[RecallRecord]:
    return _remarks(db, _inside(namespaces, before), limit)


def logged(db: Database, recall_id: str) -> RecallRecord | None:
    where = Where()
    where.add("m.id = %s", recall_id)
    return next(iter(_remarks(db, where, 1)), None)


def _remarks(db: Database, where: Where, limit: int) -> list[RecallRecord]:
    rows = db.execute(
        "SELECT m.id, m.at, m.actor, m.namespace, m.query, m.recipe, m.rejected, m.confidence FROM recall m "
        f'WHERE {where.sql} ORDER BY m.id COLLATE "C" DESC LIMIT %s',
        (*where.bindings, limit),
    ).fetchall()
    return dump.remarks(db, rows)


def recalls_of(db: Database, memory_id: str, namespaces: Sequence[str], limit: int) -> list[RecallHit]:
    where = _inside(namespaces)
    rows = db.execute(
        "SELECT m.id, m.at, m.actor, m.query, m.recipe, h.rank, h.score, f.used, f.outcome FROM recalled h "
        "JOIN recall m ON m.tenant = h.tenant AND m.id = h.recall "
        "LEFT JOIN feedback f ON f.tenant = h.tenant AND f.recall = h.recall AND f.memory_id = h.memory_id "
        f'WHERE h.memory_id = %s AND {where.sql} ORDER BY m.id COLLATE "C" DESC, h.rank LIMIT %s',
        (memory_id, *where.bindings, limit),
    )
    return [_recalled(*row) for row in rows]


def _recalled(
    id: str,
    at: int,
    actor: str,
    query: str,
    recipe: str,
    rank: int,
    score: float,
    used: bool | None,
    outcome: float | None,
) -> RecallHit:
    moment = from_micros(at)
    assert moment is not None
    return RecallHit(
        id=id, at=moment, actor=actor, query=query, recipe=recipe, rank=rank, score=score, used=used, outcome=outcome
    )


def growth(db: Database, namespaces: Sequence[str]) -> list[tuple[date, int]]:
    where = _inside(namespaces)
    where.add("m.status <> 'forgotten'")
    sql = f"SELECT min(m.created_at), count(*) FROM memory m WHERE {where.sql} GROUP BY m.created_at / %s ORDER BY 1"
    rows = db.execute(sql, (*where.bindings, _MICROS_PER_DAY))
    return [(moment.date(), count) for at, count in rows if (moment := from_micros(at)) is not None]
