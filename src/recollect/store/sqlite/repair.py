"""Makes derived data again from the rows: indexes, words, counts, sketches. Removes vectors that are damaged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from ...types import Memory
from ..checksums import vector_checksum
from ..values import Document
from .check import LAST
from .connections import Database
from .dialect import SQLITE
from .lexicon import SIZES, Lexicon
from .writing import next_generation

_REMOVED = (
    "DELETE FROM link WHERE a NOT IN (SELECT id FROM memory) OR b NOT IN (SELECT id FROM memory)",
    "UPDATE memory SET tenant = substr(namespace, 1, instr(namespace || '/', '/') - 1)",
    "DELETE FROM view WHERE row NOT IN (SELECT row FROM memory)",
    # all views of the memory go, so that `reembed` makes all of them
    "DELETE FROM view WHERE row IN (SELECT row FROM view WHERE vector NOT IN (SELECT number FROM vector))",
    "DELETE FROM vector WHERE number NOT IN (SELECT vector FROM view)",
    *(
        f"UPDATE sqlite_sequence SET seq = {last} WHERE name = '{table}' AND (seq > 1 << 53 OR seq < {last})"
        for table, last in LAST.items()
    ),
)
_EMPTIED = (
    f"UPDATE corpus SET {', '.join(f'{name} = 0' for name in (*SIZES, 'sealed', 'counted'))}, "
    "removed = removed + 1"  # so that other processes forget the documents that they have read
)


def repair(db: Database, words: Callable[[Memory], Document]) -> None:
    """Needs rows that are whole. The caller holds the write lock."""
    from . import stored_sketches  # imports numpy

    db.execute("REINDEX")
    _drop_damaged_vectors(db)
    for sql in _REMOVED:
        db.execute(sql)
    stored_sketches.fill(db)
    next_generation(db)
    _index_words(db, words)


def _drop_damaged_vectors(db: Database) -> None:
    rows = db.execute("SELECT number, data, checksum FROM vector").fetchall()
    sizes = Counter(len(data) for _, data, _ in rows).most_common(1)
    bad = [(number,) for number, data, held in rows if len(data) != sizes[0][0] or vector_checksum(data) != held]
    db.executemany("DELETE FROM vector WHERE number = ?", bad)


def _index_words(db: Database, words: Callable[[Memory], Document]) -> None:
    for table in ("posting", "segment", "document", "term"):
        db.execute(f"DELETE FROM {table}")
    db.execute(_EMPTIED)
    index = Lexicon(db)
    for row, *values in db.execute(f"SELECT m.row, {SQLITE.selected} FROM memory m").fetchall():
        memory = SQLITE.memory(values)
        index.add([(row, memory, words(memory))])
    index.flush()
