"""Prints the tables of a measurement and writes its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from unicodedata import east_asian_width

from . import show
from .options import Place


def write_study(
    stem: str,
    title: str,
    parts: Sequence[Any],
    data: Mapping[str, Any],
    out: str,
    place: Place,
    details: Mapping[str, Any] | None = None,
) -> None:
    """Prints the tables of a study and writes them as `stem`.json and .html. `details` are only in the .json file."""
    from ..bench.html_page import Table, write

    tables = [part for part in parts if isinstance(part, Table)]
    found = {"study": stem, **data, "tables": [each.to_dict() for each in tables]}
    written = write({**found, **(details or {})}, title, parts, Path(out), stem)
    show.answer(place.as_json, found, lambda: _tables(tables))
    show.say(f"written: {', '.join(map(str, written))}")


def _tables(tables: Sequence[Any]) -> None:
    for each in tables:
        show.line(show.bold(each.title))
        table(each.head, each.rows)
        for note in each.notes:
            show.line(show.dim(note))
        show.line()


def table(head: Sequence[str], body: Sequence[Sequence[str]]) -> None:
    """Columns as wide as their widest cell."""
    widths = [max(_width(row[n]) for row in (head, *body)) for n in range(len(head))]
    for n, row in enumerate((head, *body)):
        padded = [cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)]
        cells = "  ".join(padded).rstrip()
        show.line(show.dim(cells) if n == 0 else cells)


def _width(cell: str) -> int:
    """How many columns a terminal uses: a Chinese character takes two."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in cell)
