"""The append-only event log, the recall log, and what was said of recalls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from ...types import Change, Event, plain
from ..protocol import Feedback, RecallEntry
from .connections import Database
from .filters import Where
from .rows import from_micros, to_json, to_micros

SHOWN = 5
"""How many of the most and least helpful memories `stats` names."""
_BY_HAND = ("update", "undo", "restore", "reinforce", "merge", "link", "supersede")
_COUNTERS = {
    "retrieval": ("retrieval_count", "last_retrieved_at"),
    "access": ("access_count", "last_accessed_at"),
}


def _tenant(namespace: str) -> str:
    return namespace.partition("/")[0]


# Events -------------------------------------------------------------------------------------------


def append(db: Database, events: Sequence[Event]) -> None:
    """All of them in one statement; their order is the order of the log."""
    if not events:
        return
    changes = [
        (e.id, c.memory_id, None if c.before is None else to_json(plain(c.before))) for e in events for c in e.changes
    ]
    db.execute(
        "WITH logged AS (INSERT INTO event (tenant, id, at, actor, action, namespace, detail, undone_by) "
        "SELECT tenant, id, at, actor, action, namespace, detail, undone_by FROM unnest(%s::text[], %s::text[], "
        "%s::bigint[], %s::text[], %s::text[], %s::text[], %s::json[], %s::text[]) WITH ORDINALITY "
        "AS e (tenant, id, at, actor, action, namespace, detail, undone_by, n) ORDER BY n RETURNING tenant, id, seq) "
        "INSERT INTO revision (tenant, event, memory_id, before) SELECT e.tenant, e.seq, c.memory_id, c.before "
        "FROM unnest(%s::text[], %s::text[], %s::json[]) AS c (event, memory_id, before) "
        "JOIN logged e ON e.id = c.event",
        (*_columns(map(_row, events), 8), *_columns(changes, 3)),
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


def events(db: Database, memory_id: str | None, event_id: str | None) -> list[Event]:
    if not _storable(memory_id or event_id):
        return []
    found = (
        "SELECT DISTINCT tenant, event FROM revision WHERE memory_id = %s"
        if memory_id is not None
        else "SELECT tenant, seq FROM event WHERE id = %s"
    )
    rows = db.execute(
        "SELECT e.seq, e.id, e.at, e.actor, e.action, e.namespace, e.detail, e.undone_by, r.memory_id, r.before "
        f"FROM ({found}) f (tenant, seq) JOIN event e ON e.tenant = f.tenant AND e.seq = f.seq "
        "LEFT JOIN revision r ON r.tenant = e.tenant AND r.event = e.seq AND (%s::text IS NULL OR r.memory_id = %s) "
        "ORDER BY e.seq, r.memory_id",
        (memory_id or event_id, memory_id, memory_id),
    )
    return grouped(rows)


def grouped(rows: Iterable[Sequence[Any]]) -> list[Event]:
    heads: dict[int, Sequence[Any]] = {}
    changes: defaultdict[int, list[Change]] = defaultdict(list)
    for seq, *head, memory_id, before in rows:
        heads[seq] = head
        if memory_id is not None:
            changes[seq].append(Change(memory_id=memory_id, before=before))
    return [_event(head, tuple(changes[seq])) for seq, head in heads.items()]


def _event(head: Sequence[Any], changes: tuple[Change, ...]) -> Event:
    event_id, at, actor, action, namespace, detail, undone_by = head
    moment = from_micros(at)
    assert moment is not None
    return Event(
        id=event_id,
        at=moment,
        actor=actor,
        action=action,
        namespace=namespace,
        changes=changes,
        detail=detail,
        undone_by=undone_by,
    )


def _storable(value: object) -> bool:
    """Half of a surrogate pair can't be part of any id, nor be asked for; nor can NUL."""
    try:
        return bool(isinstance(value, str) and value.encode() and "\0" not in value)
    except UnicodeEncodeError:
        return False


# Recalls ------------------------------------------------------------------------------------------


def record(db: Database, logged: RecallEntry) -> None:
    """One statement, so that it needs neither a transaction nor the writer's lock."""
    at, tenant = to_micros(logged.at), _tenant(logged.namespace)
    ids, scores = [id for id, _ in logged.hits], [score for _, score in logged.hits]
    head = (logged.actor, logged.namespace, logged.query, logged.recipe, logged.rejected, logged.confidence)
    db.execute(
        "WITH r AS (INSERT INTO recall VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)), "
        "h AS (INSERT INTO recalled (tenant, recall, memory_id, rank, score) "
        "SELECT %s, %s, * FROM unnest(%s::text[], %s::int[], %s::float8[])) " + _counting(logged.counts),
        (tenant, logged.id, at, *head, tenant, logged.id, ids, list(range(1, len(ids) + 1)), scores, at, ids),
    )


def touch(db: Database, memory_id: str, at: datetime) -> None:
    db.execute(_counting("access"), (to_micros(at), [memory_id]))


def _counting(which: str) -> str:
    """Rows are taken in the order of their ids, so that two recalls can't wait for each other."""
    count, last = _COUNTERS[which]
    return (
        f"INSERT INTO usage (tenant, id, {count}, {last}) "
        "SELECT m.tenant, m.id, 1, %s FROM memory m WHERE m.id = ANY(%s) ORDER BY m.id "
        f"ON CONFLICT (tenant, id) DO UPDATE SET {count} = usage.{count} + 1, "
        f"{last} = greatest(usage.{last}, excluded.{last})"
    )


def recalled(db: Database, recall_id: str) -> list[str] | None:
    rows = db.execute(
        "SELECT h.memory_id FROM recall r LEFT JOIN recalled h ON h.tenant = r.tenant AND h.recall = r.id "
        "WHERE r.id = %s ORDER BY h.rank",
        (recall_id,),
    ).fetchall()
    return list(dict.fromkeys(id for (id,) in rows if id is not None)) if rows else None


# Feedback -----------------------------------------------------------------------------------------


def feedback(db: Database, recall_id: str) -> list[Feedback]:
    rows = db.execute(
        "SELECT memory_id, used, outcome, strength, importance FROM feedback WHERE recall = %s ORDER BY memory_id",
        (recall_id,),
    )
    return [
        Feedback(memory_id=memory_id, used=used, outcome=outcome, strength=strength, importance=importance)
        for memory_id, used, outcome, strength, importance in rows
    ]


def set_feedback(db: Database, recall_id: str, given: Sequence[Feedback], at: datetime) -> None:
    db.execute("DELETE FROM feedback WHERE recall = %s", (recall_id,))
    row = db.execute("SELECT tenant FROM recall WHERE id = %s", (recall_id,)).fetchone()
    tenant, moment = row[0] if row else "", to_micros(at)
    db.cursor().executemany(
        "INSERT INTO feedback VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",
        [(tenant, recall_id, f.memory_id, f.used, f.outcome, f.strength, f.importance, moment) for f in given],
    )


def edited_at(db: Database, ids: Iterable[str], until: datetime) -> dict[str, datetime]:
    rows = db.execute(
        "SELECT r.memory_id, max(e.at) FROM revision r JOIN event e ON e.tenant = r.tenant AND e.seq = r.event "
        "WHERE r.memory_id = ANY(%s) AND e.at <= %s AND e.action = ANY(%s) GROUP BY 1",
        (list(ids), to_micros(until), list(_BY_HAND)),
    )
    return {memory_id: moment for memory_id, at in rows if (moment := from_micros(at)) is not None}


def usage(db: Database, where: Where) -> dict[str, Any]:
    """The memories that were used most often, and those that were offered most often and never used."""
    sql = (
        "SELECT m.id, count(*) FILTER (WHERE f.used) AS used, count(*) AS offered, avg(f.outcome) "
        f"FROM feedback f JOIN memory m ON m.id = f.memory_id WHERE {where.sql} GROUP BY 1 "
        "HAVING (count(*) FILTER (WHERE f.used) > 0) = %s ORDER BY {} DESC, 1 LIMIT %s"
    )
    names = ("id", "used", "offered", "outcome")
    found = {
        "most_used": db.execute(sql.replace("{}", "2"), (*where.bindings, True, SHOWN)).fetchall(),
        "never_used": db.execute(sql.replace("{}", "3"), (*where.bindings, False, SHOWN)).fetchall(),
    }
    return {key: [dict(zip(names, row, strict=True)) for row in rows] for key, rows in found.items() if rows}
