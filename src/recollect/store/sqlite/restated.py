"""Finds the memories that state the same as a text, by the key of the statement. No search by vectors is needed."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from ...text.same_statement import statement_key
from ...types import Filter
from .connections import Database
from .dialect import SQLITE, compile_filter
from .sketch import Floats
from .vectors import unpacked

_FOUND = (
    "SELECT d.same, m.id, v.data, v.checksum FROM json_each(?) j CROSS JOIN document d ON d.same = j.value "
    "CROSS JOIN memory m ON m.row = d.row CROSS JOIN view w ON w.row = m.row AND w.name = ? "
    "CROSS JOIN vector v ON v.number = w.vector WHERE "
)


def restated(
    db: Database, queries: Floats, texts: Sequence[str], view: str, filter: Filter, at_least: float
) -> list[list[tuple[str, float]]]:
    """For each text: the admitted memories that state the same and have at least that cosine, best first."""
    keys = list(map(statement_key, texts))
    stating: defaultdict[int, list[tuple[str, Floats]]] = defaultdict(list)
    if held := _held(db, set(keys)):
        where = compile_filter(filter)
        for key, memory_id, *stored in db.execute(_FOUND + where.sql, (json.dumps(held), view, *where.values)):
            stating[key].append((memory_id, unpacked(*stored)))
    return [_close(query, stating.get(key, ()), at_least) for query, key in zip(queries, keys, strict=True)]


def _held(db: Database, keys: set[int]) -> list[int]:
    """Those of the keys that a document has. Mostly there is none, which the index alone says."""
    wanted = SQLITE.among("same", sorted(keys))
    rows = db.execute(f"SELECT DISTINCT same FROM document WHERE {wanted.sql} ORDER BY same", wanted.values)
    return [key for (key,) in rows]


def _close(query: Floats, stating: Sequence[tuple[str, Floats]], at_least: float) -> list[tuple[str, float]]:
    if not stating:
        return []
    asked = query.astype(np.float64)
    cosines = [
        (memory_id, float(np.einsum("j,j->", vector.astype(np.float64), asked))) for memory_id, vector in stating
    ]
    return sorted([one for one in cosines if one[1] >= at_least], key=lambda one: (-one[1], one[0]))
