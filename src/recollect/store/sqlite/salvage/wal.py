"""Reads a write-ahead log: the newest committed version of each page in it."""

from __future__ import annotations

from pathlib import Path
from struct import Struct, unpack_from

_HEADER = Struct(">8I")
_FRAME = Struct(">6I")
_MAGIC = 0x377F0682
"""Its last bit says whether the checksums read numbers as big-endian."""


def committed_pages(path: Path, page_size: int) -> dict[int, bytes]:
    """Page number → content. Like SQLite, it stops at the first frame that is not whole."""
    log = path.read_bytes()
    if len(log) < _HEADER.size:
        return {}
    magic, _, size, _, *salts, first, second = _HEADER.unpack_from(log)
    order = ">" if magic & 1 else "<"
    sums = _summed(log[: _HEADER.size - 8], order, (0, 0))
    if magic & ~1 != _MAGIC or size != page_size or sums != (first, second):
        return {}
    found: dict[int, bytes] = {}
    waiting: dict[int, bytes] = {}
    for at in range(_HEADER.size, len(log) - _FRAME.size - size + 1, _FRAME.size + size):
        number, commit, *rest = _FRAME.unpack_from(log, at)
        page = log[at + _FRAME.size : at + _FRAME.size + size]
        sums = _summed(page, order, _summed(log[at : at + 8], order, sums))
        if rest != [*salts, *sums]:
            break
        waiting[number] = page
        if commit:
            found |= waiting
            waiting = {}
            found = {n: kept for n, kept in found.items() if n <= commit}
    return found


def _summed(data: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    """SQLite's own checksum of the log."""
    one, two = sums
    words = iter(unpack_from(f"{order}{len(data) // 4}I", data))
    for first, second in zip(words, words, strict=True):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return one, two
