"""Reads and writes rows of the small tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, TypeVar

from ..checksums import row_checksum
from ..tables import Row, columns, moments
from .dialect import Database, Dialect
from .filters import Where
from .rows import from_micros, to_micros

R = TypeVar("R", bound=Row)


def rows(
    db: Database, dialect: Dialect, kind: type[R], where: Mapping[str, object], *, checksums: bool = True
) -> list[R]:
    chosen, names, times = _chosen(dialect, kind, where), columns(kind), moments(kind)
    whole = dialect.intact(kind.TABLE, kind.TABLE) if checksums else ""
    found = dialect.rows(
        db,
        f"SELECT {', '.join(names)} FROM {kind.TABLE} WHERE {chosen.shared}{whole} ORDER BY {', '.join(kind.KEY)}",
        chosen.values,
    )
    return [_row(kind, names, times, values) for values in found]


def _row(kind: type[R], names: Iterable[str], times: Iterable[str], values: Iterable[Any]) -> R:
    named = dict(zip(names, values, strict=True))
    for name in times:
        named[name] = from_micros(named[name])
    return kind(**named)


def write(db: Database, dialect: Dialect, given: Iterable[Row]) -> None:
    insert(db, dialect, given, checksums=dialect.checksums)


def insert(db: Database, dialect: Dialect, given: Iterable[Row], *, checksums: bool) -> None:
    for row in given:
        names, values = columns(type(row)), stored(row)
        if checksums:
            names, values = (*names, "checksum"), [*values, row_checksum(values)]
        others = [name for name in names if name not in row.KEY]
        dialect.changed(
            db,
            f"INSERT INTO {row.TABLE} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))}) "
            f"ON CONFLICT ({', '.join(row.KEY)}) DO UPDATE SET "
            f"{', '.join(f'{name} = excluded.{name}' for name in others)}",
            values,
        )


def stored(row: Row) -> list[Any]:
    """The values of the row's columns as they are stored."""
    times = moments(type(row))
    return [to_micros(getattr(row, n)) if n in times else getattr(row, n) for n in columns(type(row))]


def delete(
    db: Database,
    dialect: Dialect,
    kind: type[Row],
    where: Mapping[str, object],
    expired_by: datetime | None = None,
    beyond: int | None = None,
) -> int:
    chosen = _chosen(dialect, kind, where)
    if expired_by is not None:
        chosen.add("expires_at <= ?", to_micros(expired_by))
    if beyond is not None:
        last = f"SELECT expires_at FROM {kind.TABLE} ORDER BY expires_at DESC LIMIT 1 OFFSET ?"
        chosen.add(f"expires_at <= ({last})", beyond)
    return dialect.changed(db, f"DELETE FROM {kind.TABLE} WHERE {chosen.shared}", chosen.values)


def _chosen(dialect: Dialect, kind: type[Row], where: Mapping[str, object]) -> Where:
    chosen, known = Where(dialect), columns(kind)
    for name, value in where.items():
        if name not in known:
            raise TypeError(f"{kind.__name__} has no column {name!r}")
        chosen.add(f"{name} = ?", value)
    return chosen
