"""Reads memories with their terms and vectors page by page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from ...types import FIELDS
from ..sql.rows import COLUMNS
from ..values import Document, Embedded, Put
from .connections import Database
from .dialect import POSTGRES


def puts(db: Database, after: int, limit: int) -> list[tuple[int, Put]]:
    rows = db.execute(
        f"SELECT {POSTGRES.selected}, m.seq, m.digest, m.about, l.part, {', '.join(f'l.{name}' for name in FIELDS)} "
        f"FROM memory m {POSTGRES.counters} "
        "LEFT JOIN lexicon l ON l.tenant = m.tenant AND l.id = m.id AND l.part = 0 "
        "WHERE m.seq > %s ORDER BY m.seq LIMIT %s",
        (after, limit),
    ).fetchall()
    views = _views(db, [row[0] for row in rows])
    return [_put(row, views) for row in rows]


def _put(row: Sequence[Any], views: dict[str, dict[str, Embedded]]) -> tuple[int, Put]:
    memory = POSTGRES.memory(row[: len(COLUMNS)])
    seq, digest, about, part, *columns = row[len(COLUMNS) :]
    document = None
    if part is not None:
        document = Document(**{name: tuple(terms.split()) for name, terms in zip(FIELDS, columns, strict=True)})
    made = Put(memory=memory, document=document, digest=digest, about=about, vectors=views.get(memory.id, {}))
    return seq, made


def _views(db: Database, ids: Sequence[str]) -> dict[str, dict[str, Embedded]]:
    rows = db.execute(
        "SELECT v.id, v.name, v.hash, halfvec_send(v.embedding) "
        "FROM memory m JOIN view v ON v.tenant = m.tenant AND v.id = m.id "
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
