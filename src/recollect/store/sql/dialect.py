"""The differences between the SQL databases. Each store has its own class: sqlite/dialect.py, postgres/dialect.py.

Shared statements use `?` as the placeholder. The table `memory` has the alias `m`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

from ...types import Condition, Memory

Database: TypeAlias = Any
"""A connection of the engine's driver. Only the dialect and the store of that engine use its own API."""


class Clause(NamedTuple):
    """A piece of SQL and its values."""

    sql: str
    values: Sequence[Any] = ()


class Dialect(Protocol):
    checksums: bool
    """Whether the rows of small tables have a checksum."""
    true: str
    false: str
    no_limit: int | None
    """The value after LIMIT that means no limit."""
    selected: str
    """A memory's columns, in the order of `rows.COLUMNS`."""
    by_session: str
    """After the name of the table: the index of sessions, where the engine has to be told."""
    by_first_turn: str
    """The same for the index of first turns, which begins with the tenant."""
    counters: str
    """The join that adds a memory's counters, if they are in another table."""
    store_size: str
    """A query for the size of the whole store in bytes."""
    sees_all: bool
    """Whether it is cheap to see that some namespaces hold all memories. Where tables are partitioned it is not."""

    def placeholders(self, sql: str) -> str:
        """The statement with the driver's own placeholder in place of `?`."""

    def rows(self, db: Database, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query."""

    def changed(self, db: Database, sql: str, values: Sequence[Any] = ()) -> int:
        """Runs a statement that writes. Returns the number of changed rows."""

    def memory(self, row: Sequence[Any]) -> Memory:
        """A memory from the selected columns."""

    def json(self, value: Any) -> Any:  # noqa: ANN401 - JSON
        """The value of a JSON column as Python values."""

    def column(self, name: str) -> str:
        """A field of a memory, as SQL."""

    # Pieces of statements -------------------------------------------------------------------------

    def among(self, column: str, values: Iterable[Any]) -> Clause:
        """Whether the column has one of these values."""

    def looked_up(self, alias: str, column: str, values: Iterable[Any]) -> Clause:
        """A clause after FROM: the rows of `memory` whose column has one of these values, found by the index."""

    def namespace(self, path: str, *, exact: bool) -> Clause:
        """Whether `m` is in this namespace, or (unless exact) below it."""

    def logged(self, path: str) -> Clause:
        """Whether `m`, an event or a recall, is in this namespace or below it."""

    def tags(self, tags: Sequence[str]) -> Clause:
        """Whether `m` has all of these tags."""

    def condition(self, test: Condition) -> Clause:
        """One test on the metadata of `m`; NULL counts as false."""

    def lacks_view(self, view: str) -> Clause:
        """Whether `m` has no vector in this view."""

    def intact(self, table: str, alias: str) -> str:
        """The end of a condition, from AND on, that raises StoreDamaged for a row with a wrong checksum. Empty if rows
        of this table have none."""

    def same_tenant(self, a: str, b: str) -> str:
        """The start of a join condition, up to AND, if tables have a tenant column; otherwise empty."""

    def with_tenant(self, alias: str, column: str) -> str:
        """A column that is unique within a tenant, together with the tenant column if tables have one."""
