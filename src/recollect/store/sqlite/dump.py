"""Reads memories with their terms and vectors page by page."""

from __future__ import annotations

import json
from collections import defaultdict

from ...types import FIELDS
from ..values import Document, Embedded, Put
from . import postings
from .connections import Database
from .dialect import SQLITE


def puts(db: Database, after: int, limit: int) -> list[tuple[int, Put]]:
    rows = db.execute(
        f"SELECT m.row, m.digest, m.about, document.seq, {postings.AS_TEXT}, {SQLITE.selected} FROM memory m "
        "LEFT JOIN document ON document.row = m.row WHERE m.row > ? ORDER BY m.row LIMIT ?",
        (after, limit),
    ).fetchall()
    views = _views(db, [row[0] for row in rows])
    found = []
    for row, digest, about, indexed, *rest in rows:
        terms, memory = rest[: len(FIELDS)], SQLITE.memory(rest[len(FIELDS) :])
        fields = {name: tuple(column.split()) for name, column in zip(FIELDS, terms, strict=True)} if indexed else {}
        document = Document(**fields) if indexed else None
        found.append(
            (row, Put(memory=memory, document=document, digest=digest, about=about, vectors=views.get(row, {})))
        )
    return found


def _views(db: Database, rows: list[int]) -> dict[int, dict[str, Embedded]]:
    found: defaultdict[int, dict[str, Embedded]] = defaultdict(dict)
    held = db.execute(
        "SELECT w.row, w.name, v.hash, v.data, v.checksum FROM json_each(?) j CROSS JOIN view w ON w.row = j.value "
        "JOIN vector v ON v.number = w.vector ORDER BY w.seq",
        (json.dumps(rows),),
    ).fetchall()
    if held:
        from .vectors import unpacked  # imports numpy

        for row, name, hash, data, checksum in held:
            found[row][name] = Embedded(hash=hash, vector=unpacked(data, checksum))
    return found
