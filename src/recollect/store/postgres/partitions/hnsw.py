"""The HNSW indexes of partitions: each partition has its own, on its own server."""

from __future__ import annotations

from functools import partial

from ..connections import Database
from ..online import LOCK_TIMEOUT_MS, patiently
from ..schema import SCHEMA, vector_schema
from ..vectors import BUILD, INDEX_FROM, MOST_INDEXED_DIMENSIONS, index_name, literal
from .layout import parts
from .servers import patient_session, session

_SIGN = "_hnsw_"


def build(db: Database, dim: int) -> None:
    """Builds the indexes of the partitions that have become large, while others read and write."""
    for part in parts(db):
        with patient_session(db, part.server) as there:
            build_part(there, part.table("view"), dim)


def build_part(there: Database, name: str, dim: int) -> None:
    """Names have their schemas: behind a pooler, the connection has no search path."""
    if dim > MOST_INDEXED_DIMENSIONS:
        return
    table, found_in = f"{SCHEMA}.{name}", vector_schema(there, "the server")
    rows = there.execute(
        f"SELECT name FROM {table} GROUP BY name HAVING count(*) >= %s ORDER BY name", (INDEX_FROM,)
    ).fetchall()
    held = _indexes(there, table)
    for (view,) in rows:
        made, is_whole = held.get(_digest(index := index_name(view, name)), (index, False))
        if is_whole:
            continue
        patiently(partial(_settle, there, table, dim, found_in))
        there.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {SCHEMA}.{made}")
        there.execute(
            f'CREATE INDEX CONCURRENTLY {index} ON {table} USING hnsw (embedding "{found_in}".halfvec_ip_ops) '
            f"WITH ({BUILD}) WHERE name = {literal(view)}"
        )


def _settle(there: Database, table: str, dim: int, found_in: str) -> None:
    """The tables of another server do not learn the number of dimensions from the first vector."""
    row = there.execute(
        "SELECT atttypmod FROM pg_attribute WHERE attrelid = %s::regclass AND attname = 'embedding'", (table,)
    ).fetchone()
    if row == (-1,):
        with there.transaction():
            there.execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT_MS}ms'")
            there.execute(f'ALTER TABLE {table} ALTER COLUMN embedding TYPE "{found_in}".halfvec({dim})')


def _digest(index: str) -> str:
    """The end of an index's name, which stands for its view. A table that moved here had another name before."""
    return index.rpartition(_SIGN)[2]


def _indexes(there: Database, table: str) -> dict[str, tuple[str, bool]]:
    """Digest → the name of the index, and whether it is valid. An interrupted build leaves an invalid one."""
    rows = there.execute(
        "SELECT c.relname, i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
        "WHERE i.indrelid = %s::regclass AND position(%s IN c.relname) > 0",
        (table, _SIGN),
    )
    return {_digest(name): (name, is_whole) for name, is_whole in rows}


def drop(db: Database) -> None:
    """Deletes all vectors, so that those of another size may come."""
    for part in parts(db):
        table = part.table("view")
        with session(db, part.server) as there:
            for name, _ in _indexes(there, table).values():
                there.execute(f"DROP INDEX {name}")
            there.execute(f"TRUNCATE {table}")
            if there is not db:
                there.execute(f"ALTER TABLE {table} ALTER COLUMN embedding TYPE halfvec")
