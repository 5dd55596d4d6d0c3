"""Writes batches, and removes memories permanently."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from ...types import Event, Link
from ..sql import tables
from ..sql.rows import COLUMNS, COUNTERS, to_micros
from ..values import Batch, Embedded, Put
from . import log
from .connections import Database
from .dialect import SQLITE, to_row
from .lexicon import Lexicon

_STORED = (*COLUMNS, "tenant", "digest", "about")
_INSERT = f"INSERT INTO memory ({', '.join(_STORED)}) VALUES ({', '.join('?' * len(_STORED))})"
_REPLACED = [name for name in COLUMNS if name not in COUNTERS]
_UPDATE = (
    f"UPDATE memory SET {', '.join(f'{name} = ?' for name in _REPLACED)}, tenant = ?, "
    "digest = coalesce(?, digest), about = iif(?, ?, about) WHERE row = ?"
)


def write(db: Database, batch: Batch) -> None:
    words, bits = Lexicon(db), _sketches(batch.puts)
    for put in batch.puts:
        _put(db, put, words, bits)
    words.flush()
    _link(db, batch.links)
    db.executemany("DELETE FROM link WHERE a = ? AND b = ? AND kind = ?", list(batch.unlinks))
    for event in batch.events:
        log.append(db, event)
    db.executemany("UPDATE event SET undone_by = ?2 WHERE id = ?1", list(batch.undone.items()))
    for recall in batch.recalls:
        log.restore(db, recall)
    for said in batch.feedback:
        log.set_feedback(db, said)
    tables.write(db, SQLITE, batch.rows)


def _put(db: Database, put: Put, words: Lexicon, bits: Mapping[bytes, bytes]) -> None:
    memory = put.memory
    known = db.execute("SELECT row, namespace, granularity FROM memory WHERE id = ?", (memory.id,)).fetchone()
    if known is None:
        db.execute(_INSERT, (*to_row(memory), memory.tenant, put.digest, put.about))
        row = db.last_insert_rowid()
    else:
        row, namespace, granularity = known
        _replace(db, row, put)
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


def _replace(db: Database, row: int, put: Put) -> None:
    values = zip(COLUMNS, to_row(put.memory), strict=True)
    kept = [value for name, value in values if name not in COUNTERS]
    db.execute(_UPDATE, (*kept, put.memory.tenant, put.digest, put.digest is not None, put.about, row))


def _link(db: Database, links: Iterable[Link]) -> None:
    db.executemany(
        "INSERT INTO link VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET weight = excluded.weight",
        [(link.a, link.b, link.kind, link.weight, to_micros(link.created_at)) for link in links],
    )


def _add_views(db: Database, row: int, views: Mapping[str, Embedded], bits: Mapping[bytes, bytes]) -> None:
    import numpy as np

    for name, embedded in views.items():
        # two statements: a single one with RETURNING takes three times as long
        number = db.execute("SELECT number FROM vector WHERE hash = ?", (embedded.hash,)).get
        if number is None:
            data = np.asarray(embedded.vector, np.float16).tobytes()
            db.execute("INSERT INTO vector (hash, data) VALUES (?, ?)", (embedded.hash, data))
            number = db.last_insert_rowid()
        values = (row, name, number, bits[embedded.hash])
        db.execute("INSERT INTO view (row, name, vector, bits) VALUES (?, ?, ?, ?)", values)


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
    _next_generation(db)


def drop_vectors(db: Database) -> None:
    db.execute("DELETE FROM view")
    db.execute("DELETE FROM vector")
    _next_generation(db)


def _next_generation(db: Database) -> None:
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
        db.execute("UPDATE revision SET before = NULL WHERE memory_id = ?", (memory_id,))
        db.execute(
            "UPDATE recall SET query = '' WHERE id IN (SELECT recall FROM recalled WHERE memory_id = ?)",
            (memory_id,),
        )
        db.execute("DELETE FROM link WHERE a = ?1 OR b = ?1", (memory_id,))
        db.execute("DELETE FROM memory WHERE row = ?", (row,))
    words.flush()
    log.append(db, event)
    return len(rows)
