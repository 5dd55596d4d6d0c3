"""Rows in PostgreSQL's binary format. It is the fastest way to insert rows and needs no quoting.

Many rows are sent by COPY. A few are sent by INSERT with the same bytes, because an INSERT can be pipelined.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from psycopg import postgres
from psycopg.adapt import Dumper, PyFormat, Transformer
from psycopg.pq import Format

from .connections import Database, is_limited, is_piped, together

if TYPE_CHECKING:
    from ...types import Vector

_TEXT_OID = 25
_array = struct.Struct(">iiiii").pack
_size = struct.Struct(">i").pack
_dimensions = struct.Struct(">hh").pack


def texts(values: Sequence[str]) -> bytes:
    """An array of texts in binary format. psycopg would encode it again for every statement that uses it."""
    made = [value.encode() for value in values]
    return _array(1, 0, _TEXT_OID, len(made), 1) + b"".join([_size(len(each)) + each for each in made])


def halfvec(vector: Vector) -> bytes:
    made: bytes = vector.astype(">f2").tobytes()
    return _dimensions(len(made) // 2, 0) + made


class Encoded:
    """A value in binary format. The server knows its type from the column or the cast."""

    __slots__ = ("data",)

    def __init__(self, data: bytes | bytearray | memoryview) -> None:
        self.data = data


class _AsItIs(Dumper):
    format = Format.BINARY

    def dump(self, obj: Encoded) -> bytes | bytearray | memoryview:
        return obj.data


def prepare(db: Database) -> None:
    db.adapters.register_dumper(Encoded, _AsItIs)


def append(db: Database, table: str, columns: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> None:
    """Appends the rows to the table.

    `columns` gives the type that each value is sent as: `bytea` for bytes already in the column's binary format.
    """
    if is_limited(db):  # PostgreSQL has no COPY into tables with row security
        with together(db):
            _insert(db, table, columns, rows)
    else:
        way = _insert if is_piped(db) else _copy
        way(db, table, columns, rows)


def _insert(db: Database, table: str, columns: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> None:
    sql = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join(['%s'] * len(columns))})"
    formats = [PyFormat.BINARY] * len(columns)
    values = Transformer.from_context(db)
    values.set_dumper_types([postgres.types.get_oid(sent) for sent in columns.values()], Format.BINARY)
    for row in rows:
        db.execute(sql, [None if data is None else Encoded(data) for data in values.dump_sequence(row, formats)])


def _copy(db: Database, table: str, columns: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> None:
    with db.cursor().copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN (FORMAT BINARY)") as target:
        target.set_types(list(columns.values()))
        for row in rows:
            target.write_row(row)
