"""Turns plain tables into partitioned ones, and makes single partitions."""

from __future__ import annotations

from collections.abc import Mapping

from ..connections import Database
from ..schema import SCHEMA
from ..vectors import dimensions
from .layout import HERE, PREFIX, TABLES, Part, node
from .shape import Shape, shapes

_WHOLE = "_whole"


def build(db: Database, buckets: int) -> None:
    """Partitions all tables on this server. The caller holds the writer's lock, in a transaction: others wait, and an
    interruption leaves the plain tables as they were."""
    made, dim = shapes(db), dimensions(db)
    db.execute(f"LOCK TABLE {', '.join(TABLES)} IN ACCESS EXCLUSIVE MODE")
    for table in TABLES:
        _build(db, made[table], buckets, dim)
    for table in reversed(TABLES):
        db.execute(f"DROP TABLE {table}{_WHOLE} CASCADE")


def _build(db: Database, shape: Shape, buckets: int, dim: int | None) -> None:
    table = shape.table
    db.execute(f"ALTER TABLE {table} RENAME TO {table}{_WHOLE}")
    db.execute(f"CREATE TABLE {table} ({shape.made(dim)}) PARTITION BY HASH (tenant)")
    if shape.numbered:
        _number(db, table, shape.numbered)
    parts = [Part(bucket, None, HERE) for bucket in range(buckets)]
    for part in parts:
        db.execute(
            f"CREATE TABLE {node(table, part.bucket)} PARTITION OF {table} "
            f"FOR VALUES WITH (MODULUS {buckets}, REMAINDER {part.bucket}) PARTITION BY LIST (tenant)"
        )
        db.execute(f"CREATE TABLE {part.table(table)} PARTITION OF {part.node(table)} DEFAULT{shape.stored}")
    names = ", ".join(name for name, _ in shape.columns)
    db.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM {table}{_WHOLE}")
    for part in parts:
        for statement in shape.statements(part.table(table)):
            db.execute(statement)


def _number(db: Database, table: str, column: str) -> None:
    """A sequence that goes on where the plain table's was. The partitions of a table have no identity of their own
    before PostgreSQL 17."""
    name = f"{table}_order"
    db.execute(f"CREATE SEQUENCE {name}")
    db.execute(
        f"SELECT setval('{name}', greatest(1, coalesce((SELECT max({column}) FROM {table}{_WHOLE}), 0) + 1), false)"
    )
    db.execute(f"ALTER TABLE {table} ALTER {column} SET DEFAULT nextval('{SCHEMA}.{name}')")


def make_tables(db: Database, named: Mapping[str, str], made: Mapping[str, Shape], dim: int | None) -> None:
    """Makes tables with these names on the server of this connection, attached to nothing. Those that an interrupted
    attempt made stay."""
    for table, shape in made.items():
        name = named[table]
        if db.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.{name}",)).fetchone() != (None,):
            continue
        with db.transaction():
            db.execute(f"CREATE TABLE {name} ({shape.made(dim)}){shape.stored}")
            for statement in shape.statements(name):
                db.execute(statement)


def drop_tables(db: Database, part: Part) -> None:
    for table in TABLES:
        db.execute(f"DROP TABLE IF EXISTS {part.table(table)}")


def detach(db: Database, part: Part) -> None:
    """Takes the partition out of the tables. Its rows on this server are deleted; those on another one stay there."""
    for table in TABLES:
        kind = "TABLE" if part.server == HERE else "FOREIGN TABLE"
        db.execute(f"DROP {kind} {part.table(table)}")


def attach(db: Database, part: Part) -> None:
    """Attaches the tables that `make_tables` made on the partition's server."""
    for table in TABLES:
        name, above = part.table(table), part.node(table)
        bound = "DEFAULT" if part.tenant is None else f"FOR VALUES IN ({_literal(part.tenant)})"
        if part.server == HERE:
            db.execute(f"ALTER TABLE {above} ATTACH PARTITION {name} {bound}")
        else:
            db.execute(
                f"CREATE FOREIGN TABLE {name} PARTITION OF {above} {bound} SERVER {PREFIX}{part.server} "
                f"OPTIONS (schema_name '{SCHEMA}', table_name '{name}')"
            )


def _literal(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
