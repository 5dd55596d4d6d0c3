"""Writes batches, and removes memories permanently."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace

from ...types import Event, Link
from ..checksums import row_checksum, vector_checksum
from ..sql import tables
from ..sql.rows import COLUMNS, COUNTERS, to_micros
from ..values import Batch, Embedded, Put
from . import log
from .connections import Database
from .covered import summed
from .dialect import SQLITE, checksum, to_row
from .lexicon import Lexicon

_STORED = (*COLUMNS, "tenant", "digest", "about", "checksum")
_INSERT = f"INSERT INTO memory ({', '.join(_STORED)}) VALUES ({', '.join('?' * len(_STORED))})"
_REPLACED = [name for name in COLUMNS if name not in COUNTERS]
_UPDATE = (
    f"UPDATE memory SET {', '.join(f'{name} = ?' for name in _REPLACED)}, tenant = ?, "
    "digest = ?, about = ?, checksum = ? WHERE row = ?"
)

_KNOWN = "SELECT row, namespace, granularity, digest, about FROM memory WHERE id = ?"
_LINK = (
    "INSERT INTO link (a, b, kind, weight, created_at, checksum) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE "
    f"SET weight = excluded.weight, checksum = {summed('link', weight='excluded.weight')}"
)
_HIDE_CHANGES = f"UPDATE revision SET before = NULL, checksum = {summed('revision', before='NULL')} WHERE memory_id = ?"
_HIDE_QUESTIONS = (
    f"""UPDATE recall SET query = '', checksum = {summed("recall", query="''")} """
    "WHERE id IN (SELECT recall FROM recalled WHERE memory_id = ?)"
)


def write(db: Database, batch: Batch) -> None:
    words, bits = Lexicon(db), _sketches(batch.puts)
    for put in batch.puts:
        _put(db, put, words, bits)
    words.flush()
    _link(db, batch.links)
    db.executemany("DELETE FROM link WHERE a = ? AND b = ? AND kind = ?", list(batch.unlinks))
    log.append(db, batch.events)
    log.mark_undone(db, batch.undone)
    for recall in batch.recalls:
        log.restore(db, recall)
    for said in batch.feedback:
        log.set_feedback(db, said)
    tables.write(db, SQLITE, batch.rows)


def _put(db: Database, put: Put, words: Lexicon, bits: Mapping[bytes, bytes]) -> None:
    memory = put.memory
    known = db.execute(_KNOWN, (memory.id,)).fetchone()
    if known is None:
        row = _insert(db, put)
    else:
        row, namespace, granularity, digest, about = known
        _replace(db, row, put if put.digest is not None else replace(put, digest=digest, about=about))
        if put.document is not None:
            words.remove(row)
        elif (namespace, granularity) != (memory.namespace, memory.granularity):
            words.move(row, memory)
    if put.document is not None:
        words.add(row, memory, put.document)
    if put.vectors is not None:
        if known is not None:
            _drop_views(db, row)
        _add_views(db, row, put.vectors, bits)


def _insert(db: Database, put: Put) -> int:
    values = to_row(put.memory)
    db.execute(_INSERT, (*values, put.memory.tenant, put.digest, put.about, checksum(values, put.digest, put.about)))
    return db.last_insert_rowid()


def _replace(db: Database, row: int, put: Put) -> None:
    """Replaces all but the counters. The put's digest and `about` are those to store."""
    values = to_row(put.memory)
    kept = [value for name, value in zip(COLUMNS, values, strict=True) if name not in COUNTERS]
    checked = checksum(values, put.digest, put.about)
    db.execute(_UPDATE, (*kept, put.memory.tenant, put.digest, put.about, checked, row))


def _link(db: Database, links: Iterable[Link]) -> None:
    rows = [(link.a, link.b, link.kind, float(link.weight), to_micros(link.created_at)) for link in links]
    db.executemany(_LINK, [(*row, row_checksum(row)) for row in rows])


def _add_views(db: Database, row: int, views: Mapping[str, Embedded], bits: Mapping[bytes, bytes]) -> None:
    import numpy as np

    for name, embedded in views.items():
        # two statements: a single one with RETURNING takes three times as long
        number = db.execute("SELECT number FROM vector WHERE hash = ?", (embedded.hash,)).get
        if number is None:
            data = np.asarray(embedded.vector, np.float16).tobytes()
            values = (embedded.hash, data, vector_checksum(data))
            db.execute("INSERT INTO vector (hash, data, checksum) VALUES (?, ?, ?)", values)
            number = db.last_insert_rowid()
        view = (row, name, number, bits[embedded.hash])
        db.execute("INSERT INTO view (row, name, vector, bits) VALUES (?, ?, ?, ?)", view)


def _sketches(puts: Iterable[Put]) -> dict[bytes, bytes]:
    """The hash of each new vector → its sketch. All at once, which is much faster than one by one."""
    found = {one.hash: one.vector for put in puts for one in (put.vectors or {}).values()}
    if not found:
        return {}
    import numpy as np

    from .sketch import sketched

    return sketched({hash: np.asarray(vector, np.float16).tobytes() for hash, vector in found.items()})


def _drop_views(db: Database, row: int) -> None:
    numbers = db.execute("SELECT vector FROM view WHERE row = ?", (row,)).fetchall()
    if not numbers:
        return
    db.execute("DELETE FROM view WHERE row = ?", (row,))
    db.executemany(
        "DELETE FROM vector WHERE number = ?1 AND NOT EXISTS (SELECT 1 FROM view WHERE vector = ?1)", numbers
    )
    next_generation(db)


def drop_vectors(db: Database) -> None:
    db.execute("DELETE FROM view")
    db.execute("DELETE FROM vector")
    next_generation(db)


def next_generation(db: Database) -> None:
    db.execute("UPDATE setting SET value = CAST(value AS INTEGER) + 1 WHERE key = 'vector_generation'")


def purge(db: Database, ids: Iterable[str], event: Event) -> int:
    """Removes memories permanently. Returns the number of memories removed."""
    rows = db.execute(
        "SELECT row, id FROM memory WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(ids)),),
    ).fetchall()
    words = Lexicon(db)
    for row, memory_id in rows:
        words.remove(row)
        _drop_views(db, row)
        db.execute(_HIDE_CHANGES, (memory_id,))
        db.execute(_HIDE_QUESTIONS, (memory_id,))
        db.execute("DELETE FROM link WHERE a = ?1 OR b = ?1", (memory_id,))
        db.execute("DELETE FROM memory WHERE row = ?", (row,))
    words.flush()
    log.append(db, [event])
    return len(rows)
