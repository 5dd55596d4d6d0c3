"""The pages of a database file, with those of its write-ahead log in their place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from .wal import committed_pages

DEFAULT_SIZE = 4096
_SIZES = [512 << n for n in range(8)]


class Unreadable(Exception):
    """A page or a record can't be read."""


class Pages:
    """Pages are numbered from 1. They are read from a private copy, which nobody changes."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        self._length = path.stat().st_size
        self.size = _page_size(self._file.read(100))
        wal = Path(f"{path}-wal")
        self._newer: Mapping[int, bytes] = committed_pages(wal, self.size) if wal.exists() else {}
        self.count = max([-(-self._length // self.size), *self._newer])

    def __getitem__(self, number: int) -> bytes:
        if number in self._newer:
            return self._newer[number]
        if not 0 < number <= self.count:
            raise Unreadable(f"page {number} is not in the file")
        self._file.seek((number - 1) * self.size)
        page = self._file.read(self.size)
        if len(page) < self.size:
            raise Unreadable(f"page {number} is cut off")
        return page

    def numbers(self) -> Iterator[int]:
        return iter(range(1, self.count + 1))

    def free(self) -> set[int]:
        """The pages that the file lists as free. Their old content must not come back."""
        found: set[int] = set()
        try:
            trunk = _number(self[1], 32)
            while trunk and trunk not in found:
                found.add(trunk)
                page = self[trunk]
                leaves = min(_number(page, 4), self.size // 4 - 2)
                found |= {_number(page, 8 + 4 * n) for n in range(leaves)}
                trunk = _number(page, 0)
        except Unreadable:
            pass
        return found

    def close(self) -> None:
        self._file.close()


def _number(page: bytes, at: int) -> int:
    return int.from_bytes(page[at : at + 4])


def _page_size(header: bytes) -> int:
    """The page size in the header. If it is damaged, SQLite's default, which recollect uses."""
    size = int.from_bytes(header[16:18])
    size = 65536 if size == 1 else size
    return size if size in _SIZES else DEFAULT_SIZE
