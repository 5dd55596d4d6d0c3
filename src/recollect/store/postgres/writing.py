"""Writes batches. New rows are appended, existing ones are updated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...types import Event, Memory
from ..checksums import row_checksum
from ..sql import tables
from ..sql.rows import COUNTERS
from ..values import Batch, Put
from . import carry, copy_format, links, log
from .connections import Database, limited
from .dialect import KEPT, POSTGRES, STORED, counters, to_row
from .lexicon import Lexicon
from .places import Places
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
_UPDATE = (  # `carry` has changed the tenant before
    f"UPDATE memory SET {', '.join(f'{name} = %s' for name in (*KEPT, 'folded'))}, "
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


def write(db: Database, batch: Batch, places: Places | None = None) -> int:
    """Writes the batch. Returns the number of stored vectors. `places` is given if the tables have partitions."""
    head = log.head(db) if batch.events else None
    vectors = _write_puts(db, _last_wins(batch.puts), places) if batch.puts else 0
    if batch.links:
        links.write(db, batch.links, places)
    if batch.unlinks:
        links.delete(db, batch.unlinks)
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


def _write_puts(db: Database, puts: Sequence[Put], places: Places | None) -> int:
    dimensions, known = _standing(db, [put.memory.id for put in puts])
    fresh = [put for put in puts if put.memory.id not in known]
    held = [put for put in puts if put.memory.id in known]
    # the slowest part for the server comes first, so that the rest is prepared meanwhile
    now = _carried(db, held, known, partitioned=places is not None)
    vectors = _write_views(db, puts, now, dimensions)
    _insert(db, fresh)
    words = Lexicon(db)
    if held:
        _replace(db, held, known, now, words)
    for put in puts:
        if put.document is not None:
            words.add(put.memory.id, put.memory.namespace, put.memory.granularity, put.document)
    words.flush()
    if places is not None:
        for put in puts:
            places.learn([put.memory.id], [put.memory.tenant])
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


def _carried(db: Database, puts: Sequence[Put], known: Mapping[str, _Known], *, partitioned: bool) -> dict[str, _Known]:
    """Carries memories to the tenants that they go to. Returns where all of them are now."""
    moves = [(m.id, m.tenant, known[m.id].tenant) for m in (put.memory for put in puts)]
    carry.carry(db, [move for move in moves if move[1] != move[2]], partitioned=partitioned)
    return {**known, **{id: replace(known[id], tenant=to) for id, to, _ in moves}}


def _replace(
    db: Database, puts: Sequence[Put], known: Mapping[str, _Known], now: Mapping[str, _Known], words: Lexicon
) -> None:
    with db.cursor() as cursor:
        cursor.executemany(_UPDATE, [_update(put, now[put.memory.id]) for put in puts])
    moved = {put.memory.id: put.memory for put in puts if _place(put.memory) != known[put.memory.id]}
    changed = {put.memory.id for put in puts if put.document is not None}
    before = words.remove(
        {(known[id].tenant, id): known[id].granularity for id in sorted(changed | moved.keys())},
    )
    for id, memory in moved.items():
        if id not in changed and id in before:
            words.add(id, memory.namespace, memory.granularity, before[id])


def _update(put: Put, held: _Known) -> list[Any]:
    return [
        *to_row(put.memory)[1:],
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


def _write_views(db: Database, puts: Sequence[Put], known: Mapping[str, _Known], settled: int | None) -> int:
    given = [(put.memory.tenant, put.memory.id, put.vectors) for put in puts if put.vectors is not None]
    if not given:
        return 0
    from . import vectors  # imports numpy

    vectors.remove(db, [(known[id].tenant, id) for _, id, _ in given if id in known])
    return vectors.add(db, given, settled)


def purge(db: Database, ids: Iterable[str], event: Event) -> int:
    """Removes memories permanently. Returns the number of memories removed."""
    wanted = "SELECT id FROM memory WHERE id = ANY(%s)"
    seen = [id for (id,) in db.execute(wanted, (sorted(set(ids)),))]
    with limited(db, None):  # traces of these memories may be in recalls and events of other namespaces
        return _purge(db, seen, event)


def _purge(db: Database, ids: Sequence[str], event: Event) -> int:
    found = db.execute(
        "DELETE FROM memory WHERE id = ANY(%s) RETURNING tenant, id, granularity", (list(ids),)
    ).fetchall()
    gone = [id for _, id, _ in found]
    words = Lexicon(db)
    words.remove({(tenant, id): granularity for tenant, id, granularity in found})
    words.flush()
    _forget(db, [(tenant, id) for tenant, id, _ in found])
    tenants = sorted({tenant for tenant, *_ in found})
    db.execute("DELETE FROM usage WHERE tenant = ANY(%s) AND id = ANY(%s)", (tenants, gone))  # partitions have no key
    db.execute("UPDATE revision SET before = NULL WHERE memory_id = ANY(%s)", (gone,))
    db.execute(
        "UPDATE recall SET query = '' WHERE id = ANY(ARRAY(SELECT recall FROM recalled WHERE memory_id = ANY(%s)))",
        (gone,),
    )
    db.execute("DELETE FROM link WHERE a = ANY(%s) OR b = ANY(%s)", (gone, gone))
    log.append(db, [event])
    return len(found)


def _forget(db: Database, keys: Sequence[tuple[str, str]]) -> None:
    from . import vectors  # imports numpy

    vectors.remove(db, keys)
