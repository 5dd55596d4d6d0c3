"""What was said of recalls, and when someone last had a hand in a memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from ..protocol import Feedback
from .connections import Database
from .filters import Where
from .rows import from_micros, to_micros

SHOWN = 5
"""How many of the most and least helpful memories `stats` names."""
_BY_HAND = ("update", "undo", "restore", "reinforce", "merge", "link", "supersede")


def recalled(db: Database, recall_id: str) -> list[str] | None:
    if db.execute("SELECT 1 FROM recall WHERE id = ?", (recall_id,)).get is None:
        return None
    rows = db.execute("SELECT memory_id FROM recalled WHERE recall = ? ORDER BY rank", (recall_id,))
    return list(dict.fromkeys(memory_id for (memory_id,) in rows))


def read(db: Database, recall_id: str) -> list[Feedback]:
    rows = db.execute(
        "SELECT memory_id, used, outcome, strength, importance FROM feedback WHERE recall = ? ORDER BY memory_id",
        (recall_id,),
    )
    return [
        Feedback(memory_id=memory_id, used=bool(used), outcome=outcome, strength=strength, importance=importance)
        for memory_id, used, outcome, strength, importance in rows
    ]


def replace(db: Database, recall_id: str, given: Sequence[Feedback], at: datetime) -> None:
    db.execute("DELETE FROM feedback WHERE recall = ?", (recall_id,))
    db.executemany(
        "INSERT INTO feedback VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(recall_id, f.memory_id, int(f.used), f.outcome, f.strength, f.importance, to_micros(at)) for f in given],
    )


def edited_at(db: Database, ids: Iterable[str], until: datetime) -> dict[str, datetime]:
    rows = db.execute(
        "SELECT r.memory_id, max(e.at) FROM json_each(?) j CROSS JOIN revision r ON r.memory_id = j.value "
        f"JOIN event e ON e.seq = r.event WHERE e.at <= ? AND e.action IN ({', '.join('?' * len(_BY_HAND))}) "
        "GROUP BY 1",
        (json.dumps(list(ids)), to_micros(until), *_BY_HAND),
    )
    return {memory_id: moment for memory_id, at in rows if (moment := from_micros(at)) is not None}


def usage(db: Database, where: Where) -> dict[str, Any]:
    """The memories that were used most often, and those that were offered most often and never used."""
    sql = (
        "SELECT m.id, sum(f.used) AS used, count(*) AS offered, avg(f.outcome) FROM feedback f "
        f"JOIN memory m ON m.id = f.memory_id WHERE {where.sql} GROUP BY 1 HAVING "
    )
    names = ("id", "used", "offered", "outcome")
    found = {
        "most_used": db.execute(f"{sql} used > 0 ORDER BY used DESC, 1 LIMIT ?", (*where.bindings, SHOWN)).fetchall(),
        "never_used": db.execute(
            f"{sql} used = 0 ORDER BY offered DESC, 1 LIMIT ?", (*where.bindings, SHOWN)
        ).fetchall(),
    }
    return {key: [dict(zip(names, row, strict=True)) for row in rows] for key, rows in found.items() if rows}
