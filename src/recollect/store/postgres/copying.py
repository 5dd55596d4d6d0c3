"""Rows in PostgreSQL's binary COPY format: the fastest way in, and one that needs no quoting."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from .connections import Database

if TYPE_CHECKING:
    from ...types import Vector

Encode: TypeAlias = Callable[[Any], bytes]
_HEADER = b"PGCOPY\n\xff\r\n\0" + struct.pack(">ii", 0, 0)
_TRAILER = struct.pack(">h", -1)
_NULL = struct.pack(">i", -1)
_CHUNK = 4_096
"""Values that are sent together; the server takes them in while the next are made."""
_TEXT_OID = 25

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


def copy(db: Database, table: str, columns: Mapping[str, Encode], rows: Iterable[Sequence[Any]]) -> None:
    """Appends the rows to the table, as one statement."""
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
