"""Makes derived data again from the rows: indexes, words, counts. Removes vectors that are damaged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from ...types import Memory
from ..checksums import vector_checksum
from ..values import Document
from . import schema
from .connections import Database
from .dialect import SQLITE
from .lexicon import Lexicon
from .writing import next_generation

_REMOVED = (
    "DELETE FROM link WHERE a NOT IN (SELECT id FROM memory) OR b NOT IN (SELECT id FROM memory)",
    "UPDATE memory SET tenant = substr(namespace, 1, instr(namespace || '/', '/') - 1)",
    "DELETE FROM view WHERE row NOT IN (SELECT row FROM memory)",
    # all views of the memory go, so that `reembed` makes all of them
    "DELETE FROM view WHERE row IN (SELECT row FROM view WHERE vector NOT IN (SELECT number FROM vector))",
    "DELETE FROM vector WHERE number NOT IN (SELECT vector FROM view)",
    "UPDATE sqlite_sequence SET seq = (SELECT coalesce(max(seq), 0) FROM view) WHERE name = 'view'",
    "UPDATE sqlite_sequence SET seq = (SELECT coalesce(max(seq), 0) FROM event) WHERE name = 'event'",
)


def repair(db: Database, words: Callable[[Memory], Document]) -> None:
    """Needs rows that are whole. The caller holds the write lock."""
    db.execute("REINDEX")
    _drop_damaged_vectors(db)
    for sql in _REMOVED:
        db.execute(sql)
    next_generation(db)
    _index_words(db, words)


def _drop_damaged_vectors(db: Database) -> None:
    rows = db.execute("SELECT number, data, checksum FROM vector").fetchall()
    sizes = Counter(len(data) for _, data, _ in rows).most_common(1)
    bad = [(number,) for number, data, held in rows if len(data) != sizes[0][0] or vector_checksum(data) != held]
    db.executemany("DELETE FROM vector WHERE number = ?", bad)


def _index_words(db: Database, words: Callable[[Memory], Document]) -> None:
    db.execute("DROP TABLE lexicon; DELETE FROM term; DELETE FROM corpus")
    db.execute(schema.LEXICON)
    index = Lexicon(db)
    for row, *values in db.execute(f"SELECT m.row, {SQLITE.selected} FROM memory m").fetchall():
        memory = SQLITE.memory(values)
        index.add(row, memory, words(memory))
    index.flush()
