"""Reads CSV files. A mapping says which column is which field of a memory."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ..errors import InvalidInput
from ..ids import digest
from .encoding import NOT_UTF8, is_utf8, opened
from .found import Broken, Found, Item, key_of

_SEPARATORS = (",", ";", "\t", "|")
_LONGEST_FIELD = 1 << 26
FIELDS = tuple("text kind tags entities gist importance confidence at occurred_at session_id id".split())


def found_in_table(path: Path, columns: Mapping[str, str]) -> Found:
    """A memory for each row. `columns` is field → column; columns that are no field become metadata."""
    try:
        with opened(path, newline="") as file:
            between = _separator(file.readline())
            file.seek(0)
            rows = csv.DictReader(file, delimiter=between)
            mapping = _mapping(path, columns, rows.fieldnames or ())
            for row in _rows(rows):
                yield _item(path, rows.line_num, row, mapping)
    except csv.Error as error:
        raise InvalidInput(f"{path} is not a CSV file: {error}") from None
    except OSError as error:
        raise InvalidInput(f"{path} can't be read: {error.strerror}") from None


def _separator(header: str) -> str:
    """A comma, or what stands more often in the header: spreadsheets also write semicolons and tabs."""
    return max(_SEPARATORS, key=header.count)


def _rows(rows: csv.DictReader[str]) -> Iterator[dict[str, str]]:
    """The rows. The limit of a field belongs to the process, so it is raised only while a row is read."""
    while True:
        limit = csv.field_size_limit(_LONGEST_FIELD)
        try:
            row = next(rows, None)
        finally:
            csv.field_size_limit(limit)
        if row is None:
            return
        yield row


def _mapping(path: Path, columns: Mapping[str, str], header: Sequence[str]) -> dict[str, str]:
    for field, column in columns.items():
        if field not in FIELDS:
            raise InvalidInput(f"--column: {field!r} is no field of a memory: choose one of {', '.join(FIELDS)}")
        if column not in header:
            raise InvalidInput(f"{path} has no column {column!r}: it has {', '.join(header)}")
    found = {field: field for field in FIELDS if field in header} | dict(columns)
    if "text" not in found:
        raise InvalidInput(f"say which column has the text, such as --column text={header[0] if header else 'NAME'}")
    return found


def _item(path: Path, line: int, row: Mapping[str, str | None], mapping: Mapping[str, str]) -> Item | Broken:
    where = f"{path}, line {line}"
    if not all(is_utf8(value) for value in row.values() if isinstance(value, str)):
        return Broken(where, NOT_UTF8)
    given = {field: (row.get(column) or "").strip() for field, column in mapping.items()}
    text, id = given.pop("text"), given.pop("id", "")
    if not text:
        return Broken(where, "has no text")
    fields: dict[str, object] = {name: value for name, value in given.items() if value}
    for name in ("tags", "entities"):
        if name in fields:
            fields[name] = [part.strip() for part in str(fields[name]).replace(";", ",").split(",") if part.strip()]
    for name in ("importance", "confidence"):
        try:
            fields |= {name: float(str(fields[name]))} if name in fields else {}
        except ValueError:
            return Broken(where, f"{name} must be a number from 0 to 1, not {fields[name]!r}")
    rest = {k: v for k, v in row.items() if k and v and k not in mapping.values()}
    metadata = {"file": path.name, **rest}
    return Item(key_of("csv", id or digest(text).hex()), {**fields, "text": text, "metadata": metadata}, where)
