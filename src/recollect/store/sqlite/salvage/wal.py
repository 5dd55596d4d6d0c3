"""Reads a write-ahead log: the newest committed version of each page in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from struct import Struct, unpack_from
from typing import NamedTuple

HEADER = Struct(">8I")
FRAME = Struct(">6I")
MAGIC = 0x377F0682
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
    if len(log) < HEADER.size:
        return
    magic, _, size, _, *salts, first, second = HEADER.unpack_from(log)
    order = ">" if magic & 1 else "<"
    sums = summed(log[: HEADER.size - 8], order, (0, 0))
    if magic & ~1 != MAGIC or size != page_size or sums != (first, second):
        return
    for at in range(HEADER.size, len(log) - FRAME.size - size + 1, FRAME.size + size):
        number, commit, *rest = FRAME.unpack_from(log, at)
        page = log[at + FRAME.size : at + FRAME.size + size]
        sums = summed(page, order, summed(log[at : at + 8], order, sums))
        if rest != [*salts, *sums]:
            return
        yield _Frame(number, commit, page)


def summed(data: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    """SQLite's own checksum of the log."""
    one, two = sums
    words = iter(unpack_from(f"{order}{len(data) // 4}I", data))
    for first, second in zip(words, words, strict=True):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return one, two
