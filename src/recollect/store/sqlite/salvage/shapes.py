"""What the rows of each table look like in the file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import apsw

from ...checksums import vector_checksum
from ..covered import COVERED, is_covered, sums_agree
from ..schema import MIGRATIONS, SMALL_TABLES
from .cells import Cell, RawText, Values

TABLES = ("vector", "view", *COVERED)
"""The tables that are read. Words and their counts are made again."""
_TYPES: dict[str, tuple[type, ...]] = {"TEXT": (RawText,), "INTEGER": (int,), "REAL": (int, float), "BLOB": (bytes,)}
_UNMISTAKABLE = ("memory", "vector", "view", "event", "recall", "recalled", "feedback", "link", "revision")
"""Tables whose rows can't be taken for others, even in a file without checksums."""


@dataclass(frozen=True)
class Column:
    name: str
    type: str
    nullable: bool


@dataclass(frozen=True)
class Row:
    table: str
    values: dict[str, Any]
    whole: bool
    """Whether the checksum is right. In a file of an older version: whether every text is UTF-8."""


@dataclass(frozen=True)
class Shape:
    """The columns of a table, in the order of the file: those of the key come first in a table without rowids."""

    table: str
    columns: tuple[Column, ...]
    rowid: str | None
    """The column that is the rowid."""
    least: int
    """How many columns the table had at first. The row of an older version has no more."""

    def row(self, cell: Cell, *, certain: bool) -> Row | None:
        """The cell as a row; None if it is none of this table. `certain` says that the page belongs to the table."""
        if cell.values is None or (cell.rowid is None) == (self.rowid is not None):
            return None
        values = self._named(cell.values, cell.rowid)
        if values is None:
            return None
        texts = {name: _decoded(value) for name, value in values.items()}
        whole = self._is_whole(texts)
        if not certain and not (whole and (values.get("checksum") is not None or self.table in _UNMISTAKABLE)):
            return None
        return Row(self.table, texts, whole)

    def _named(self, values: Values, rowid: int | None) -> dict[str, Any] | None:
        # a file of an older version has no checksums and hashes; a new column of an old row is left out in the record
        if not self.least <= len(values) <= len(self.columns):
            return None
        found = {}
        for column, value in zip(self.columns, values, strict=False):
            if column.name == self.rowid:
                value = rowid
            elif not (value is None and column.nullable or isinstance(value, _TYPES[column.type])):
                return None
            found[column.name] = float(value) if column.type == "REAL" and value is not None else value
        return found

    def _is_whole(self, values: dict[str, Any]) -> bool:
        if any(isinstance(value, str) and not _is_utf8(value) for value in values.values()):
            return False
        if self.table == "view" or "checksum" not in values:
            return True
        if self.table == "vector":
            return bool(vector_checksum(values["data"]) == values["checksum"])
        covered = [values[name] for name in COVERED[self.table]]
        return not is_covered(self.table, covered[0]) or sums_agree(covered, values["checksum"])


def _decoded(value: Any) -> Any:  # noqa: ANN401 - what a column holds
    return value.decode("utf-8", "surrogateescape") if isinstance(value, RawText) else value


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@cache
def shapes() -> dict[str, Shape]:
    """The tables of this version, read from an empty database."""
    db = apsw.Connection(":memory:")
    try:
        db.execute(";".join(MIGRATIONS[:SMALL_TABLES]))  # every table is there; later versions add columns
        least = {table: len(_columns(db, table)) for table in TABLES}
        db.execute(";".join(MIGRATIONS[SMALL_TABLES:]))
        return {table: _shape(db, table, least[table]) for table in TABLES}
    finally:
        db.close()


def _columns(db: apsw.Connection, table: str) -> list[Any]:
    return db.execute('SELECT name, type, "notnull", pk FROM pragma_table_info(?)', (table,)).fetchall()


def _shape(db: apsw.Connection, table: str, least: int) -> Shape:
    rows = _columns(db, table)
    without = bool(db.execute("SELECT wr FROM pragma_table_list WHERE name = ?", (table,)).get)
    named = [(Column(str(name), str(type), not notnull and not pk), int(pk)) for name, type, notnull, pk in rows]
    if without:
        named = sorted(named, key=lambda each: each[1] or len(rows))
    rowid = None if without else next(column.name for column, pk in named if pk)
    return Shape(table, tuple(column for column, _ in named), rowid, least)
