"""The shape of the tables: their columns, keys and indexes, for the partitions that are made of them.

It is read from tables that the migrations make in a schema of their own and that are rolled back. So it can't differ
from the migrations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from psycopg import Rollback

from ..connections import Database
from ..schema import MIGRATIONS
from .layout import TABLES

_SCRATCH = "recollect_shape"


@dataclass(frozen=True, slots=True)
class Key:
    """A primary key or a unique constraint."""

    primary: bool
    columns: tuple[str, ...]

    @property
    def sql(self) -> str:
        return f"{'PRIMARY KEY' if self.primary else 'UNIQUE'} ({', '.join(self.columns)})"


@dataclass(frozen=True, slots=True)
class Reference:
    """A foreign key."""

    name: str
    columns: tuple[str, ...]
    to: str
    """The table that it leads to."""
    cascades: bool
    """Whether it follows an update of the key."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A table as the migrations make it."""

    table: str
    columns: tuple[tuple[str, str], ...]
    """Name, and type with collation and NOT NULL."""
    keys: tuple[Key, ...]
    indexes: tuple[str, ...]
    """What follows ON and the table's name."""
    options: tuple[str, ...]
    references: tuple[Reference, ...]
    numbered: str | None
    """The column that gets the next number by itself."""

    @property
    def primary(self) -> tuple[str, ...]:
        return next(key.columns for key in self.keys if key.primary)

    def made(self, dimensions: int | None) -> str:
        """The columns for CREATE TABLE."""
        vector = "halfvec" if dimensions is None else f"halfvec({dimensions})"
        return ", ".join(f"{name} {kind.replace('halfvec', vector)}" for name, kind in self.columns)

    def statements(self, name: str) -> list[str]:
        """What makes the keys and indexes of a partition."""
        keyed = [f"ALTER TABLE {name} ADD {key.sql}" for key in self.keys]
        return [*keyed, *(f"CREATE INDEX ON {name} {index}" for index in self.indexes)]

    @property
    def stored(self) -> str:
        return f" WITH ({', '.join(self.options)})" if self.options else ""


def shapes(db: Database, tables: Sequence[str] = TABLES) -> dict[str, Shape]:
    """Table → its shape. Nothing is kept in the database."""
    found: dict[str, Shape] = {}
    with db.transaction():
        (before,) = db.execute("SHOW search_path").fetchone() or ("",)
        db.execute(f"CREATE SCHEMA {_SCRATCH}")
        db.execute(f"SET LOCAL search_path = {_SCRATCH}, {before}")
        for script in MIGRATIONS:
            db.execute(script)
        found = {table: _shape(db, f"{_SCRATCH}.{table}", table) for table in tables}
        raise Rollback
    return found


def _shape(db: Database, name: str, table: str) -> Shape:
    return Shape(
        table=table,
        columns=tuple(columns(db, name)),
        keys=tuple(_keys(db, name)),
        indexes=tuple(indexes(db, name)),
        options=tuple(_options(db, name)),
        references=tuple(_references(db, name)),
        numbered=_numbered(db, name),
    )


def columns(db: Database, name: str) -> Sequence[tuple[str, str]]:
    rows = db.execute(
        "SELECT a.attname, format_type(a.atttypid, a.atttypmod) || "
        "CASE WHEN c.collname = 'C' THEN ' COLLATE \"C\"' ELSE '' END || "
        "CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END || "
        "CASE WHEN d.adbin IS NULL THEN '' ELSE ' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid) END "
        "FROM pg_attribute a LEFT JOIN pg_collation c ON c.oid = a.attcollation "
        "LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum "
        "WHERE a.attrelid = %s::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum",
        (name,),
    )
    return rows.fetchall()


def _keys(db: Database, name: str) -> Sequence[Key]:
    rows = db.execute(
        "SELECT contype = 'p', ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY AS u (num, n) "
        "JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.num ORDER BY u.n) "
        "FROM pg_constraint k WHERE conrelid = %s::regclass AND contype IN ('p', 'u') ORDER BY contype",
        (name,),
    )
    return [Key(primary, tuple(columns)) for primary, columns in rows]


def indexes(db: Database, name: str) -> Sequence[str]:
    rows = db.execute(
        "SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i WHERE i.indrelid = %s::regclass AND NOT i.indisunique "
        "ORDER BY i.indexrelid",
        (name,),
    )
    return ["USING " + made.split(" USING ", 1)[1] for (made,) in rows]


def _options(db: Database, name: str) -> Sequence[str]:
    row = db.execute("SELECT reloptions FROM pg_class WHERE oid = %s::regclass", (name,)).fetchone()
    return (row and row[0]) or ()


def _references(db: Database, name: str) -> Sequence[Reference]:
    rows = db.execute(
        "SELECT k.conname, ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY AS u (num, n) "
        "JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.num ORDER BY u.n), c.relname, "
        "k.confupdtype = 'c' FROM pg_constraint k JOIN pg_class c ON c.oid = k.confrelid "
        "WHERE k.conrelid = %s::regclass AND k.contype = 'f' ORDER BY 1",
        (name,),
    )
    return [Reference(held, tuple(columns), to, cascades) for held, columns, to, cascades in rows]


def _numbered(db: Database, name: str) -> str | None:
    row = db.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attidentity <> ''", (name,)
    ).fetchone()
    return None if row is None else str(row[0])
