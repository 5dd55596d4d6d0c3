"""A `Filter` as SQL over the alias `m`, to be used inside every search."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ...types import Condition, Filter, Junction
from .rows import to_micros

_ORDERINGS = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
_FOUND = "json_extract(m.metadata, ?)"


@dataclass(slots=True)
class Where:
    """A conjunction and its bindings."""

    tests: list[str] = field(default_factory=list)
    bindings: list[Any] = field(default_factory=list)

    def add(self, test: str, *bindings: Any) -> None:  # noqa: ANN401 - what SQLite binds
        self.tests.append(test)
        self.bindings.extend(bindings)

    def among(self, column: str, values: Iterable[str]) -> None:
        if chosen := list(values):
            self.add(f"m.{column} IN ({', '.join('?' * len(chosen))})", *chosen)

    @property
    def sql(self) -> str:
        return " AND ".join(self.tests) or "1"


def compile_filter(filter: Filter) -> Where:
    where = Where()
    _namespaces(where, filter.namespaces)
    where.among("status", filter.statuses)
    where.among("tier", filter.tiers)
    where.among("kind", filter.kinds)
    where.among("granularity", filter.granularities)
    for tag in filter.tags:
        where.add("EXISTS (SELECT 1 FROM json_each(m.tags) WHERE value = ?)", tag)
    if filter.session_id is not None:
        where.add("m.session_id = ?", filter.session_id)
    _times(where, filter)
    if filter.where is not None:
        _metadata(where, filter.where)
    return where


def _namespaces(where: Where, paths: tuple[str, ...]) -> None:
    if not paths:
        return
    tests = []
    for path in paths:
        # '0' is the character after '/': a range that the index can use
        tests.append("m.namespace = ? OR (m.namespace >= ? AND m.namespace < ?)")
        where.bindings.extend((path, f"{path}/", f"{path}0"))
    where.tests.append(f"({' OR '.join(tests)})")


def _times(where: Where, filter: Filter) -> None:
    if filter.since is not None:
        where.add("coalesce(m.occurred_at, m.created_at) >= ?", to_micros(filter.since))
    if filter.until is not None:
        where.add("coalesce(m.occurred_at, m.created_at) < ?", to_micros(filter.until))
    if filter.as_of is not None:
        moment = to_micros(filter.as_of)
        where.add("coalesce(m.valid_from, m.created_at) <= ?", moment)
        where.add("(m.valid_to IS NULL OR m.valid_to > ?)", moment)
    if filter.live_at is not None:
        where.add("(m.expires_at IS NULL OR m.expires_at > ?)", to_micros(filter.live_at))


def _metadata(where: Where, test: Condition | Junction) -> None:
    sql, bindings = _metadata_sql(test)
    where.add(f"coalesce({sql}, 0)", *bindings)


def _metadata_sql(test: Condition | Junction) -> tuple[str, list[Any]]:
    if isinstance(test, Condition):
        return _condition_sql(test)
    joined, bindings = [], []
    for part in test.parts:
        sql, more = _metadata_sql(part)
        joined.append(f"coalesce({sql}, 0)")
        bindings.extend(more)
    if test.how == "all":
        return f"({' AND '.join(joined)})", bindings
    negated = "NOT " if test.how == "none" else ""
    return f"{negated}({' OR '.join(joined)})", bindings


def _condition_sql(test: Condition) -> tuple[str, list[Any]]:
    path = "$." + json.dumps(test.key, ensure_ascii=False)
    match test.op:
        case "eq":
            return _equal_sql(path, test.value)
        case "ne":
            equal, bindings = _equal_sql(path, test.value)
            return f"NOT {equal}", bindings
        case "in" | "nin":
            return _among_sql(path, test)
        case "contains" | "icontains":
            return _contains_sql(path, test)
    # text is neither more nor less than a number
    types = "('text')" if isinstance(test.value, str) else "('integer', 'real')"
    sql = f"(json_type(m.metadata, ?) IN {types} AND {_FOUND} {_ORDERINGS[test.op]} ?)"
    return sql, [path, path, test.value]


def _equal_sql(path: str, value: Any) -> tuple[str, list[Any]]:  # noqa: ANN401 - a JSON value
    if value is None:
        return f"({_FOUND} IS NULL)", [path]
    if isinstance(value, bool):  # json_extract gives 1 and 0 for these
        return "(json_type(m.metadata, ?) IS ?)", [path, str(value).lower()]
    if isinstance(value, list | dict):
        kind = "array" if isinstance(value, list) else "object"
        sql = f"(json_type(m.metadata, ?) IS ? AND {_FOUND} = json(?))"
        return sql, [path, kind, path, json.dumps(value, ensure_ascii=False)]
    return f"({_FOUND} IS ? AND json_type(m.metadata, ?) NOT IN ('true', 'false'))", [path, value, path]


def _among_sql(path: str, test: Condition) -> tuple[str, list[Any]]:
    tests, bindings = ["0"], []
    for value in test.value:
        sql, more = _equal_sql(path, value)
        tests.append(sql)
        bindings.extend(more)
    negated = "NOT " if test.op == "nin" else ""
    return f"{negated}({' OR '.join(tests)})", bindings


def _contains_sql(path: str, test: Condition) -> tuple[str, list[Any]]:
    """A member of a list, or a piece of a text."""
    fold = "folded" if test.op == "icontains" else ""
    sql = (
        "CASE json_type(m.metadata, ?) WHEN 'array' THEN "
        f"EXISTS (SELECT 1 FROM json_each(m.metadata, ?) WHERE {fold}(value) IS {fold}(?)) "
        f"WHEN 'text' THEN instr({fold}({_FOUND}), {fold}(?)) > 0 END"
    )
    return sql, [path, path, test.value, path, test.value]
