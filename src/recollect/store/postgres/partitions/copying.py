"""Copies the rows of a partition from one server to another, page by page, and compares the two.

Each page is one transaction of the target, which also stores how far the copy got.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....errors import Conflict
from ..connections import Database
from ..schema import SCHEMA
from .changes import Changes
from .shape import Shape

PAGE = 2_000
_MARKS = f"{SCHEMA}.partition_copy"
_STAGED = "pg_temp.staged"


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of one table of a partition."""

    source: Database
    target: Database
    shape: Shape
    origin: str
    """The table that is copied."""
    goal: str
    """The table that the rows are copied to."""
    tenant: str | None
    """Only the rows of this tenant are copied."""

    @property
    def _columns(self) -> str:
        return ", ".join(f"s.{name}" for name, _ in self.shape.columns)

    @property
    def _key(self) -> str:
        return ", ".join(f"s.{name}" for name in self.shape.primary)

    @property
    def _inside(self) -> tuple[str, list[Any]]:
        return ("true", []) if self.tenant is None else ("s.tenant = %s", [self.tenant])

    def run(self, advance: Callable[[int], None]) -> None:
        """Copies all pages that an earlier attempt has not copied."""
        self.target.execute(
            f"CREATE TABLE IF NOT EXISTS {_MARKS} (goal text PRIMARY KEY, last text[], done boolean NOT NULL)"
        )
        row = self.target.execute(f"SELECT last, done FROM {_MARKS} WHERE goal = %s", (self.goal,)).fetchone()
        last, done = row or (None, False)
        while not done:
            last, count = self._page(last)
            done = count < PAGE
            advance(count)

    def _page(self, last: Sequence[str] | None) -> tuple[Sequence[str] | None, int]:
        test, values = self._inside
        if last is not None:
            test += f" AND ({self._key}) > ({', '.join(self._casts())})"
            values = [*values, *last]
        with self.target.transaction():
            count = self._stage(f"{self.origin} s WHERE {test} ORDER BY {self._key} LIMIT {PAGE}", values)
            # a row that is there already came with a change, so it is newer
            self.target.execute(
                f"INSERT INTO {self.goal} SELECT {self._columns} FROM {_STAGED} s ON CONFLICT DO NOTHING"
            )
            row = self.target.execute(
                f"SELECT ARRAY[{', '.join(f's.{name}::text' for name in self.shape.primary)}] FROM {_STAGED} s "
                f"ORDER BY {', '.join(f's.{name} DESC' for name in self.shape.primary)} LIMIT 1"
            ).fetchone()
            last = row[0] if row else last
            self.target.execute(
                f"INSERT INTO {_MARKS} VALUES (%s, %s, %s) "
                "ON CONFLICT (goal) DO UPDATE SET last = excluded.last, done = excluded.done",
                (self.goal, last, count < PAGE),
            )
        return last, count

    def _casts(self) -> list[str]:
        kinds = dict(self.shape.columns)
        return [f"%s::{kinds[name].split(' ')[0]}" for name in self.shape.primary]

    def _stage(self, rows: str, values: Sequence[Any]) -> int:
        """Puts the rows of the source into a temporary table of the target. Returns how many they are."""
        self.target.execute(f"DROP TABLE IF EXISTS {_STAGED}")
        self.target.execute(f"CREATE TEMPORARY TABLE staged (LIKE {self.goal}) ON COMMIT DROP")
        there = self.source.cursor()
        with (
            there.copy(f"COPY (SELECT {self._columns} FROM {rows}) TO STDOUT (FORMAT BINARY)", values) as out,
            self.target.cursor().copy(f"COPY {_STAGED} FROM STDIN (FORMAT BINARY)") as into,
        ):
            for data in out:
                into.write(data)
        return there.rowcount

    def follow(self, keys: Sequence[tuple[str, ...]]) -> None:
        """Makes the rows with these keys as they are in the source now."""
        with self.target.transaction():
            given, values = self._given(keys)
            self._stage(f"{self.origin} s JOIN {given}", values)
            same = " AND ".join(f"s.{name} = k.{name}" for name in self.shape.primary)
            named = given.partition(" ON ")[0]
            self.target.execute(f"DELETE FROM {self.goal} s USING {named} WHERE {same}", values)
            self.target.execute(f"INSERT INTO {self.goal} SELECT {self._columns} FROM {_STAGED} s")

    def _given(self, keys: Sequence[tuple[str, ...]]) -> tuple[str, list[list[str]]]:
        """The keys as a table to join, and their values."""
        kinds = dict(self.shape.columns)
        arrays = ", ".join(f"%s::{kinds[name].split(' ')[0]}[]" for name in self.shape.primary)
        same = " AND ".join(f"s.{name} = k.{name}" for name in self.shape.primary)
        names = ", ".join(self.shape.primary)
        return f"unnest({arrays}) AS k ({names}) ON {same}", [list(column) for column in zip(*keys, strict=True)]

    def sums(self, db: Database, table: str, keys: Sequence[tuple[str, ...]] | None = None) -> tuple[int, str]:
        """The number of rows and a checksum that does not depend on their order: of all rows, or of those with keys."""
        test, values = self._inside
        joined = ""
        if keys is not None:
            joined, values = self._given(keys)
            joined, test = f"JOIN {joined}", "true"
        row = db.execute(
            f"SELECT count(*), coalesce(sum(hashtextextended(ROW({self._columns})::text, 0)), 0)::text "
            f"FROM {table} s {joined} WHERE {test}",
            values,
        ).fetchone()
        assert row is not None
        return row[0], row[1]

    def verify(self, keys: Sequence[tuple[str, ...]] | None = None) -> int:
        """Compares source and target. Returns the number of rows."""
        here, there = self.sums(self.source, self.origin, keys), self.sums(self.target, self.goal, keys)
        if here != there:
            raise Conflict(
                f"{self.shape.table} differs after the copy ({here[0]:,} rows against {there[0]:,}): nothing was "
                "switched; run the same command again with --afresh"
            )
        return here[0]


def replay(copies: Mapping[str, Copy], changes: Changes, *, verify: bool = False) -> None:
    for table, keys in changes.keys.items():
        copies[table].follow(keys)
        if verify:
            copies[table].verify(keys)


def forget(target: Database, goals: Sequence[str]) -> None:
    """Deletes the marks of a copy."""
    if target.execute("SELECT to_regclass(%s)", (_MARKS,)).fetchone() != (None,):
        target.execute(f"DELETE FROM {_MARKS} WHERE goal = ANY(%s)", (list(goals),))
