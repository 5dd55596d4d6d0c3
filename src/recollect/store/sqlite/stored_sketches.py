"""The sketches in the file. They are made from the vectors, and can be made again."""

from __future__ import annotations

from collections.abc import Iterator

from ..checksums import vector_checksum
from .connections import Database
from .sketch import sketched

_PAGE = 4_096
_ROUNDING = 4
"""Bits that may differ. Another processor may round a projection near zero to the other side."""


def fill(db: Database) -> None:
    """Makes all sketches again."""
    for made in _made(db):
        db.executemany("UPDATE view SET bits = ? WHERE vector = ?", [(bits, number) for number, bits in made.items()])


def wrong(db: Database) -> int:
    """The number of views with another sketch than that of their vector."""
    count = 0
    for made in _made(db):
        held = db.execute("SELECT vector, bits FROM view WHERE vector BETWEEN ? AND ?", (min(made), max(made)))
        count += sum(number in made and _differ(bits, made[number]) for number, bits in held)
    return count


def _differ(one: bytes, other: bytes) -> bool:
    apart = int.from_bytes(one) ^ int.from_bytes(other)
    return len(one) != len(other) or apart.bit_count() > _ROUNDING


def _made(db: Database) -> Iterator[dict[int, bytes]]:
    """Vector → its sketch, page by page. A damaged vector has none."""
    last, sql = -1, "SELECT number, data, checksum FROM vector WHERE number > ? ORDER BY number LIMIT ?"
    while page := db.execute(sql, (last, _PAGE)).fetchall():
        last = page[-1][0]
        whole = {number: data for number, data, checksum in page if _is_whole(data, checksum)}
        if whole:
            yield sketched(whole)


def _is_whole(data: bytes, checksum: int) -> bool:
    return bool(data) and len(data) % 2 == 0 and vector_checksum(data) == checksum
