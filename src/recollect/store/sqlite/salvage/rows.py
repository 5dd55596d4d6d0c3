"""Every row of a file that can be read, and what shows that others were there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .cells import Cell, Page, RawText, Values, is_tree, read
from .pages import Pages, Unreadable
from .shapes import Row, Shape, shapes
from .trees import Gap, Tree, roots, walk

KEYS = {
    "memory": ("id",),
    "vector": ("number",),
    "view": ("row", "name"),
    "event": ("id",),
    "revision": ("memory_id", "event"),
    "link": ("a", "b", "kind"),
    "recall": ("id",),
    "recalled": ("recall", "rank"),
    "feedback": ("recall", "memory_id"),
    "setting": ("key",),
    "api_key": ("id",),
    "login_link": ("sha256",),
    "reply": ("name",),
    "retention": ("namespace",),
    "mark": ("task", "namespace"),
}
"""Table → the columns that identify a row."""
INDEXES = {
    "sqlite_autoindex_memory_1": ("memory", ("id", "row")),
    "sqlite_autoindex_event_1": ("event", ("id", "seq")),
    "sqlite_autoindex_view_1": ("view", ("row", "name", "seq")),
    "link_by_b": ("link", ("b", "a", "kind")),
    "revision_by_event": ("revision", ("event", "memory_id")),
    "recalled_by_memory": ("recalled", ("memory_id", "recall", "rank")),
    "feedback_by_memory": ("feedback", ("memory_id", "recall")),
}
"""Index → its table, and the columns in it. It names rows of the table that can't be read."""
Key = tuple[Any, ...]


@dataclass
class Salvaged:
    """What was found in the file."""

    rows: dict[str, dict[Key, Row]] = field(default_factory=dict)
    """Table → key → row."""
    named: dict[str, dict[Key, dict[str, Any]]] = field(default_factory=dict)
    """Table → key → the columns of an index, for all rows that an index names."""
    gaps: list[Gap] = field(default_factory=list)
    """Pages of tables that can't be read completely."""
    lists_tables: bool = True
    """Whether the file's list of tables can be read."""

    def of(self, table: str) -> Iterable[Row]:
        return self.rows.get(table, {}).values()

    def missing(self, table: str) -> list[Key]:
        """The keys of rows that an index names and that were not found."""
        return sorted(self.named.get(table, {}).keys() - self.rows.get(table, {}).keys(), key=repr)


def salvage(path: Path) -> Salvaged:
    """Reads the file at the path and its write-ahead log, which must be private copies."""
    pages = Pages(path)
    try:
        return _Reader(pages).read()
    finally:
        pages.close()


class _Reader:
    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._found = Salvaged()
        self._seen: set[int] = set()

    def read(self) -> Salvaged:
        listed = roots(self._pages)
        self._found.lists_tables = bool(listed)
        for name, root in listed.items():
            self._take(walk(self._pages, name, root, self._seen))
        for page in self._strays():
            for cell in page.cells:
                self._add(_any_row(cell))
        return self._found

    def _take(self, tree: Tree) -> None:
        """Takes the rows of a table, or the keys that an index names."""
        shape = shapes().get(tree.name)
        if shape is not None:
            self._found.gaps += tree.gaps
            for page in tree.pages:
                self._rows(shape, page)
        elif tree.name in INDEXES:
            table, columns = INDEXES[tree.name]
            for page in tree.pages:
                self._names(table, columns, page)

    def _rows(self, shape: Shape, page: Page) -> None:
        cells = [cell for cell in page.cells if cell.values is not None]
        rows = [shape.row(cell, certain=True) for cell in cells]
        for row in rows:
            self._add(row)
        if None in rows:
            self._found.gaps.append(Gap(shape.table, page.number))

    def _names(self, table: str, columns: tuple[str, ...], page: Page) -> None:
        for cell in page.cells:
            if (named := _plain(cell.values, columns)) is not None:
                key = tuple(named[name] for name in KEYS[table])
                self._found.named.setdefault(table, {})[key] = named

    def _strays(self) -> Iterator[Page]:
        """Pages that no other page leads to, because that one is damaged."""
        gone = self._seen | self._pages.free()
        for number in self._pages.numbers():
            try:
                if number not in gone and is_tree(self._pages[number], number):
                    yield read(self._pages, number)
            except Unreadable:
                continue

    def _add(self, row: Row | None) -> None:
        if row is None:
            return
        key = tuple(row.values[name] for name in KEYS[row.table])
        rows = self._found.rows.setdefault(row.table, {})
        if key not in rows or (row.whole and not rows[key].whole):
            rows[key] = row


def _any_row(cell: Cell) -> Row | None:
    found = (shape.row(cell, certain=False) for shape in shapes().values())
    return next((row for row in found if row is not None), None)


def _plain(values: Values | None, columns: tuple[str, ...]) -> dict[str, Any] | None:
    if values is None or len(values) < len(columns):
        return None
    texts = [value.decode("utf-8", "replace") if isinstance(value, RawText) else value for value in values]
    return dict(zip(columns, texts, strict=False))
