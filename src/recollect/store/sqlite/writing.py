"""Writes batches, and removes memories permanently."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...types import Event, Link
from ..checksums import checksum_without_bytes, vector_checksum
from ..sql import tables
from ..sql.rows import COLUMNS, COUNTERS, to_micros
from ..values import Batch, Embedded, Put
from . import log
from .connections import Database
from .covered import MEMORY_GENERATION, VECTOR_GENERATION, summed
from .dialect import SQLITE, checksum, to_row
from .lexicon import Lexicon

_STORED = ("row", *COLUMNS, "tenant", "digest", "about", "checksum")
_INSERT = f"INSERT INTO memory ({', '.join(_STORED)}) VALUES ({', '.join('?' * len(_STORED))})"
_REPLACED = [name for name in COLUMNS if name not in COUNTERS]
_UPDATE = (
    f"UPDATE memory SET {', '.join(f'{name} = ?' for name in _REPLACED)}, tenant = ?, "
    "digest = ?, about = ?, checksum = ? WHERE row = ?"
)

_KNOWN = (
    "SELECT m.id, m.row, m.namespace, m.granularity, m.digest, m.about FROM json_each(?) j "
    "CROSS JOIN memory m ON m.id = j.value"
)
_VECTOR = "INSERT INTO vector (number, hash, data, checksum) VALUES (?, ?, ?, ?)"
_VIEW = "INSERT INTO view (row, name, vector, bits) VALUES (?, ?, ?, ?)"
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
    words = Lexicon(db)
    _put_all(db, batch.puts, words)
    words.flush()
    if batch.links:
        _link(db, batch.links)
    if batch.unlinks:
        db.executemany("DELETE FROM link WHERE a = ? AND b = ? AND kind = ?", list(batch.unlinks))
    log.append(db, batch.events)
    if batch.undone:
        log.mark_undone(db, batch.undone)
    for recall in batch.recalls:
        log.restore(db, recall)
    for said in batch.feedback:
        log.set_feedback(db, said)
    tables.write(db, SQLITE, batch.rows)


def _put_all(db: Database, puts: Sequence[Put], words: Lexicon) -> None:
    """First the new memories, all at once, then the changed ones. One may be both."""
    known = _known(db, puts)
    new = {put.memory.id: put for put in reversed(puts) if put.memory.id not in known}
    rows = _insert(db, [put for put in puts if new.get(put.memory.id) is put], words)
    for put in puts:
        if new.get(put.memory.id) is put:
            continue
        if put.memory.id in rows:
            known |= _known(db, [put])
        rows |= {put.memory.id: _change(db, put, known[put.memory.id], words)}
    if len(new) < len(puts):
        next_generation(db, MEMORY_GENERATION)
    views = {rows[put.memory.id]: put.vectors for put in puts if put.vectors is not None}
    _add_views(db, views)


def _known(db: Database, puts: Iterable[Put]) -> dict[str, tuple[Any, ...]]:
    """Id → row, namespace, granularity, digest and `about` of the memories that are stored."""
    ids = json.dumps([put.memory.id for put in puts])
    return {id: tuple(values) for id, *values in db.execute(_KNOWN, (ids,))}


def _insert(db: Database, puts: Sequence[Put], words: Lexicon) -> dict[str, int]:
    """Returns the row of each id."""
    if not puts:
        return {}
    first: int = (db.execute("SELECT max(row) FROM memory").get or 0) + 1
    rows = {put.memory.id: row for row, put in enumerate(puts, first)}
    db.executemany(_INSERT, [(row, *_values(put)) for row, put in enumerate(puts, first)])
    words.add([(rows[put.memory.id], put.memory, put.document) for put in puts if put.document is not None])
    return rows


def _values(put: Put) -> list[Any]:
    values = to_row(put.memory)
    return [*values, put.memory.tenant, put.digest, put.about, checksum(values, put.digest, put.about)]


def _change(db: Database, put: Put, known: Sequence[Any], words: Lexicon) -> int:
    """Returns the row."""
    row: int = known[0]
    _, namespace, granularity, digest, about = known
    _replace(db, row, put if put.digest is not None else replace(put, digest=digest, about=about))
    if put.document is not None:
        words.remove(row)
        words.add([(row, put.memory, put.document)])
    elif (namespace, granularity) != (put.memory.namespace, put.memory.granularity):
        words.move(row, put.memory)
    if put.vectors is not None:
        _drop_views(db, row)
    return row


def _replace(db: Database, row: int, put: Put) -> None:
    """Replaces all but the counters. The put's digest and `about` are those to store."""
    values = to_row(put.memory)
    kept = [value for name, value in zip(COLUMNS, values, strict=True) if name not in COUNTERS]
    checked = checksum(values, put.digest, put.about)
    db.execute(_UPDATE, (*kept, put.memory.tenant, put.digest, put.about, checked, row))


def _link(db: Database, links: Iterable[Link]) -> None:
    rows = [(link.a, link.b, link.kind, float(link.weight), to_micros(link.created_at)) for link in links]
    db.executemany(_LINK, [(*row, checksum_without_bytes(row)) for row in rows])


def _add_views(db: Database, views: Mapping[int, Mapping[str, Embedded]]) -> None:
    """Stores the vectors of rows. Equal ones are stored once."""
    found = {one.hash: one.vector for named in views.values() for one in named.values()}
    if not found:
        return
    import numpy as np

    data = {hash: np.asarray(vector, np.float16).tobytes() for hash, vector in found.items()}
    numbers = _numbers(db, data)
    bits = _sketches(data)
    rows = [
        (row, name, numbers[one.hash], bits[one.hash]) for row, named in views.items() for name, one in named.items()
    ]
    db.executemany(_VIEW, rows)


def _numbers(db: Database, data: Mapping[bytes, bytes]) -> dict[bytes, int]:
    """The number of each vector. New ones are stored."""
    held = SQLITE.among_blobs("hash", data)
    numbers = dict(db.execute(f"SELECT hash, number FROM vector WHERE {held.sql}", held.values).fetchall())
    new = [hash for hash in data if hash not in numbers]
    first = (db.execute("SELECT max(number) FROM vector").get or 0) + 1 if new else 0
    made = {hash: number for number, hash in enumerate(new, first)}
    db.executemany(_VECTOR, [(n, hash, data[hash], vector_checksum(data[hash])) for hash, n in made.items()])
    return numbers | made


def _sketches(data: Mapping[bytes, bytes]) -> dict[bytes, bytes]:
    """The hash of each vector → its sketch. All at once, which is much faster than one by one."""
    from .sketch import sketched

    return sketched(data)


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


def next_generation(db: Database, counted: str = VECTOR_GENERATION) -> None:
    """Tells all processes that what they have read is outdated."""
    db.execute(
        "INSERT INTO setting (key, value) VALUES (?, '1') "
        "ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1",
        (counted,),
    )


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
    if rows:
        next_generation(db, MEMORY_GENERATION)
    words.flush()
    log.append(db, [event])
    return len(rows)
