"""SQLite's parts of the shared statements."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any

from ...errors import StoreDamaged
from ...types import Condition, Filter, Memory
from ..checksums import checksum_without_bytes
from ..sql.dialect import Clause
from ..sql.filters import Where
from ..sql.filters import compile_filter as compile_shared
from ..sql.rows import COLUMNS, COUNTERS, LISTS_AT, METADATA_AT, Layout, to_memory
from .connections import Database
from .covered import COVERED

LAYOUT = Layout(COLUMNS)
_FLOATS_AT = tuple(map(COLUMNS.index, ("importance", "confidence", "strength")))
_covered = itemgetter(*(n for n, name in enumerate(COLUMNS) if name not in COUNTERS))
_FEW = 16
"""Up to this many values become single placeholders; more are passed as one JSON text."""
_ORDERINGS = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
_FOUND = "json_extract(m.metadata, ?)"
_INDEXES = {"id": "", "row": "", "digest": " INDEXED BY memory_by_digest", "about": " INDEXED BY memory_by_about"}
"""Column → the index to use. Without it, the planner would choose the namespace's index for its order."""


class SqliteDialect:
    true, false = "1", "0"
    checksums = True
    sees_all = True
    no_limit: int | None = -1
    selected = ", ".join(f"m.{name}" for name in (*COLUMNS, "digest", "about", "checksum"))
    counters = ""
    by_session = " INDEXED BY memory_by_session"
    by_first_turn = " INDEXED BY memory_by_first_turn"
    store_size = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"

    def placeholders(self, sql: str) -> str:
        return sql

    def rows(self, db: Database, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = db.execute(sql, values).fetchall()
        return found

    def changed(self, db: Database, sql: str, values: Sequence[Any] = ()) -> int:
        before = db.total_changes()
        db.execute(sql, values)
        return db.total_changes() - before

    def memory(self, row: Sequence[Any]) -> Memory:
        *values, digest, about, held = row
        if checksum(values, digest, about) != held:
            raise StoreDamaged(
                f"the memory {values[0]} is damaged: its checksum is wrong. `recollect check` finds every damage, "
                "`recollect recover` saves the rest"
            )
        try:
            return decoded(values)
        except (ValueError, TypeError, OverflowError) as error:  # the checksum does not cover the counters
            raise StoreDamaged(f"the memory {values[0]} can't be read ({error}): run `recollect check`") from error

    def column(self, name: str) -> str:
        return f"m.{name}"

    def json(self, value: str | None) -> Any:  # noqa: ANN401 - JSON
        return None if value is None else json.loads(value)

    def among(self, column: str, values: Iterable[Any]) -> Clause:
        listed = list(values)
        if len(listed) <= _FEW:
            return Clause(f"{column} IN ({', '.join('?' * len(listed))})", listed)
        return Clause(f"{column} IN (SELECT value FROM json_each(?))", [json.dumps(listed)])

    def among_blobs(self, column: str, values: Iterable[bytes]) -> Clause:
        listed = list(values)
        if len(listed) <= _FEW:
            return self.among(column, listed)
        sql = f"{column} IN (SELECT unhex(value) FROM json_each(?))"
        return Clause(sql, [json.dumps([value.hex() for value in listed])])

    def looked_up(self, alias: str, column: str, values: Iterable[Any]) -> Clause:
        """CROSS JOIN fixes the order of the tables: first the values, then the index."""
        value = "unhex(j.value)" if column == "digest" else "j.value"
        listed = [wanted.hex() if isinstance(wanted, bytes) else wanted for wanted in dict.fromkeys(values)]
        sql = f"json_each(?) j CROSS JOIN memory {alias}{_INDEXES[column]} ON {alias}.{column} = {value}"
        return Clause(sql, [json.dumps(listed)])

    def namespace(self, path: str, *, exact: bool) -> Clause:
        if exact:
            return Clause("m.namespace = ?", [path])
        # '0' is the character after '/': a range that the index can use
        return Clause("m.namespace = ? OR (m.namespace >= ? AND m.namespace < ?)", [path, f"{path}/", f"{path}0"])

    def logged(self, path: str) -> Clause:
        return self.namespace(path, exact=False)

    def tags(self, tags: Sequence[str]) -> Clause:
        one = "EXISTS (SELECT 1 FROM json_each(m.tags) WHERE value = ?)"
        return Clause(" AND ".join([one] * len(tags)), tags)

    def lacks_view(self, view: str) -> Clause:
        return Clause("NOT EXISTS (SELECT 1 FROM view w WHERE w.row = m.row AND w.name = ?)", [view])

    def intact(self, table: str, alias: str) -> str:
        return f" AND intact('{table}', {', '.join(f'{alias}.{name}' for name in ('checksum', *COVERED[table]))})"

    def same_tenant(self, a: str, b: str) -> str:
        return ""

    def with_tenant(self, alias: str, column: str) -> str:
        return f"{alias}.{column}"

    # Metadata -------------------------------------------------------------------------------------

    def condition(self, test: Condition) -> Clause:
        path = "$." + json.dumps(test.key, ensure_ascii=False)
        match test.op:
            case "eq":
                return _equal(path, test.value)
            case "ne":
                equal = _equal(path, test.value)
                return Clause(f"NOT {equal.sql}", equal.values)
            case "in" | "nin":
                return _among(path, test)
            case "contains" | "icontains":
                return _contains(path, test)
        # a text and a number can't be compared
        types = "('text')" if isinstance(test.value, str) else "('integer', 'real')"
        sql = f"(json_type(m.metadata, ?) IN {types} AND {_FOUND} {_ORDERINGS[test.op]} ?)"
        return Clause(sql, [path, path, test.value])


def _equal(path: str, value: Any) -> Clause:  # noqa: ANN401 - a JSON value
    if value is None:
        return Clause(f"({_FOUND} IS NULL)", [path])
    if isinstance(value, bool):  # json_extract gives 1 and 0 for booleans
        return Clause("(json_type(m.metadata, ?) IS ?)", [path, str(value).lower()])
    if isinstance(value, list | dict):
        kind = "array" if isinstance(value, list) else "object"
        sql = f"(json_type(m.metadata, ?) IS ? AND {_FOUND} = json(?))"
        return Clause(sql, [path, kind, path, json.dumps(value, ensure_ascii=False)])
    return Clause(f"({_FOUND} IS ? AND json_type(m.metadata, ?) NOT IN ('true', 'false'))", [path, value, path])


def _among(path: str, test: Condition) -> Clause:
    tests = [_equal(path, value) for value in test.value]
    negated = "NOT " if test.op == "nin" else ""
    values = [value for one in tests for value in one.values]
    return Clause(f"{negated}({' OR '.join(['0', *(one.sql for one in tests)])})", values)


def _contains(path: str, test: Condition) -> Clause:
    """Tests whether a list contains the value, or a text contains it as a substring."""
    fold = "folded" if test.op == "icontains" else ""
    sql = (
        "CASE json_type(m.metadata, ?) WHEN 'array' THEN "
        f"EXISTS (SELECT 1 FROM json_each(m.metadata, ?) WHERE {fold}(value) IS {fold}(?)) "
        f"WHEN 'text' THEN instr({fold}({_FOUND}), {fold}(?)) > 0 END"
    )
    return Clause(sql, [path, path, test.value, path, test.value])


SQLITE = SqliteDialect()


def compile_filter(filter: Filter) -> Where:
    return compile_shared(filter, SQLITE)


def decoded(values: list[Any]) -> Memory:
    """A memory from the stored values of COLUMNS."""
    for at in LISTS_AT:
        values[at] = tuple(json.loads(values[at])) if values[at] != "[]" else ()
    values[METADATA_AT] = json.loads(values[METADATA_AT]) if values[METADATA_AT] != "{}" else {}
    return to_memory(values)


def checksum(values: Sequence[Any], digest: bytes | None, about: str | None) -> int:
    """The checksum of a memory, from the stored values of COLUMNS."""
    shown = digest.hex() if isinstance(digest, bytes) else digest  # anything, where a page is damaged
    return checksum_without_bytes((*_covered(values), shown, about))


def to_row(memory: Memory) -> list[Any]:
    row = LAYOUT.values(memory)
    for at in _FLOATS_AT:
        row[at] = float(row[at])  # a checksum of 1 is not that of 1.0, which is read back
    for at in (*LISTS_AT, METADATA_AT):
        row[at] = json.dumps(row[at], ensure_ascii=False) if row[at] else ("{}" if at == METADATA_AT else "[]")
    return row
