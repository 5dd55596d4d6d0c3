"""Writes the event log, the recall log and feedback."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from ...types import Event, plain
from ..chain import HEAD
from ..checksums import checksum_without_bytes
from ..sql import chain, journal
from ..sql.journal import COUNTERS
from ..sql.rows import to_micros
from ..values import Access, Feedback, RecallEntry, RecallFeedback, RecallRecord
from .connections import Database
from .covered import COVERED, summed
from .dialect import SQLITE


def append(db: Database, events: Sequence[Event]) -> None:
    """Appends the events, in order."""
    if not events:
        return
    head = db.execute("SELECT value FROM setting WHERE key = ?", (HEAD,)).get
    for event, hash in zip(events, chain.extend(db, SQLITE, events, head), strict=True):
        _append(db, event, hash)


def _append(db: Database, event: Event, hash: str | None) -> None:
    values = (
        event.id,
        to_micros(event.at),
        event.actor,
        event.action,
        event.namespace,
        _json(event.detail),
        event.undone_by,
        hash,
    )
    _insert(db, "event", [values])
    seq = db.last_insert_rowid()
    changes = [(seq, c.memory_id, None if c.before is None else _json(c.before)) for c in event.changes]
    _insert(db, "revision", changes)


def _insert(db: Database, table: str, rows: Iterable[tuple[object, ...]], **uncovered: object) -> None:
    """Inserts rows with their checksums. The values are in the order of `COVERED`; `uncovered` have no checksum."""
    names = (*COVERED[table], "checksum", *uncovered)
    db.executemany(
        f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})",
        [(*values, checksum_without_bytes(values), *uncovered.values()) for values in rows],
    )


def mark_undone(db: Database, undone: Mapping[str, str | None]) -> None:
    """Event id → the event that undid it."""
    sql = f"UPDATE event SET undone_by = ?2, checksum = {summed('event', undone_by='?2')} WHERE id = ?1"
    db.executemany(sql, list(undone.items()))


def record(db: Database, entry: RecallEntry | Access) -> None:
    if isinstance(entry, Access):
        _count(db, "access", entry.at, [entry.memory_id])
        return
    _add(db, entry)
    _count(db, entry.counts, entry.at, [memory_id for memory_id, _ in entry.hits])
    if journal.is_time_to_trim(entry.id):
        journal.trim_recalls(db, SQLITE, entry.namespace, journal.RECALLS_KEPT)


def record_late(db: Database, entry: RecallEntry | Access) -> None:
    """Records an entry that had to wait. If one of its memories was purged in the meantime, the question is left out,
    as `purge` does."""
    if isinstance(entry, RecallEntry):
        ids = {memory_id for memory_id, _ in entry.hits}
        held = "SELECT count(*) FROM memory WHERE id IN (SELECT value FROM json_each(?))"
        if db.execute(held, (_json(list(ids)),)).get < len(ids):
            entry = replace(entry, query="")
    record(db, entry)


def _add(db: Database, entry: RecallEntry) -> None:
    values = (
        entry.id,
        to_micros(entry.at),
        entry.actor,
        entry.namespace,
        entry.query,
        entry.recipe,
        entry.rejected,
        float(entry.confidence),
    )
    _insert(db, "recall", [values], ms=None if entry.ms is None else float(entry.ms))
    hits = enumerate(entry.hits, start=1)
    _insert(db, "recalled", [(entry.id, memory_id, rank, float(score)) for rank, (memory_id, score) in hits])


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
    _insert(db, "feedback", [_given(said, each) for each in said.given])


def _given(said: RecallFeedback, f: Feedback) -> tuple[object, ...]:
    outcome = None if f.outcome is None else float(f.outcome)
    changed = (float(f.strength), float(f.importance))
    return (said.recall_id, f.memory_id, int(f.used), outcome, *changed, to_micros(said.at))


def _json(value: object) -> str:
    return json.dumps(plain(value), ensure_ascii=False)
