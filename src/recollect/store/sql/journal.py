"""Reads the event log and the recall log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ...types import Change, Event
from ..values import Feedback, RecallEntry, RecallRecord
from .dialect import Clause, Database, Dialect
from .filters import Where, compile_logged
from .rows import moment, to_micros

BY_HAND = ("update", "undo", "restore", "reinforce", "merge", "link", "supersede")
"""The actions that `last_edited` counts: those of people and agents, not of maintenance."""
COUNTERS = {
    "retrieval": ("retrieval_count", "last_retrieved_at"),
    "access": ("access_count", "last_accessed_at"),
}
RECALLS_KEPT = 20_000
"""Recalls per namespace that the log keeps. Otherwise a key that may only read could fill the disk."""
_OF_A_TENANT = 10
"""A tenant keeps as many as this many namespaces: a key may ask in any namespace below its own, whatever is there."""
_EVENT = ("seq", "id", "at", "actor", "action", "namespace", "detail", "undone_by")
_RECALL = ("id", "at", "actor", "namespace", "query", "recipe", "rejected", "confidence", "ms")


@dataclass(frozen=True, slots=True)
class Chosen:
    """Selects entries of a log."""

    id: str | None
    memory_id: str | None
    namespaces: Sequence[str]
    before: str | None
    limit: int | None
    changes: bool = True
    """Whether the changes of events are read."""

    @property
    def is_possible(self) -> bool:
        """False for ids that no entry can have. A database would raise an error for them."""
        return all(is_storable(given) for given in (self.id, self.memory_id) if given is not None)

    def where(self, dialect: Dialect) -> Where:
        where = compile_logged(self.namespaces, dialect)
        if self.id is not None:
            where.add("m.id = ?", self.id)
        if self.before is not None:
            where.add("m.id < ?", self.before)
        return where


_ALL = Chosen(None, None, (), None, None)


def is_storable(value: object) -> bool:
    """Whether an id can be stored: no NUL and no lone surrogate."""
    try:
        return bool(isinstance(value, str) and value.encode() and "\0" not in value)
    except UnicodeEncodeError:
        return False


# Events -------------------------------------------------------------------------------------------


def events(db: Database, dialect: Dialect, chosen: Chosen) -> list[Event]:
    if not chosen.is_possible:
        return []
    where, order = chosen.where(dialect), "id"
    if chosen.memory_id is not None:
        key, named, order = dialect.with_tenant("m", "seq"), dialect.with_tenant("r", "event"), "seq"
        where.add(f"({key}) IN (SELECT {named} FROM revision r WHERE r.memory_id = ?)", chosen.memory_id)
    found = _events(db, dialect, where, f"{order} DESC", chosen.limit, _changes(dialect, chosen))
    return [event for _, event in found]


def _changes(dialect: Dialect, chosen: Chosen) -> Clause:
    """The table of an event's changes."""
    if not chosen.changes:
        return Clause(f"(SELECT NULL AS memory_id, NULL AS before) r ON {dialect.true}", [])
    every = f"revision r ON {dialect.same_tenant('r', 'e')}r.event = e.seq{dialect.intact('revision', 'r')}"
    if chosen.memory_id is None:
        return Clause(every, [])
    return Clause(f"{every} AND r.memory_id = ?", [chosen.memory_id])


def event_page(db: Database, dialect: Dialect, after: int, limit: int) -> list[tuple[int, Event]]:
    """Events in the order they were logged, each with its position."""
    return _events(db, dialect, Where(dialect).add("m.seq > ?", after), "seq", limit, _changes(dialect, _ALL))


def _events(
    db: Database, dialect: Dialect, where: Where, order: str, limit: int | None, changes: Clause
) -> list[tuple[int, Event]]:
    rows = dialect.rows(
        db,
        f"SELECT {_columns('e', _EVENT)}, r.memory_id, r.before "
        f"FROM (SELECT m.* FROM event m WHERE {where.shared}{dialect.intact('event', 'm')} "
        f"ORDER BY m.{order} LIMIT ?) e "
        f"LEFT JOIN {changes.sql} "
        f"ORDER BY e.{order}, r.memory_id",
        (*where.values, dialect.no_limit if limit is None else limit, *changes.values),
    )
    return _grouped(rows, dialect)


def position(db: Database, dialect: Dialect, id: str) -> int | None:
    """The position of an event in the log."""
    return next((seq for (seq,) in dialect.rows(db, "SELECT seq FROM event WHERE id = ?", [id])), None)


def chained_page(db: Database, dialect: Dialect, after: int, limit: int) -> list[tuple[int, Event, str | None]]:
    """Events in the order they were logged, each with its position and its hash. The old values are not read."""
    rows = dialect.rows(
        db,
        f"SELECT {_columns('e', _EVENT)}, r.memory_id, NULL, e.hash "
        "FROM (SELECT m.* FROM event m WHERE m.seq > ? ORDER BY m.seq LIMIT ?) e "
        f"LEFT JOIN revision r ON {dialect.same_tenant('r', 'e')}r.event = e.seq ORDER BY e.seq",
        (after, limit),
    )
    hashes = {row[0]: row[-1] for row in rows}
    return [(seq, event, hashes[seq]) for seq, event in _grouped((row[:-1] for row in rows), dialect)]


def _columns(alias: str, names: Sequence[str]) -> str:
    return ", ".join(f"{alias}.{name}" for name in names)


def _grouped(rows: Iterable[Sequence[Any]], dialect: Dialect) -> list[tuple[int, Event]]:
    heads: dict[int, Sequence[Any]] = {}
    changes: defaultdict[int, list[Change]] = defaultdict(list)
    for seq, *head, memory_id, before in rows:
        heads[seq] = head
        if memory_id is not None:
            changes[seq].append(Change(memory_id=memory_id, before=dialect.json(before)))
    return [(seq, _event(head, tuple(changes[seq]), dialect)) for seq, head in heads.items()]


def _event(head: Sequence[Any], changes: tuple[Change, ...], dialect: Dialect) -> Event:
    event_id, at, actor, action, namespace, detail, undone_by = head
    return Event(
        id=event_id,
        at=moment(at),
        actor=actor,
        action=action,
        namespace=namespace,
        changes=changes,
        detail=dialect.json(detail),
        undone_by=undone_by,
    )


def last_edited(db: Database, dialect: Dialect, ids: Iterable[str], until: datetime) -> dict[str, datetime]:
    edited, by_hand = dialect.among("r.memory_id", list(ids)), dialect.among("e.action", BY_HAND)
    rows = dialect.rows(
        db,
        "SELECT r.memory_id, max(e.at) FROM revision r "
        f"JOIN event e ON {dialect.same_tenant('e', 'r')}e.seq = r.event "
        f"WHERE {edited.sql} AND e.at <= ? AND {by_hand.sql} GROUP BY 1",
        (*edited.values, to_micros(until), *by_hand.values),
    )
    return {memory_id: moment(at) for memory_id, at in rows}


# Recalls ------------------------------------------------------------------------------------------


def recalls(db: Database, dialect: Dialect, chosen: Chosen) -> list[RecallRecord]:
    if not chosen.is_possible:
        return []
    where = chosen.where(dialect)
    if chosen.memory_id is not None:
        where.add("m.id IN (SELECT recall FROM recalled WHERE memory_id = ?)", chosen.memory_id)
    return _recalls(db, dialect, where, "DESC", chosen.limit)


def recall_page(db: Database, dialect: Dialect, after: str, limit: int) -> list[RecallRecord]:
    """Recalls ordered by id."""
    return _recalls(db, dialect, Where(dialect).add("m.id > ?", after), "ASC", limit)


def _recalls(db: Database, dialect: Dialect, where: Where, order: str, limit: int | None) -> list[RecallRecord]:
    rows = dialect.rows(
        db,
        f"SELECT {_columns('m', _RECALL)} FROM recall m WHERE {where.shared}{dialect.intact('recall', 'm')} "
        f"ORDER BY m.id {order} LIMIT ?",
        (*where.values, dialect.no_limit if limit is None else limit),
    )
    ids = [row[0] for row in rows]
    hits = _belonging(db, dialect, "recalled", ("memory_id", "score"), "rank", ids)
    said = _belonging(
        db, dialect, "feedback", ("memory_id", "used", "outcome", "strength", "importance", "at"), "memory_id", ids
    )
    return [_record(row, hits[row[0]], said[row[0]]) for row in rows]


def trim_recalls(db: Database, dialect: Dialect, namespace: str, keep: int) -> None:
    """Deletes the oldest recalls of a namespace beyond this number, and of its tenant beyond ten times as many."""
    _trim(db, dialect, Where(dialect).add("m.namespace = ?", namespace), keep)
    _trim(db, dialect, compile_logged([namespace.partition("/")[0]], dialect), _OF_A_TENANT * keep)


def _trim(db: Database, dialect: Dialect, where: Where, keep: int) -> None:
    """Deletes the oldest of these recalls, with their hits and feedback."""
    newest = f"SELECT m.id FROM recall m WHERE {where.shared} ORDER BY m.id DESC LIMIT 1 OFFSET ?"
    for (last,) in list(dialect.rows(db, newest, (*where.values, keep))):
        old = f"(SELECT m.id FROM recall m WHERE {where.shared} AND m.id <= ?)"
        for table, column in (("feedback", "recall"), ("recalled", "recall"), ("recall", "id")):
            sql = f"DELETE FROM {table} WHERE {column} IN {old} RETURNING 1"
            list(dialect.rows(db, sql, (*where.values, last)))


def is_time_to_trim(recall_id: str) -> bool:
    """For about one recall of 256. The end of an id is random."""
    return recall_id.endswith("00")


def _belonging(
    db: Database, dialect: Dialect, table: str, columns: Sequence[str], order: str, ids: Sequence[str]
) -> defaultdict[str, list[tuple[Any, ...]]]:
    """Recall id → its rows of another table."""
    found: defaultdict[str, list[tuple[Any, ...]]] = defaultdict(list)
    if ids:
        asked = dialect.among("m.id", ids)
        sql = (
            f"SELECT m.id, {_columns('t', columns)} FROM recall m "
            f"JOIN {table} t ON {dialect.same_tenant('t', 'm')}t.recall = m.id{dialect.intact(table, 't')} "
            f"WHERE {asked.sql} ORDER BY m.id, t.{order}"
        )
        for recall, *row in dialect.rows(db, sql, asked.values):
            found[recall].append(tuple(row))
    return found


def _record(row: Sequence[Any], hits: Sequence[tuple[Any, ...]], said: Sequence[tuple[Any, ...]]) -> RecallRecord:
    id, at, actor, namespace, query, recipe, rejected, confidence, ms = row
    entry = RecallEntry(
        id=id,
        at=moment(at),
        actor=actor,
        namespace=namespace,
        query=query,
        recipe=recipe,
        rejected=rejected,
        confidence=confidence,
        hits=[(memory_id, score) for memory_id, score in hits],
        ms=ms,
    )
    given = [
        Feedback(memory_id=id, used=bool(used), outcome=outcome, strength=strength, importance=importance)
        for id, used, outcome, strength, importance, _ in said
    ]
    return RecallRecord(entry=entry, feedback=given, feedback_at=moment(said[0][-1]) if said else None)
