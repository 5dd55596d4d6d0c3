"""Writes batches. New rows are appended, existing ones are updated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...types import Event, Memory
from ..checksums import row_checksum
from ..sql import tables
from ..sql.rows import COUNTERS, to_micros
from ..values import Batch, Put
from . import copy_format, log
from .connections import Database
from .dialect import KEPT, POSTGRES, STORED, counters, to_row
from .lexicon import Lexicon
from .schema import DIMENSIONS

_MOMENTS = ("created_at", "occurred_at", "valid_from", "valid_to", "expires_at", "decayed_at")
_MEMORY: Mapping[str, str] = {
    **dict.fromkeys(STORED, "text"),
    **dict.fromkeys(("importance", "confidence", "strength"), "float8"),
    **dict.fromkeys(("turn", *_MOMENTS), "int8"),
    **dict.fromkeys(("tags", "entities"), "text[]"),
    "digest": "bytea",
    "checksum": "int8",
}
_USAGE: Mapping[str, str] = {"tenant": "text", "id": "text", **dict.fromkeys(COUNTERS, "int8")}
_SMALL = 8
_BETWEEN = "SELECT 1 FROM memory WHERE id BETWEEN %s AND %s LIMIT 1"
_UPDATE = (
    f"UPDATE memory SET {', '.join(f'{name} = %s' for name in ('tenant', *KEPT, 'folded'))}, "
    "checksum = %s, digest = coalesce(%s, digest), about = CASE WHEN %s THEN %s ELSE about END "
    "WHERE tenant = %s AND id = %s"
)


@dataclass(frozen=True, slots=True)
class _Known:
    """The stored tenant, namespace and granularity of a memory."""

    tenant: str
    namespace: str
    granularity: str


def is_small(batch: Batch) -> bool:
    """Whether pipelined statements are faster than COPY for this batch."""
    return len(batch.puts) <= _SMALL


def write(db: Database, batch: Batch) -> int:
    """Writes the batch. Returns the number of stored vectors."""
    head = log.head(db) if batch.events else None
    vectors = _write_puts(db, _last_wins(batch.puts)) if batch.puts else 0
    _write_links(db, batch)
    log.append(db, batch.events, head)
    log.mark_undone(db, batch.undone)
    for recall in batch.recalls:
        log.restore(db, recall)
    for said in batch.feedback:
        log.set_feedback(db, said)
    tables.write(db, POSTGRES, batch.rows)
    return vectors


def _last_wins(puts: Sequence[Put]) -> list[Put]:
    """One put per id. Where a later put has None, the value of the earlier one is used."""
    found: dict[str, Put] = {}
    for put in puts:
        earlier = found.get(put.memory.id)
        found[put.memory.id] = put if earlier is None else _merged(earlier, put)
    return list(found.values())


def _merged(earlier: Put, later: Put) -> Put:
    kept = {name: getattr(earlier.memory, name) for name in COUNTERS}
    return Put(
        memory=replace(later.memory, **kept),
        document=earlier.document if later.document is None else later.document,
        digest=earlier.digest if later.digest is None else later.digest,
        about=earlier.about if later.digest is None else later.about,
        vectors=earlier.vectors if later.vectors is None else later.vectors,
    )


def _write_puts(db: Database, puts: Sequence[Put]) -> int:
    dimensions, known = _standing(db, [put.memory.id for put in puts])
    fresh = [put for put in puts if put.memory.id not in known]
    held = [put for put in puts if put.memory.id in known]
    # the slowest part for the server comes first, so that the rest is prepared meanwhile
    vectors = _write_views(db, puts, known, dimensions)
    _insert(db, fresh)
    words = Lexicon(db)
    if held:
        _replace(db, held, known, words)
    for put in puts:
        if put.document is not None:
            words.add(put.memory.id, put.memory.namespace, put.memory.granularity, put.document)
    words.flush()
    return vectors


def _standing(db: Database, ids: Sequence[str]) -> tuple[int | None, dict[str, _Known]]:
    """The number of dimensions that vectors must have, and id → place of the memories that exist already."""
    if len(ids) > _SMALL and not db.execute(_BETWEEN, (min(ids), max(ids))).fetchone():
        ids = ()  # no stored id is in this range: all ids are new
    rows = db.execute(
        "SELECT s.value::int, m.id, m.tenant, m.namespace, m.granularity FROM (VALUES (%s)) AS asked (key) "
        "LEFT JOIN setting s ON s.key = asked.key LEFT JOIN memory m ON m.id = ANY(%s)",
        (DIMENSIONS, list(ids)),
    ).fetchall()
    return rows[0][0], {id: _Known(*rest) for _, id, *rest in rows if id is not None}


def _insert(db: Database, puts: Sequence[Put]) -> None:
    if not puts:
        return
    rows = ([*to_row(put.memory), put.digest, put.about, _checksum(put.memory)] for put in puts)
    copy_format.append(db, "memory", _MEMORY, rows)
    used = [(put.memory.tenant, put.memory.id, *c) for put in puts if (c := counters(put.memory)) is not None]
    if used:
        copy_format.append(db, "usage", _USAGE, used)


def _replace(db: Database, puts: Sequence[Put], known: Mapping[str, _Known], words: Lexicon) -> None:
    with db.cursor() as cursor:
        cursor.executemany(_UPDATE, [_update(put, known[put.memory.id]) for put in puts])
    moved = {put.memory.id: put.memory for put in puts if _place(put.memory) != known[put.memory.id]}
    changed = {put.memory.id for put in puts if put.document is not None}
    before = words.remove(
        {(known[id].tenant, id): known[id].granularity for id in sorted(changed | moved.keys())},
    )
    for id, memory in moved.items():
        if id not in changed and id in before:
            words.add(id, memory.namespace, memory.granularity, before[id])
    _follow(db, [(id, memory.tenant, known[id].tenant) for id, memory in moved.items()])


def _update(put: Put, held: _Known) -> list[Any]:
    return [
        *to_row(put.memory),
        _checksum(put.memory),
        put.digest,
        put.digest is not None,
        put.about,
        held.tenant,
        put.memory.id,
    ]


def _checksum(memory: Memory) -> int:
    return row_checksum((memory.id, memory.text))


def _place(memory: Memory) -> _Known:
    return _Known(memory.tenant, memory.namespace, memory.granularity)


def _follow(db: Database, moves: Sequence[tuple[str, str, str]]) -> None:
    """Moves all rows of a memory with it to another tenant. `moves` are (id, to, from)."""
    for id, to, origin in moves:
        if to != origin:
            db.execute("UPDATE view SET tenant = %s WHERE tenant = %s AND id = %s", (to, origin, id))
            db.execute("UPDATE link SET tenant = %s WHERE tenant = %s AND a = %s", (to, origin, id))


def _write_views(db: Database, puts: Sequence[Put], known: Mapping[str, _Known], settled: int | None) -> int:
    given = [(put.memory.tenant, put.memory.id, put.vectors) for put in puts if put.vectors is not None]
    if not given:
        return 0
    from . import vectors  # imports numpy

    vectors.remove(db, [(known[id].tenant, id) for _, id, _ in given if id in known])
    return vectors.add(db, given, settled)


def _write_links(db: Database, batch: Batch) -> None:
    if batch.links:
        rows = [(link.a, link.b, link.kind, link.weight, to_micros(link.created_at)) for link in batch.links]
        last = {row[:3]: row for row in rows}  # one statement can't write the same link twice
        db.execute(
            "INSERT INTO link SELECT coalesce((SELECT m.tenant FROM memory m WHERE m.id = l.a LIMIT 1), ''), l.* "
            "FROM unnest(%s::text[], %s::text[], %s::text[], %s::float8[], %s::bigint[]) "
            "AS l (a, b, kind, weight, created_at) "
            "ON CONFLICT (tenant, a, b, kind) DO UPDATE SET weight = excluded.weight",
            [list(column) for column in zip(*last.values(), strict=True)],
        )
    if batch.unlinks:
        columns = [list(column) for column in zip(*batch.unlinks, strict=True)]
        db.execute(
            "DELETE FROM link l USING unnest(%s::text[], %s::text[], %s::text[]) AS gone (a, b, kind) "
            "WHERE l.a = gone.a AND l.b = gone.b AND l.kind = gone.kind",
            columns,
        )


def purge(db: Database, ids: Iterable[str], event: Event) -> int:
    """Removes memories permanently. Returns the number of memories removed."""
    found = db.execute(
        "DELETE FROM memory WHERE id = ANY(%s) RETURNING tenant, id, granularity", (sorted(set(ids)),)
    ).fetchall()
    gone = [id for _, id, _ in found]
    words = Lexicon(db)
    words.remove({(tenant, id): granularity for tenant, id, granularity in found})
    words.flush()
    _forget(db, [(tenant, id) for tenant, id, _ in found])
    db.execute("UPDATE revision SET before = NULL WHERE memory_id = ANY(%s)", (gone,))
    db.execute(
        "UPDATE recall SET query = '' WHERE id IN (SELECT recall FROM recalled WHERE memory_id = ANY(%s))", (gone,)
    )
    db.execute("DELETE FROM link WHERE a = ANY(%s) OR b = ANY(%s)", (gone, gone))
    log.append(db, [event])
    return len(found)


def _forget(db: Database, keys: Sequence[tuple[str, str]]) -> None:
    from . import vectors  # imports numpy

    vectors.remove(db, keys)
