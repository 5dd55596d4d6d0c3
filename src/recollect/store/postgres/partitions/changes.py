"""Notes which rows of a partition change while it is copied. Triggers write their keys to a table beside them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from psycopg import sql

from ..connections import Database
from ..schema import SCHEMA
from .layout import Part
from .shape import Shape

_TABLE = f"{SCHEMA}.partition_change"
_TRIGGER = "partition_move"
PAGE = 5_000


@dataclass(frozen=True, slots=True)
class Changes:
    """Some of the noted changes."""

    numbers: Sequence[int]
    keys: Mapping[str, Sequence[tuple[str, ...]]]
    """Table → the keys of its changed rows, as texts."""
    emptied: bool
    """Whether a table was emptied as a whole, so that the copy must begin again."""


def watch(source: Database, part: Part, made: Mapping[str, Shape], tenant: str | None) -> None:
    """Begins to note changes: of one tenant, or of all. CREATE TRIGGER waits for writers that have begun before."""
    with source.transaction():
        source.execute(
            f"CREATE TABLE IF NOT EXISTS {_TABLE} "
            "(n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, part text NOT NULL, of_table text NOT NULL, "
            "key text[])"
        )
    for table, shape in made.items():
        _watch(source, part, shape, table, tenant)


def _watch(source: Database, part: Part, shape: Shape, table: str, tenant: str | None) -> None:
    name, function = part.table(table), f"{SCHEMA}.{_TRIGGER}_{part.table(table)}"
    body = _body(part, table, shape.primary, tenant)
    with source.transaction():
        source.execute(
            f"CREATE OR REPLACE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql AS {_quoted(source, body)}"
        )
        held = source.execute(
            "SELECT 1 FROM pg_trigger WHERE tgrelid = %s::regclass AND tgname = %s", (name, _TRIGGER)
        ).fetchone()
        if held is None:
            source.execute(
                f"CREATE TRIGGER {_TRIGGER} AFTER INSERT OR UPDATE OR DELETE ON {name} "
                f"FOR EACH ROW EXECUTE FUNCTION {function}()"
            )
            source.execute(
                f"CREATE TRIGGER {_TRIGGER}_all AFTER TRUNCATE ON {name} "
                f"FOR EACH STATEMENT EXECUTE FUNCTION {function}()"
            )


def _body(part: Part, table: str, key: Sequence[str], tenant: str | None) -> str:
    def noted(row: str) -> str:
        test = "true" if tenant is None else f"{row}.tenant = {_literal(tenant)}"
        values = ", ".join(f"{row}.{name}::text" for name in key)
        return (
            f"IF {test} THEN INSERT INTO {_TABLE} (part, of_table, key) "
            f"VALUES ('{part.suffix}', '{table}', ARRAY[{values}]); END IF;"
        )

    return (
        f"BEGIN IF TG_OP = 'TRUNCATE' THEN INSERT INTO {_TABLE} (part, of_table) VALUES ('{part.suffix}', '{table}'); "
        f"RETURN NULL; END IF; IF TG_OP <> 'INSERT' THEN {noted('OLD')} END IF; "
        f"IF TG_OP <> 'DELETE' THEN {noted('NEW')} END IF; RETURN NULL; END"
    )


def unwatch(source: Database, part: Part, tables: Iterable[str]) -> None:
    for table in tables:
        name = part.table(table)
        if source.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.{name}",)).fetchone() != (None,):
            source.execute(f"DROP TRIGGER IF EXISTS {_TRIGGER} ON {name}")
            source.execute(f"DROP TRIGGER IF EXISTS {_TRIGGER}_all ON {name}")
        source.execute(f"DROP FUNCTION IF EXISTS {SCHEMA}.{_TRIGGER}_{name}()")
    source.execute(f"DELETE FROM {_TABLE} WHERE part = %s", (part.suffix,))


def noted(source: Database, part: Part, limit: int | None = PAGE) -> Changes:
    rows = source.execute(
        f"SELECT n, of_table, key FROM {_TABLE} WHERE part = %s ORDER BY n LIMIT %s", (part.suffix, limit)
    ).fetchall()
    keys: defaultdict[str, dict[tuple[str, ...], None]] = defaultdict(dict)
    for _, table, key in rows:
        if key is not None:
            keys[table][tuple(key)] = None
    return Changes([n for n, *_ in rows], {t: list(k) for t, k in keys.items()}, any(key is None for *_, key in rows))


def forget(source: Database, changes: Changes) -> None:
    """Deletes the notes once the copy has the changes. Notes that came meanwhile stay."""
    source.execute(f"DELETE FROM {_TABLE} WHERE n = ANY(%s)", (list(changes.numbers),))


def _literal(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _quoted(source: Database, body: str) -> str:
    return sql.Literal(body).as_string(source)
