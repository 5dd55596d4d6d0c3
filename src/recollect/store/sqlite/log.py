"""Writes the event log, the recall log and feedback."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from ...types import Event, plain
from ..chain import HEAD
from ..sql import chain
from ..sql.journal import COUNTERS
from ..sql.rows import to_micros
from ..values import Access, RecallEntry, RecallFeedback, RecallRecord
from .connections import Database
from .dialect import SQLITE


def append(db: Database, events: Sequence[Event]) -> None:
    """Appends the events, in order."""
    if not events:
        return
    head = db.execute("SELECT value FROM setting WHERE key = ?", (HEAD,)).get
    for event, hash in zip(events, chain.extend(db, SQLITE, events, head), strict=True):
        _append(db, event, hash)


def _append(db: Database, event: Event, hash: str | None) -> None:
    db.execute(
        "INSERT INTO event (id, at, actor, action, namespace, detail, undone_by, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            event.id,
            to_micros(event.at),
            event.actor,
            event.action,
            event.namespace,
            _json(event.detail),
            event.undone_by,
            hash,
        ),
    )
    seq = db.last_insert_rowid()
    db.executemany(
        "INSERT INTO revision (event, memory_id, before) VALUES (?, ?, ?)",
        [(seq, c.memory_id, None if c.before is None else _json(c.before)) for c in event.changes],
    )


def record(db: Database, entry: RecallEntry | Access) -> None:
    if isinstance(entry, Access):
        _count(db, "access", entry.at, [entry.memory_id])
        return
    _add(db, entry)
    _count(db, entry.counts, entry.at, [memory_id for memory_id, _ in entry.hits])


def _add(db: Database, entry: RecallEntry) -> None:
    db.execute(
        "INSERT INTO recall VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            entry.id,
            to_micros(entry.at),
            entry.actor,
            entry.namespace,
            entry.query,
            entry.recipe,
            entry.rejected,
            entry.confidence,
        ),
    )
    db.executemany(
        "INSERT INTO recalled VALUES (?, ?, ?, ?)",
        [(entry.id, memory_id, rank, score) for rank, (memory_id, score) in enumerate(entry.hits, start=1)],
    )


def _count(db: Database, which: str, at: datetime, ids: list[str]) -> None:
    count, last = COUNTERS[which]
    db.executemany(
        f"UPDATE memory SET {count} = {count} + 1, {last} = max(coalesce({last}, ?1), ?1) WHERE id = ?2",
        [(to_micros(at), memory_id) for memory_id in ids],
    )


def restore(db: Database, held: RecallRecord) -> None:
    """Logs a recall that comes from another store. No counter changes."""
    _add(db, held.entry)
    if held.feedback_at is not None:
        set_feedback(db, RecallFeedback(recall_id=held.entry.id, given=held.feedback, at=held.feedback_at))


def set_feedback(db: Database, said: RecallFeedback) -> None:
    db.execute("DELETE FROM feedback WHERE recall = ?", (said.recall_id,))
    db.executemany(
        "INSERT INTO feedback VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (said.recall_id, f.memory_id, int(f.used), f.outcome, f.strength, f.importance, to_micros(said.at))
            for f in said.given
        ],
    )


def _json(value: object) -> str:
    return json.dumps(plain(value), ensure_ascii=False)
