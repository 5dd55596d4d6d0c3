"""Rows in PostgreSQL's binary form: the fastest way in, and one that needs no quoting.

Many go by COPY. A few go by INSERT with the same bytes, because that can travel with other statements.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from psycopg.adapt import Dumper
from psycopg.pq import Format

from .connections import Database, is_piped

if TYPE_CHECKING:
    from ...types import Vector

Encode: TypeAlias = Callable[[Any], bytes]
_HEADER = b"PGCOPY\n\xff\r\n\0" + struct.pack(">ii", 0, 0)
_TRAILER = struct.pack(">h", -1)
_NULL = struct.pack(">i", -1)
_NOTHING = struct.pack(">i", 0)
_CHUNK = 4_096
"""Values that are sent together; the server takes them in while the next are made."""
_TEXT_OID = 25
_SIZE_BYTES = 4

_NO_TEXTS = struct.pack(">iiii", 12, 0, 0, _TEXT_OID)

_size = struct.Struct(">i").pack
_integer = struct.Struct(">ii").pack
_bigint = struct.Struct(">iq").pack
_double = struct.Struct(">id").pack
_array = struct.Struct(">iiiii").pack
_halfvec = struct.Struct(">ihh").pack


def binary(value: bytes) -> bytes:
    return _size(len(value)) + value


def text(value: str) -> bytes:
    if not value:
        return _NOTHING
    made = value.encode()
    return _size(len(made)) + made


@lru_cache(maxsize=10_000)
def label(value: str) -> bytes:
    """A text that comes again and again."""
    return text(value)


def integer(value: int) -> bytes:
    return _integer(4, value)


def bigint(value: int) -> bytes:
    return _bigint(8, value)


def double(value: float) -> bytes:
    return _double(8, value)


def boolean(value: bool) -> bytes:
    return b"\0\0\0\1\1" if value else b"\0\0\0\1\0"


def texts(values: Sequence[str]) -> bytes:
    """An array of texts."""
    if not values:
        return _NO_TEXTS
    return binary(_array(1, 0, _TEXT_OID, len(values), 1) + b"".join(map(text, values)))


def halfvec(vector: Vector) -> bytes:
    made: bytes = vector.astype(">f2").tobytes()
    return _halfvec(4 + len(made), len(made) // 2, 0) + made


class Encoded:
    """A value in binary form, whose type the server knows from the column or the cast."""

    __slots__ = ("data",)

    def __init__(self, field: bytes) -> None:
        self.data = field[_SIZE_BYTES:]


class _AsItIs(Dumper):
    format = Format.BINARY

    def dump(self, obj: Encoded) -> bytes:
        return obj.data


def prepare(db: Database) -> None:
    db.adapters.register_dumper(Encoded, _AsItIs)


def append(db: Database, table: str, columns: Mapping[str, Encode], rows: Iterable[Sequence[Any]]) -> None:
    """Appends the rows to the table."""
    way = _insert if is_piped(db) else _copy
    way(db, table, columns, rows)


def _insert(db: Database, table: str, columns: Mapping[str, Encode], rows: Iterable[Sequence[Any]]) -> None:
    sql = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join(['%s'] * len(columns))})"
    encoders = tuple(columns.values())
    for row in rows:
        values = zip(encoders, row, strict=True)
        db.execute(sql, [None if value is None else Encoded(encode(value)) for encode, value in values])


def _copy(db: Database, table: str, columns: Mapping[str, Encode], rows: Iterable[Sequence[Any]]) -> None:
    encoders, count = tuple(columns.values()), struct.pack(">h", len(columns))
    with db.cursor().copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN (FORMAT BINARY)") as target:
        held = [_HEADER]
        for row in rows:
            held.append(count)
            held += [_NULL if value is None else encode(value) for encode, value in zip(encoders, row, strict=True)]
            if len(held) > _CHUNK:
                target.write(b"".join(held))
                held.clear()
        target.write(b"".join([*held, _TRAILER]))
