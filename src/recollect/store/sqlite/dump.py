"""The whole file, page by page: what is needed to make it anew elsewhere."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

from ...types import FIELDS, Event
from ..protocol import Document, Embedded, Feedback, Put, RecallEntry, RecallRecord
from . import log
from .connections import Database
from .rows import SELECT, from_micros, to_memory


def puts(db: Database, after: int, limit: int) -> list[tuple[int, Put]]:
    rows = db.execute(
        f"SELECT m.row, m.digest, m.about, c.id, c0, c1, c2, c3, {SELECT} FROM memory m "
        "LEFT JOIN lexicon_content c ON c.id = m.row WHERE m.row > ? ORDER BY m.row LIMIT ?",
        (after, limit),
    ).fetchall()
    views = _views(db, [row[0] for row in rows])
    found = []
    for row, digest, about, indexed, *rest in rows:
        terms, memory = rest[: len(FIELDS)], to_memory(rest[len(FIELDS) :])
        fields = {name: tuple(column.split()) for name, column in zip(FIELDS, terms, strict=True)} if indexed else {}
        document = Document(**fields) if indexed else None
        found.append(
            (row, Put(memory=memory, document=document, digest=digest, about=about, vectors=views.get(row, {})))
        )
    return found


def _views(db: Database, rows: list[int]) -> dict[int, dict[str, Embedded]]:
    found: defaultdict[int, dict[str, Embedded]] = defaultdict(dict)
    held = db.execute(
        "SELECT w.row, w.name, v.hash, v.data FROM json_each(?) j CROSS JOIN view w ON w.row = j.value "
        "JOIN vector v ON v.number = w.vector ORDER BY w.seq",
        (json.dumps(rows),),
    ).fetchall()
    if held:
        import numpy as np

        for row, name, hash, data in held:
            found[row][name] = Embedded(hash=hash, vector=np.frombuffer(data, np.float16).astype(np.float32))
    return found


def events(db: Database, after: int, limit: int) -> list[tuple[int, Event]]:
    rows = db.execute("SELECT seq, id FROM event WHERE seq > ? ORDER BY seq LIMIT ?", (after, limit)).fetchall()
    return [(seq, log.events(db, None, event_id)[0]) for seq, event_id in rows]


def recalls(db: Database, after: str, limit: int) -> list[RecallRecord]:
    rows = db.execute(
        "SELECT id, at, actor, namespace, query, recipe, rejected, confidence FROM recall WHERE id > ? "
        "ORDER BY id LIMIT ?",
        (after, limit),
    ).fetchall()
    return [remark(db, row) for row in rows]


def remark(db: Database, row: tuple[Any, ...]) -> RecallRecord:
    recall_id, at, actor, namespace, query, recipe, rejected, confidence = row
    hits = db.execute("SELECT memory_id, score FROM recalled WHERE recall = ? ORDER BY rank", (recall_id,)).fetchall()
    said = db.execute(
        "SELECT memory_id, used, outcome, strength, importance, at FROM feedback WHERE recall = ? ORDER BY memory_id",
        (recall_id,),
    ).fetchall()
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
        Feedback(memory_id=id, used=bool(used), outcome=outcome, strength=strength, importance=importance)
        for id, used, outcome, strength, importance, _ in said
    ]
    return RecallRecord(logged=logged, feedback=given, said_at=from_micros(said[0][-1]) if said else None)
