"""Decodes the cells of a page, and the records in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from struct import unpack
from typing import Any, Literal, NamedTuple

from .pages import Pages, Unreadable

Kind = Literal["index interior", "table interior", "index leaf", "table leaf"]
_KINDS: dict[int, Kind] = {2: "index interior", 5: "table interior", 10: "index leaf", 13: "table leaf"}
_WIDTHS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
"""Serial type of an integer → its bytes."""


class RawText(bytes):
    """A text that is not decoded yet."""


Values = tuple[Any, ...]


class Cell(NamedTuple):
    rowid: int | None
    """None in an index and in a table without rowids."""
    child: int | None
    """The page with everything before this cell; None in a leaf."""
    values: Values | None
    """None in the interior of a table."""


@dataclass(frozen=True)
class Page:
    number: int
    kind: Kind
    cells: list[Cell]
    unreadable: int
    """The number of cells that can't be decoded."""
    last_child: int | None


def is_tree(page: bytes, number: int) -> bool:
    """Whether the page says that it is one of a table or an index."""
    return page[_start(number)] in _KINDS


def _start(number: int) -> int:
    return 100 if number == 1 else 0


def read(pages: Pages, number: int) -> Page:
    """Decodes a page. Raises Unreadable if it is none of a table or index."""
    data, start = pages[number], _start(number)
    kind = _KINDS.get(data[start])
    if kind is None:
        raise Unreadable(f"page {number} is no page of a table")
    interior = kind.endswith("interior")
    first = start + (12 if interior else 8)
    count = min(int.from_bytes(data[start + 3 : start + 5]), (len(data) - first) // 2)
    found = list(_cells(pages, data, kind, [_short(data, first + 2 * n) for n in range(count)]))
    cells = [cell for cell in found if cell is not None]
    last = int.from_bytes(data[start + 8 : start + 12]) if interior else None
    return Page(number, kind, cells, len(found) - len(cells), last)


def _short(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 2])


def _cells(pages: Pages, data: bytes, kind: Kind, offsets: list[int]) -> Iterator[Cell | None]:
    for at in offsets:
        try:
            yield _cell(pages, data, kind, at)
        except (Unreadable, IndexError, ValueError):
            yield None


def _cell(pages: Pages, data: bytes, kind: Kind, at: int) -> Cell:
    child = rowid = None
    if kind.endswith("interior"):
        child, at = int.from_bytes(data[at : at + 4]), at + 4
    if kind == "table interior":
        rowid, at = _varint(data, at)
        return Cell(_signed(rowid), child, None)
    size, at = _varint(data, at)
    if kind == "table leaf":
        rowid, at = _varint(data, at)
        rowid = _signed(rowid)
    return Cell(rowid, child, _record(_payload(pages, data, at, size, kind == "table leaf")))


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for n in range(8):
        byte = data[at + n]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + n + 1
    return value << 8 | data[at + 8], at + 9


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value


def _payload(pages: Pages, data: bytes, at: int, size: int, of_table: bool) -> bytes:
    """The content of a cell, with what is on overflow pages."""
    if size > pages.size * pages.count:
        raise Unreadable("a cell is larger than the file")
    end = at + _local(pages.size, size, of_table)
    if end > len(data):
        raise Unreadable("a cell leaves its page")
    beyond = int.from_bytes(data[end : end + 4])
    return data[at:end] + b"".join(_overflow(pages, beyond, size - (end - at)))


def _local(room: int, size: int, of_table: bool) -> int:
    """How many bytes of a cell's content are on its own page."""
    most = room - 35 if of_table else (room - 12) * 64 // 255 - 23
    if size <= most:
        return size
    least = (room - 12) * 32 // 255 - 23
    local = least + (size - least) % (room - 4)
    return local if local <= most else least


def _overflow(pages: Pages, number: int, missing: int) -> Iterator[bytes]:
    """The rest of a content. Each page begins with the number of the next one."""
    while missing > 0:
        page = pages[number]
        yield page[4 : 4 + min(missing, pages.size - 4)]
        missing -= pages.size - 4
        number = int.from_bytes(page[:4])


def _record(payload: bytes) -> Values:
    end, at = _varint(payload, 0)
    body, types = end, []
    while at < end:
        serial, at = _varint(payload, at)
        types.append(serial)
    values = []
    for serial in types:
        value, body = _value(payload, body, serial)
        values.append(value)
    if at != end or body != len(payload):
        raise Unreadable("a record does not fill its cell")
    return tuple(values)


def _value(payload: bytes, at: int, serial: int) -> tuple[Any, int]:
    if serial >= 12:
        end = at + (serial - 12) // 2
        found: Any = payload[at:end] if serial % 2 == 0 else RawText(payload[at:end])
    elif serial in _WIDTHS:
        end = at + _WIDTHS[serial]
        found = int.from_bytes(payload[at:end], signed=True)
    elif serial == 7:
        end = at + 8
        (found,) = unpack(">d", payload[at:end].ljust(8, b"\0"))
    elif serial in (0, 8, 9):
        end, found = at, {0: None, 8: 0, 9: 1}[serial]
    else:
        raise Unreadable("a record has an unknown type")
    if end > len(payload):
        raise Unreadable("a record is cut off")
    return found, end
