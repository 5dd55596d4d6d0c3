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

_RECALL = "m.id, m.at, m.actor, m.namespace, m.query, m.recipe, m.rejected, m.confidence"
_MICROS_PER_DAY = 86_400_000_000


def _inside(namespaces: Sequence[str], before: str | None = None) -> Where:
    where = compile_filter(Filter(namespaces=tuple(namespaces)))
    if before is not None:
        where.add("m.id < ?", before)
    return where


def events(db: Database, namespaces: Sequence[str], limit: int, before: str | None) -> list[Event]:
    where = _inside(namespaces, before)
    sql = f"SELECT m.id FROM event m WHERE {where.sql} ORDER BY m.id DESC LIMIT ?"
    ids = db.execute(sql, (*where.bindings, limit)).fetchall()
    return [log.events(db, None, event_id)[0] for (event_id,) in ids]


def recalls(db: Database, namespaces: Sequence[str], limit: int, before: str | None) -> list[RecallRecord]:
    where = _inside(namespaces, before)
    sql = f"SELECT {_RECALL} FROM recall m WHERE {where.sql} ORDER BY m.id DESC LIMIT ?"
    return [dump.remark(db, row) for row in db.execute(sql, (*where.bindings, limit)).fetchall()]


def logged(db: Database, recall_id: str) -> RecallRecord | None:
    rows = db.execute(f"SELECT {_RECALL} FROM recall m WHERE m.id = ?", (recall_id,)).fetchall()
    return dump.remark(db, rows[0]) if rows else None


def recalls_of(db: Database, memory_id: str, namespaces: Sequence[str], limit: int) -> list[RecallHit]:
    where = _inside(namespaces)
    rows = db.execute(
        "SELECT m.id, m.at, m.actor, m.query, m.recipe, h.rank, h.score, f.used, f.outcome FROM recalled h "
        "JOIN recall m ON m.id = h.recall LEFT JOIN feedback f ON f.recall = h.recall AND f.memory_id = h.memory_id "
        f"WHERE h.memory_id = ? AND {where.sql} ORDER BY m.id DESC, h.rank LIMIT ?",
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
    used: int | None,
    outcome: float | None,
) -> RecallHit:
    moment = from_micros(at)
    assert moment is not None
    return RecallHit(
        id=id,
        at=moment,
        actor=actor,
        query=query,
        recipe=recipe,
        rank=rank,
        score=score,
        used=None if used is None else bool(used),
        outcome=outcome,
    )


def growth(db: Database, namespaces: Sequence[str]) -> list[tuple[date, int]]:
    where = _inside(namespaces)
    where.add("m.status <> 'forgotten'")
    sql = f"SELECT min(m.created_at), count(*) FROM memory m WHERE {where.sql} GROUP BY m.created_at / ? ORDER BY 1"
    rows = db.execute(sql, (*where.bindings, _MICROS_PER_DAY))
    return [(moment.date(), count) for at, count in rows if (moment := from_micros(at)) is not None]
