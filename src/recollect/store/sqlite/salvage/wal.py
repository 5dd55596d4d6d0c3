"""Reads a write-ahead log: the newest committed version of each page in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from struct import Struct, unpack_from
from typing import NamedTuple

_HEADER = Struct(">8I")
_FRAME = Struct(">6I")
_MAGIC = 0x377F0682
"""Its last bit says whether the checksums read numbers as big-endian."""


class _Frame(NamedTuple):
    number: int
    commit: int
    """The number of pages after the commit; 0 if the transaction goes on."""
    page: bytes


def committed_pages(path: Path, page_size: int) -> dict[int, bytes]:
    """Page number → content."""
    found: dict[int, bytes] = {}
    waiting: dict[int, bytes] = {}
    for frame in _frames(path.read_bytes(), page_size):
        waiting[frame.number] = frame.page
        if frame.commit:
            found = {number: page for number, page in (found | waiting).items() if number <= frame.commit}
            waiting = {}
    return found


def _frames(log: bytes, page_size: int) -> Iterator[_Frame]:
    """Like SQLite, it stops at the first frame that is not whole."""
    if len(log) < _HEADER.size:
        return
    magic, _, size, _, *salts, first, second = _HEADER.unpack_from(log)
    order = ">" if magic & 1 else "<"
    sums = _summed(log[: _HEADER.size - 8], order, (0, 0))
    if magic & ~1 != _MAGIC or size != page_size or sums != (first, second):
        return
    for at in range(_HEADER.size, len(log) - _FRAME.size - size + 1, _FRAME.size + size):
        number, commit, *rest = _FRAME.unpack_from(log, at)
        page = log[at + _FRAME.size : at + _FRAME.size + size]
        sums = _summed(page, order, _summed(log[at : at + 8], order, sums))
        if rest != [*salts, *sums]:
            return
        yield _Frame(number, commit, page)


def _summed(data: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    """SQLite's own checksum of the log."""
    one, two = sums
    words = iter(unpack_from(f"{order}{len(data) // 4}I", data))
    for first, second in zip(words, words, strict=True):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return one, two
