"""PostgreSQL's parts of the shared statements. The tenant is the first column of every table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from ...errors import InvalidInput
from ...types import Condition, Filter, Memory
from ..sql.dialect import Clause
from ..sql.filters import Where
from ..sql.filters import compile_filter as compile_shared
from ..sql.rows import COLUMNS, COUNTERS, LISTS_AT, Layout, to_memory, to_micros
from .connections import Database

KEPT = tuple(name for name in COLUMNS if name not in COUNTERS)
"""The columns of the table `memory`; the counters are in `usage`."""
STORED = ("tenant", *KEPT, "folded", "digest", "about")
LAYOUT = Layout(KEPT)
_ORDERINGS = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
# A missing key counts as null. jsonb compares numbers as numbers, and 1 does not equal true.
_FOUND = "coalesce(m.metadata::jsonb -> ?, 'null')"


@lru_cache(maxsize=1_000)
def _with_percent(sql: str) -> str:
    return sql.replace("?", "%s")


def _column(name: str) -> str:
    return f"coalesce(u.{name}, 0)" if name.endswith("_count") else f"{'u' if name in COUNTERS else 'm'}.{name}"


class PostgresDialect:
    true, false = "true", "false"
    no_limit: int | None = None
    checksums = False
    sees_all = False
    selected = ", ".join(map(_column, COLUMNS))
    by_session = by_first_turn = ""
    counters = "LEFT JOIN usage u ON u.tenant = m.tenant AND u.id = m.id"
    store_size = (
        "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c "
        "WHERE c.relkind = 'r' AND c.relnamespace = current_schema::regnamespace"
    )

    def placeholders(self, sql: str) -> str:
        return _with_percent(sql)

    def rows(self, db: Database, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return db.execute(_with_percent(sql), values).fetchall()

    def changed(self, db: Database, sql: str, values: Sequence[Any] = ()) -> int:
        return db.execute(_with_percent(sql), values).rowcount

    def column(self, name: str) -> str:
        return _column(name)

    def memory(self, row: Sequence[Any]) -> Memory:
        values = list(row)
        for at in LISTS_AT:
            values[at] = tuple(values[at])
        return to_memory(values)

    def json(self, value: Any) -> Any:  # noqa: ANN401 - JSON
        return value

    def among(self, column: str, values: Iterable[Any]) -> Clause:
        return Clause(f"{column} = ANY(?)", [list(values)])

    def looked_up(self, alias: str, column: str, values: Iterable[Any]) -> Clause:
        kind = "bytea" if column == "digest" else "text"
        sql = f"unnest(?::{kind}[]) j (value) JOIN memory {alias} ON {alias}.{column} = j.value"
        return Clause(sql, [list(dict.fromkeys(values))])

    def namespace(self, path: str, *, exact: bool) -> Clause:
        tenant, below, _ = path.partition("/")
        # with "= ANY", other servers get the test too: postgres_fdw keeps an equality that a join repeats to itself
        if exact:
            return Clause("m.tenant = ANY(?) AND m.namespace = ?", [[tenant], path])
        if not below:
            return Clause("m.tenant = ANY(?)", [[tenant]])
        # '0' is the character after '/': a range that the index can use
        sql = "m.tenant = ANY(?) AND (m.namespace = ? OR (m.namespace >= ? AND m.namespace < ?))"
        return Clause(sql, [[tenant], path, f"{path}/", f"{path}0"])

    def logged(self, path: str) -> Clause:
        tenant, below, _ = path.partition("/")
        if not below:
            return Clause("m.tenant = ANY(?)", [[tenant]])
        # these columns have the collation of the database, in which a range may leave out `a/b` and hold `a=b`
        sql = "m.tenant = ANY(?) AND (m.namespace = ? OR starts_with(m.namespace, ?))"
        return Clause(sql, [[tenant], path, f"{path}/"])

    def tags(self, tags: Sequence[str]) -> Clause:
        return Clause("m.tags @> ?::text[]", [list(tags)])

    def lacks_view(self, view: str) -> Clause:
        sql = "NOT EXISTS (SELECT 1 FROM view v WHERE v.tenant = m.tenant AND v.id = m.id AND v.name = ?)"
        return Clause(sql, [view])

    def intact(self, table: str, alias: str) -> str:
        return ""

    def same_tenant(self, a: str, b: str) -> str:
        return f"{a}.tenant = {b}.tenant AND "

    def with_tenant(self, alias: str, column: str) -> str:
        return f"{alias}.tenant, {alias}.{column}"

    # Metadata -------------------------------------------------------------------------------------

    def condition(self, test: Condition) -> Clause:
        match test.op:
            case "eq" | "in":
                return _among(test, "")
            case "ne" | "nin":
                return _among(test, "NOT ")
            case "contains" | "icontains":
                return _contains(test)
        return _ordered(test)


def _among(test: Condition, negated: str) -> Clause:
    values = list(test.value) if test.op in ("in", "nin") else [test.value]
    return Clause(f"{negated}({_FOUND} = ANY(?::jsonb[]))", [test.key, [_json(value) for value in values]])


def _ordered(test: Condition) -> Clause:
    """An order test. A text and a number can't be compared."""
    order = _ORDERINGS[test.op]
    if isinstance(test.value, str):
        sql = f"(jsonb_typeof({_FOUND}) = 'string' AND (m.metadata ->> ?) COLLATE \"C\" {order} ?)"
        return Clause(sql, [test.key, test.key, test.value])
    sql = f"(jsonb_typeof({_FOUND}) = 'number' AND {_FOUND} {order} ?::jsonb)"
    return Clause(sql, [test.key, test.key, _json(test.value)])


def _contains(test: Condition) -> Clause:
    """Tests whether a list contains the value, or a text contains it as a substring."""
    column, value = "m.metadata", test.value
    if test.op == "icontains":
        column, value = "coalesce(m.folded, m.metadata)", fold(value)
    found = f"({column}::jsonb -> ?)"
    sql = (
        f"CASE jsonb_typeof({found}) WHEN 'array' THEN {found} @> ?::jsonb "
        f"WHEN 'string' THEN strpos({column} ->> ?, ?) > 0 END"
    )
    return Clause(sql, [test.key, test.key, _json(value), test.key, str(value)])


def _json(value: Any) -> str:  # noqa: ANN401 - JSON
    return json.dumps(value, ensure_ascii=False)


class PartitionedDialect(PostgresDialect):
    """For tables whose partitions may be on other servers."""

    def looked_up(self, alias: str, column: str, values: Iterable[Any]) -> Clause:
        # a join with unnest would fetch all rows of the other servers
        sql = f"(SELECT * FROM memory WHERE {column} = ANY(?)) {alias}"
        return Clause(sql, [list(dict.fromkeys(values))])


POSTGRES = PostgresDialect()
PARTITIONED = PartitionedDialect()


def compile_filter(filter: Filter) -> Where:
    return compile_shared(filter, POSTGRES)


# Rows ---------------------------------------------------------------------------------------------


def to_row(memory: Memory) -> list[Any]:
    """The values of STORED up to `folded`. The metadata is JSON text."""
    row = LAYOUT.values(memory)
    for at in LAYOUT.lists_at:
        row[at] = list(row[at])
    row[LAYOUT.metadata_at] = to_json(memory.metadata) if memory.metadata else "{}"
    return [memory.tenant, *row, folded(memory.metadata) if memory.metadata else None]


def to_json(value: Any) -> str:  # noqa: ANN401 - JSON
    made = json.dumps(value, ensure_ascii=False)
    if "\\u0000" in made:
        raise InvalidInput("metadata contains a NUL character, which PostgreSQL can't keep")
    return made


def from_json(made: str | bytes) -> Any:  # noqa: ANN401 - JSON
    return {} if made == b"{}" else json.loads(made)  # most memories have empty metadata


def counters(memory: Memory) -> tuple[int, int | None, int, int | None] | None:
    """The memory's counters, or None if all have their initial values."""
    found = (
        memory.access_count,
        to_micros(memory.last_accessed_at),
        memory.retrieval_count,
        to_micros(memory.last_retrieved_at),
    )
    return found if any(value is not None and value != 0 for value in found) else None


def folded(metadata: Mapping[str, Any]) -> str | None:
    """The case-folded metadata for `icontains`. Folded here, because servers differ in case folding beyond ASCII."""
    made = {key: fold(value) for key, value in metadata.items()}
    return None if made == metadata else json.dumps(made, ensure_ascii=False)


def fold(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, list | tuple):
        return [fold(item) for item in value]
    return value.casefold() if isinstance(value, str) else value
