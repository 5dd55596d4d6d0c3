"""Writes the event log, the recall log and feedback."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from ...types import Event, plain
from ..chain import HEAD
from ..sql import chain, journal
from ..sql.dialect import Clause
from ..sql.journal import COUNTERS
from ..sql.rows import to_micros
from ..values import Access, RecallEntry, RecallFeedback, RecallRecord
from .connections import Database
from .dialect import POSTGRES, to_json
from .places import Places

_RECALL = "INSERT INTO recall VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
_HITS = (
    "INSERT INTO recalled (tenant, recall, memory_id, rank, score) "
    "SELECT %s, %s, * FROM unnest(%s::text[], %s::int[], %s::float8[])"
)


def _tenant(namespace: str) -> str:
    return namespace.partition("/")[0]


def head(db: Database) -> Any:  # noqa: ANN401 - a cursor
    """Asks for the head of the hash chain. Asked before other statements, no time is spent waiting for it."""
    return db.execute("SELECT value FROM setting WHERE key = %s", (HEAD,))


def append(db: Database, events: Sequence[Event], asked: Any = None) -> None:  # noqa: ANN401 - a cursor
    """Appends the events in one statement. The log keeps their order. `asked`: what `head` returned."""
    if not events:
        return
    row = (asked or head(db)).fetchone()
    hashes = chain.extend(db, POSTGRES, events, row and row[0])
    changes = [
        (e.id, c.memory_id, None if c.before is None else to_json(plain(c.before))) for e in events for c in e.changes
    ]
    db.execute(
        "WITH logged AS (INSERT INTO event (tenant, id, at, actor, action, namespace, detail, undone_by, hash) "
        "SELECT tenant, id, at, actor, action, namespace, detail, undone_by, hash FROM unnest(%s::text[], %s::text[], "
        "%s::bigint[], %s::text[], %s::text[], %s::text[], %s::json[], %s::text[], %s::text[]) WITH ORDINALITY "
        "AS e (tenant, id, at, actor, action, namespace, detail, undone_by, hash, n) ORDER BY n "
        "RETURNING tenant, id, seq) "
        "INSERT INTO revision (tenant, event, memory_id, before) SELECT e.tenant, e.seq, c.memory_id, c.before "
        "FROM unnest(%s::text[], %s::text[], %s::json[]) AS c (event, memory_id, before) "
        "JOIN logged e ON e.id = c.event",
        (*_columns(map(_row, events), 8), list(hashes), *_columns(changes, 3)),
    )


def _row(event: Event) -> tuple[Any, ...]:
    return (
        _tenant(event.namespace),
        event.id,
        to_micros(event.at),
        event.actor,
        event.action,
        event.namespace,
        to_json(plain(event.detail)),
        event.undone_by,
    )


def _columns(rows: Iterable[Sequence[Any]], count: int) -> list[list[Any]]:
    listed = list(rows)
    return [[row[n] for row in listed] for n in range(count)]


def mark_undone(db: Database, undone: Mapping[str, str | None]) -> None:
    for event_id, by in undone.items():
        db.execute("UPDATE event SET undone_by = %s WHERE id = %s", (by, event_id))


# Recalls ------------------------------------------------------------------------------------------


def record(db: Database, entry: RecallEntry | Access, places: Places | None = None) -> None:
    """Logs a recall or an access in one statement, which needs neither a transaction nor the writer's lock.

    `places` is given if the tables have partitions."""
    if isinstance(entry, Access):
        counting = _counting("access", [entry.memory_id], entry.at, places)
        db.execute(f"WITH {counting.sql}" if places else counting.sql, counting.values)
        return
    counting = _counting(entry.counts, [id for id, _ in entry.hits], entry.at, places)
    db.execute(
        f"WITH r AS ({_RECALL}), h AS ({_HITS}){',' if places else ''} {counting.sql}",
        (*_recall(entry), *_hits(entry), *counting.values),
    )
    if journal.is_time_to_trim(entry.id):
        journal.trim_recalls(db, POSTGRES, entry.namespace, journal.RECALLS_KEPT)


def record_late(db: Database, entry: RecallEntry | Access, places: Places | None = None) -> None:
    """Records an entry that had to wait. If one of its memories was purged in the meantime, the question is left out,
    as `purge` does."""
    if isinstance(entry, RecallEntry):
        ids = list({memory_id for memory_id, _ in entry.hits})
        row = db.execute("SELECT count(*) FROM memory WHERE id = ANY(%s)", (ids,)).fetchone()
        if row is not None and row[0] < len(ids):
            entry = replace(entry, query="")
    record(db, entry, places)


def _recall(entry: RecallEntry) -> tuple[Any, ...]:
    head = (entry.actor, entry.namespace, entry.query, entry.recipe, entry.rejected, entry.confidence, entry.ms)
    return (_tenant(entry.namespace), entry.id, to_micros(entry.at), *head)


def _hits(entry: RecallEntry) -> tuple[Any, ...]:
    ids, scores = [id for id, _ in entry.hits], [score for _, score in entry.hits]
    return (_tenant(entry.namespace), entry.id, ids, list(range(1, len(ids) + 1)), scores)


def _counting(which: str, ids: Sequence[str], at: datetime, places: Places | None) -> Clause:
    """SQL that increments a counter. It locks rows in the order of their ids, so that two recalls can't deadlock."""
    count, last = COUNTERS[which]
    if places is not None:
        return _counting_placed(count, last, ids, at, places)
    sql = (
        f"INSERT INTO usage (tenant, id, {count}, {last}) "
        "SELECT m.tenant, m.id, 1, %s FROM memory m WHERE m.id = ANY(%s) ORDER BY m.id "
        f"ON CONFLICT (tenant, id) DO UPDATE SET {count} = usage.{count} + 1, "
        f"{last} = greatest(usage.{last}, excluded.{last})"
    )
    return Clause(sql, [to_micros(at), list(ids)])


def _counting_placed(count: str, last: str, ids: Sequence[str], at: datetime, places: Places) -> Clause:
    """The same for partitions, which may be on other servers and then can't do ON CONFLICT. If another recall inserts
    a counter at the same moment, this one fails and is recorded later."""
    among, wanted, moment = places.of(ids), sorted(set(ids)), to_micros(at)
    inside, tenants = ("", []) if among is None else ("tenant = ANY(%s) AND ", [among])
    sql = (
        f"c AS (UPDATE usage SET {count} = {count} + 1, "
        f"{last} = CASE WHEN {last} > %s THEN {last} ELSE %s END WHERE {inside}id = ANY(%s) RETURNING id) "
        f"INSERT INTO usage (tenant, id, {count}, {last}) "
        f"SELECT tenant, id, 1, %s FROM memory WHERE {inside}id = ANY(%s) AND id NOT IN (SELECT id FROM c)"
    )
    return Clause(sql, [moment, moment, *tenants, wanted, moment, *tenants, wanted])


def restore(db: Database, held: RecallRecord) -> None:
    """Logs a recall that comes from another store. No counter changes."""
    db.execute(f"WITH r AS ({_RECALL}) {_HITS}", (*_recall(held.entry), *_hits(held.entry)))
    if held.feedback_at is not None:
        set_feedback(db, RecallFeedback(recall_id=held.entry.id, given=held.feedback, at=held.feedback_at))


def set_feedback(db: Database, said: RecallFeedback) -> None:
    db.execute("DELETE FROM feedback WHERE recall = %s", (said.recall_id,))
    db.execute(
        "INSERT INTO feedback SELECT r.tenant, r.id, f.*, %s::bigint FROM recall r, "
        "unnest(%s::text[], %s::boolean[], %s::float8[], %s::float8[], %s::float8[]) f WHERE r.id = %s",
        (
            to_micros(said.at),
            *_columns([(f.memory_id, f.used, f.outcome, f.strength, f.importance) for f in said.given], 5),
            said.recall_id,
        ),
    )
