"""The whole database, page by page: what is needed to make it anew elsewhere."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from ...types import FIELDS, Event
from ..protocol import Document, Embedded, Feedback, Put, RecallEntry, RecallRecord
from . import log
from .connections import Database
from .rows import COLUMNS, FROM, SELECT, from_micros, to_memory


def puts(db: Database, after: int, limit: int) -> list[tuple[int, Put]]:
    rows = db.execute(
        f"SELECT {SELECT}, m.seq, m.digest, m.about, l.part, {', '.join(f'l.{name}' for name in FIELDS)} FROM {FROM} "
        "LEFT JOIN lexicon l ON l.tenant = m.tenant AND l.id = m.id AND l.part = 0 "
        "WHERE m.seq > %s ORDER BY m.seq LIMIT %s",
        (after, limit),
    ).fetchall()
    views = _views(db, [row[0] for row in rows])
    return [_put(row, views) for row in rows]


def _put(row: Sequence[Any], views: dict[str, dict[str, Embedded]]) -> tuple[int, Put]:
    memory = to_memory(row[: len(COLUMNS)])
    seq, digest, about, part, *columns = row[len(COLUMNS) :]
    document = None
    if part is not None:
        document = Document(**{name: tuple(terms.split()) for name, terms in zip(FIELDS, columns, strict=True)})
    made = Put(memory=memory, document=document, digest=digest, about=about, vectors=views.get(memory.id, {}))
    return seq, made


def _views(db: Database, ids: Sequence[str]) -> dict[str, dict[str, Embedded]]:
    rows = db.execute(
        "SELECT v.id, v.name, v.hash, v.embedding FROM memory m JOIN view v ON v.tenant = m.tenant AND v.id = m.id "
        "WHERE m.id = ANY(%s) ORDER BY v.id, v.name",
        (ids,),
        binary=True,
    ).fetchall()
    found: defaultdict[str, dict[str, Embedded]] = defaultdict(dict)
    if rows:
        import numpy as np

        from .vectors import halves

        for (id, name, hash, _), vector in zip(rows, halves(row[-1] for row in rows), strict=True):
            found[id][name] = Embedded(hash=hash, vector=vector.astype(np.float32))
    return found


def events(db: Database, after: int, limit: int) -> list[tuple[int, Event]]:
    rows = db.execute(
        "SELECT e.seq, e.id, e.at, e.actor, e.action, e.namespace, e.detail, e.undone_by, r.memory_id, r.before "
        "FROM (SELECT * FROM event WHERE seq > %s ORDER BY seq LIMIT %s) e "
        "LEFT JOIN revision r ON r.tenant = e.tenant AND r.event = e.seq ORDER BY e.seq, r.memory_id",
        (after, limit),
    ).fetchall()
    return list(zip(dict.fromkeys(row[0] for row in rows), log.grouped(rows), strict=True))


def recalls(db: Database, after: str, limit: int) -> list[RecallRecord]:
    rows = db.execute(
        "SELECT tenant, id, at, actor, namespace, query, recipe, rejected, confidence FROM recall WHERE id > %s "
        "ORDER BY id LIMIT %s",
        (after, limit),
    ).fetchall()
    return remarks(db, [row[1:] for row in rows])


def remarks(db: Database, rows: Sequence[Sequence[Any]]) -> list[RecallRecord]:
    ids = [row[0] for row in rows]
    hits, said = _hits(db, ids), _said(db, ids)
    return [_remark(row, hits[row[0]], said[row[0]]) for row in rows]


def _hits(db: Database, ids: Sequence[str]) -> defaultdict[str, list[tuple[str, float]]]:
    found: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
    for recall, memory_id, score in db.execute(
        "SELECT h.recall, h.memory_id, h.score FROM recall r JOIN recalled h ON h.tenant = r.tenant "
        "AND h.recall = r.id WHERE r.id = ANY(%s) ORDER BY h.recall, h.rank",
        (ids,),
    ):
        found[recall].append((memory_id, score))
    return found


def _said(db: Database, ids: Sequence[str]) -> defaultdict[str, list[tuple[Any, ...]]]:
    found: defaultdict[str, list[tuple[Any, ...]]] = defaultdict(list)
    for recall, *row in db.execute(
        "SELECT recall, memory_id, used, outcome, strength, importance, at FROM feedback "
        "WHERE recall = ANY(%s) ORDER BY recall, memory_id",
        (ids,),
    ):
        found[recall].append(tuple(row))
    return found


def _remark(row: Sequence[Any], hits: list[tuple[str, float]], said: list[tuple[Any, ...]]) -> RecallRecord:
    recall_id, at, actor, namespace, query, recipe, rejected, confidence = row
    moment = from_micros(at)
    assert moment is not None
    logged = RecallEntry(
        id=recall_id,
        at=moment,
        actor=actor,
        namespace=namespace,
        query=query,
        recipe=recipe,
        rejected=rejected,
        confidence=confidence,
        hits=hits,
        counts="retrieval",
    )
    given = [
        Feedback(memory_id=id, used=used, outcome=outcome, strength=strength, importance=importance)
        for id, used, outcome, strength, importance, _ in said
    ]
    return RecallRecord(logged=logged, feedback=given, said_at=from_micros(said[0][-1]) if said else None)
