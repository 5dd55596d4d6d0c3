"""Makes derived data again from the rows: words and counts. Removes vectors that are damaged."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ...types import Memory
from ..values import Document
from . import vectors
from .check import damaged_views
from .connections import Database
from .lexicon import Lexicon

_REMOVED = (
    "DELETE FROM link l WHERE NOT EXISTS (SELECT 1 FROM memory m WHERE m.tenant = l.tenant AND m.id = l.a) "
    "OR NOT EXISTS (SELECT 1 FROM memory m WHERE m.id = l.b)",
    "DELETE FROM view v WHERE NOT EXISTS (SELECT 1 FROM memory m WHERE m.tenant = v.tenant AND m.id = v.id)",
    "TRUNCATE lexicon, term, corpus",
)


def repair(db: Database, memories: Iterable[Memory], words: Callable[[Memory], Document]) -> None:
    """Needs rows that are whole. The caller holds the write lock."""
    vectors.remove(db, damaged_views(db))
    for sql in _REMOVED:
        db.execute(sql)
    index = Lexicon(db)
    for memory in memories:
        index.add(memory.id, memory.namespace, memory.granularity, words(memory))
    index.flush()
