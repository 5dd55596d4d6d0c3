"""Brings the partitions to the shape that this version's migrations make.

A migration changes the partitioned tables, and PostgreSQL passes columns on to the partitions of this server only.
Those of other servers get their columns first. Indexes belong to the single partitions; they are built afterwards,
while others read and write.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ..connections import Database
from ..online import LOCK_TIMEOUT_MS, patiently
from ..schema import SCHEMA, vector_schema
from .layout import HERE, Part, parts
from .servers import patient_session, session
from .shape import Shape, columns, indexes, shapes


def add_columns(db: Database) -> None:
    """Adds the columns that partitions on other servers lack. They may be null, so older programs can go on."""
    for part, made in _shapes(db, [part for part in parts(db) if part.server != HERE]):
        with session(db, part.server) as there:
            there.execute(f"SET lock_timeout = '{LOCK_TIMEOUT_MS}ms'")
            for table, shape in made.items():
                patiently(partial(_add_columns, there, f"{SCHEMA}.{part.table(table)}", shape))


def _add_columns(there: Database, table: str, shape: Shape) -> None:
    held = {name for name, _ in columns(there, table)}
    for name, kind in shape.columns:
        if name not in held:
            there.execute(f"ALTER TABLE {table} ADD COLUMN {name} {kind}")


def build_indexes(db: Database) -> None:
    """Builds the indexes that partitions lack, and again those whose build was interrupted."""
    for part, made in _shapes(db, parts(db)):
        with patient_session(db, part.server) as there:
            for table, shape in made.items():
                _build_indexes(there, f"{SCHEMA}.{part.table(table)}", shape)


def _build_indexes(there: Database, table: str, shape: Shape) -> None:
    for (name,) in there.execute(
        "SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = %s::regclass AND NOT indisvalid", (table,)
    ).fetchall():
        there.execute(f"DROP INDEX CONCURRENTLY {name}")
    held = indexes(there, table)
    for index in shape.indexes:
        if index not in held:
            there.execute(f"CREATE INDEX CONCURRENTLY ON {table} {index}")


def _shapes(db: Database, some: list[Part]) -> Iterator[tuple[Part, dict[str, Shape]]]:
    """The shapes need the types of pgvector, wherever they are. A pooler keeps a search path for one transaction."""
    if not some:
        return
    with db.transaction():
        db.execute(f'SET LOCAL search_path = {SCHEMA}, "{vector_schema(db, "the store")}"')
        made = shapes(db)
    for part in some:
        yield part, made
