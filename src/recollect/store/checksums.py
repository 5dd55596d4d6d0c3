"""Checksums of rows and vectors. A store keeps them beside the values, so that damage is noticed when they are read.

They detect accidents, not attackers: CRC-32 is fast, and it misses one damage in four billion.
"""

from __future__ import annotations

from collections.abc import Iterable
from zlib import crc32


def row_checksum(values: Iterable[object]) -> int:
    """The checksum of a row's values: text, numbers, None and bytes. A float must be given as a float."""
    return checksum_without_bytes([value.hex() if value.__class__ is bytes else value for value in values])


def checksum_without_bytes(values: Iterable[object]) -> int:
    """The same, faster, for values of which none is bytes. Hexadecimal digits may take the place of bytes."""
    joined = "\x1f".join(map(str, values))
    # a surrogate stands for a byte that is not UTF-8: it must not raise, and it gives another checksum
    return crc32(joined.encode("utf-8", "surrogatepass"))


def vector_checksum(data: bytes) -> int:
    """The checksum of a vector's float16 numbers (little-endian)."""
    return crc32(data)
