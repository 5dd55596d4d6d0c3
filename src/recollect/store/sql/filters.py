"""Compiles a `Filter` to SQL over the alias `m`. Every search contains it, so it is applied before any limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ...types import Condition, Filter, Junction
from .dialect import Clause, Dialect
from .rows import to_micros

HAPPENED = "coalesce(m.occurred_at, m.created_at)"


@dataclass(slots=True)
class Where:
    """Conditions joined by AND, and their values."""

    dialect: Dialect
    tests: list[str] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)

    def add(self, test: str, *values: Any) -> Where:  # noqa: ANN401 - what a driver binds
        self.tests.append(test)
        self.values.extend(values)
        return self

    def also(self, clause: Clause) -> Where:
        return self.add(clause.sql, *clause.values)

    def among(self, column: str, values: Sequence[Any]) -> Where:
        return self.also(self.dialect.among(column, values)) if values else self

    @property
    def shared(self) -> str:
        """The SQL for shared statements, with `?` as the placeholder."""
        return " AND ".join(self.tests) or self.dialect.true

    @property
    def sql(self) -> str:
        """The SQL for statements of one engine, with its driver's placeholder."""
        return self.dialect.placeholders(self.shared)


def compile_logged(namespaces: Sequence[str], dialect: Dialect) -> Where:
    """Selects events or recalls of these namespaces and those below; without any, all."""
    where = Where(dialect)
    _any_of(where, [dialect.logged(path) for path in namespaces])
    return where


def compile_filter(filter: Filter, dialect: Dialect) -> Where:
    where = Where(dialect)
    _namespaces(where, filter)
    for column, chosen in _LISTED.items():
        where.among(f"m.{column}", getattr(filter, chosen))
    if filter.tags:
        where.also(dialect.tags(filter.tags))
    if filter.session_id is not None:
        where.add("m.session_id = ?", filter.session_id)
    where.among("m.turn", filter.turns)
    _times(where, filter)
    if filter.lacks_view is not None:
        where.also(dialect.lacks_view(filter.lacks_view))
    if filter.where is not None:
        where.also(_metadata(filter.where, dialect))
    return where


_LISTED = {"status": "statuses", "tier": "tiers", "kind": "kinds", "granularity": "granularities"}
"""Column → the filter's list of values for it."""


def _namespaces(where: Where, filter: Filter) -> None:
    _any_of(where, [where.dialect.namespace(path, exact=filter.exact) for path in filter.namespaces])


def _any_of(where: Where, clauses: Sequence[Clause]) -> None:
    if clauses:
        values = [value for clause in clauses for value in clause.values]
        where.add(f"({' OR '.join(clause.sql for clause in clauses)})", *values)


def _times(where: Where, filter: Filter) -> None:
    if filter.since is not None:
        where.add(f"{HAPPENED} >= ?", to_micros(filter.since))
    if filter.until is not None:
        where.add(f"{HAPPENED} < ?", to_micros(filter.until))
    if filter.as_of is not None:
        held = to_micros(filter.as_of)
        where.add("coalesce(m.valid_from, m.created_at) <= ?", held)
        where.add("(m.valid_to IS NULL OR m.valid_to > ?)", held)
    if filter.live_at is not None:
        where.add("(m.expires_at IS NULL OR m.expires_at > ?)", to_micros(filter.live_at))


def _metadata(test: Condition | Junction, dialect: Dialect) -> Clause:
    clause = dialect.condition(test) if isinstance(test, Condition) else _joined(test, dialect)
    return Clause(f"coalesce({clause.sql}, {dialect.false})", clause.values)


def _joined(test: Junction, dialect: Dialect) -> Clause:
    parts = [_metadata(part, dialect) for part in test.parts]
    glue = " AND " if test.how == "all" else " OR "
    negated = "NOT " if test.how == "none" else ""
    values = [value for part in parts for value in part.values]
    return Clause(f"{negated}({glue.join(part.sql for part in parts)})", values)
