"""A `Filter` as SQL over the alias `m`, to be used inside every search."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ...types import Condition, Filter, Junction
from .rows import fold, to_micros

_ORDERINGS = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


@dataclass(slots=True)
class Where:
    """A conjunction and its bindings."""

    tests: list[str] = field(default_factory=list)
    bindings: list[Any] = field(default_factory=list)

    def add(self, test: str, *bindings: Any) -> None:  # noqa: ANN401 - what PostgreSQL binds
        self.tests.append(test)
        self.bindings.extend(bindings)

    def among(self, column: str, values: Iterable[str]) -> None:
        if chosen := list(values):
            self.add(f"m.{column} = ANY(%s)", chosen)

    @property
    def sql(self) -> str:
        return " AND ".join(self.tests) or "true"


def compile_filter(filter: Filter) -> Where:
    where = Where()
    _namespaces(where, filter.namespaces)
    where.among("status", filter.statuses)
    where.among("tier", filter.tiers)
    where.among("kind", filter.kinds)
    where.among("granularity", filter.granularities)
    if filter.tags:
        where.add("m.tags @> %s::text[]", list(filter.tags))
    if filter.session_id is not None:
        where.add("m.session_id = %s", filter.session_id)
    _times(where, filter)
    if filter.where is not None:
        sql, bindings = _metadata_sql(filter.where)
        where.add(f"coalesce({sql}, false)", *bindings)
    return where


def one_or_any(values: Iterable[Any]) -> tuple[str, Any]:
    """A comparison with some values, and its binding. With one of them it is planned once, not every time."""
    listed = list(values)
    return ("= %s", listed[0]) if len(listed) == 1 else ("= ANY(%s)", listed)


def tenants(filter: Filter) -> list[str]:
    return sorted({path.partition("/")[0] for path in filter.namespaces})


def _namespaces(where: Where, paths: tuple[str, ...]) -> None:
    tests = []
    for path in paths:
        tenant, below, _ = path.partition("/")
        if not below:
            tests.append("m.tenant = %s")
            where.bindings.append(tenant)
        else:  # '0' is the character after '/': a range that the index can use
            tests.append("m.tenant = %s AND (m.namespace = %s OR (m.namespace >= %s AND m.namespace < %s))")
            where.bindings.extend((tenant, path, f"{path}/", f"{path}0"))
    if tests:
        where.tests.append(f"({' OR '.join(tests)})")


def _times(where: Where, filter: Filter) -> None:
    if filter.since is not None:
        where.add("coalesce(m.occurred_at, m.created_at) >= %s", to_micros(filter.since))
    if filter.until is not None:
        where.add("coalesce(m.occurred_at, m.created_at) < %s", to_micros(filter.until))
    if filter.as_of is not None:
        moment = to_micros(filter.as_of)
        where.add("coalesce(m.valid_from, m.created_at) <= %s", moment)
        where.add("(m.valid_to IS NULL OR m.valid_to > %s)", moment)
    if filter.live_at is not None:
        where.add("(m.expires_at IS NULL OR m.expires_at > %s)", to_micros(filter.live_at))


def _metadata_sql(test: Condition | Junction) -> tuple[str, list[Any]]:
    if isinstance(test, Condition):
        return _condition_sql(test)
    joined, bindings = [], []
    for part in test.parts:
        sql, more = _metadata_sql(part)
        joined.append(f"coalesce({sql}, false)")
        bindings.extend(more)
    if test.how == "all":
        return f"({' AND '.join(joined)})", bindings
    negated = "NOT " if test.how == "none" else ""
    return f"{negated}({' OR '.join(joined)})", bindings


def _condition_sql(test: Condition) -> tuple[str, list[Any]]:
    match test.op:
        case "eq" | "in":
            return _among_sql(test, "")
        case "ne" | "nin":
            return _among_sql(test, "NOT ")
        case "contains" | "icontains":
            return _contains_sql(test)
    return _ordered_sql(test)


# A key that is missing counts as null; jsonb compares numbers as numbers and never takes 1 for true.
_FOUND = "coalesce(m.metadata::jsonb -> %s, 'null')"


def _among_sql(test: Condition, negated: str) -> tuple[str, list[Any]]:
    values = list(test.value) if test.op in ("in", "nin") else [test.value]
    return f"{negated}({_FOUND} = ANY(%s::jsonb[]))", [test.key, [_json(value) for value in values]]


def _ordered_sql(test: Condition) -> tuple[str, list[Any]]:
    """Text is neither more nor less than a number."""
    order = _ORDERINGS[test.op]
    if isinstance(test.value, str):
        sql = f"(jsonb_typeof({_FOUND}) = 'string' AND (m.metadata ->> %s) COLLATE \"C\" {order} %s)"
        return sql, [test.key, test.key, test.value]
    sql = f"(jsonb_typeof({_FOUND}) = 'number' AND {_FOUND} {order} %s::jsonb)"
    return sql, [test.key, test.key, _json(test.value)]


def _contains_sql(test: Condition) -> tuple[str, list[Any]]:
    """A member of a list, or a piece of a text."""
    column, value = "m.metadata", test.value
    if test.op == "icontains":
        column, value = "coalesce(m.folded, m.metadata)", fold(value)
    found = f"({column}::jsonb -> %s)"
    sql = (
        f"CASE jsonb_typeof({found}) WHEN 'array' THEN {found} @> %s::jsonb "
        f"WHEN 'string' THEN strpos({column} ->> %s, %s) > 0 END"
    )
    return sql, [test.key, test.key, _json(value), test.key, str(value)]


def _json(value: Any) -> str:  # noqa: ANN401 - JSON
    return json.dumps(value, ensure_ascii=False)
