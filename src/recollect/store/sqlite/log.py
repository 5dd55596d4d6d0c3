"""The append-only event log and the recall log."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ...types import Change, Event, plain
from ..protocol import RecallEntry
from .connections import Database
from .rows import from_micros, to_micros


def append(db: Database, event: Event) -> None:
    db.execute(
        "INSERT INTO event (id, at, actor, action, namespace, detail) VALUES (?, ?, ?, ?, ?, ?)",
        (
            event.id,
            to_micros(event.at),
            event.actor,
            event.action,
            event.namespace,
            _json(event.detail),
        ),
    )
    seq = db.last_insert_rowid()
    db.executemany(
        "INSERT INTO revision (event, memory_id, before) VALUES (?, ?, ?)",
        [(seq, c.memory_id, None if c.before is None else _json(c.before)) for c in event.changes],
    )


def events(db: Database, memory_id: str | None, event_id: str | None) -> list[Event]:
    if not _storable(memory_id or event_id):
        return []
    sql = "SELECT e.seq, e.id, e.at, e.actor, e.action, e.namespace, e.detail, e.undone_by FROM event e"
    if memory_id is not None:
        sql += " JOIN revision r ON r.event = e.seq WHERE r.memory_id = ? ORDER BY e.seq"
        rows = db.execute(sql, (memory_id,)).fetchall()
    else:
        rows = db.execute(f"{sql} WHERE e.id = ?", (event_id,)).fetchall()
    return [_event(db, row, memory_id) for row in rows]


def _event(db: Database, row: Sequence[Any], memory_id: str | None) -> Event:
    seq, event_id, at, actor, action, namespace, detail, undone_by = row
    sql = "SELECT memory_id, before FROM revision WHERE event = ?1 AND (?2 IS NULL OR memory_id = ?2)"
    changes = tuple(
        Change(memory_id=memory, before=None if before is None else json.loads(before))
        for memory, before in db.execute(f"{sql} ORDER BY memory_id", (seq, memory_id))
    )
    moment = from_micros(at)
    assert moment is not None
    return Event(
        id=event_id,
        at=moment,
        actor=actor,
        action=action,
        namespace=namespace,
        changes=changes,
        detail=json.loads(detail),
        undone_by=undone_by,
    )


def record(db: Database, logged: RecallEntry) -> None:
    at = to_micros(logged.at)
    db.execute(
        "INSERT INTO recall VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            logged.id,
            at,
            logged.actor,
            logged.namespace,
            logged.query,
            logged.recipe,
            logged.rejected,
            logged.confidence,
        ),
    )
    db.executemany(
        "INSERT INTO recalled VALUES (?, ?, ?, ?)",
        [(logged.id, memory_id, rank, score) for rank, (memory_id, score) in enumerate(logged.hits, start=1)],
    )
    count, last = (
        ("retrieval_count", "last_retrieved_at")
        if logged.counts == "retrieval"
        else ("access_count", "last_accessed_at")
    )
    db.executemany(
        f"UPDATE memory SET {count} = {count} + 1, {last} = max(coalesce({last}, ?1), ?1) WHERE id = ?2",
        [(at, memory_id) for memory_id, _ in logged.hits],
    )


def _storable(value: object) -> bool:
    """Half of a surrogate pair can't be part of any id, nor be asked for."""
    try:
        return bool(isinstance(value, str) and value.encode())
    except UnicodeEncodeError:
        return False


def _json(value: object) -> str:
    return json.dumps(plain(value), ensure_ascii=False)
