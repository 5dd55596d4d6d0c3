"""Reads a text file that is a list: a memory for each line, or for each list item with the lines below it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ..errors import InvalidInput
from ..ids import digest
from ..write.documents.ingest import date_in
from .found import Found, Item, key_of
from .notes import SUFFIXES as NOTES
from .notes import front_matter, tags, written_at

SUFFIXES = (*NOTES, ".txt")
_ITEM = re.compile(r"([ \t]*)(?:[-*+•]|\d{1,4}[.)])[ \t]+(?:\[ \][ \t]+)?(?=\S)")
_HEADING = re.compile(r"(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*")
_FEWEST_ITEMS = 2


@dataclass(slots=True)
class Entry:
    text: str
    headings: tuple[str, ...]
    """Those above it, outermost first."""
    indent: int | None
    """Of the list item that it is."""


def found_in_lines(path: Path) -> Found:
    try:
        front, body = front_matter(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError:
        raise InvalidInput(f"{path} is not UTF-8 text") from None
    at = written_at(front) or date_in(path.stem)
    for entry in entries(body):
        fields = {
            "text": entry.text,
            "gist": " › ".join(entry.headings),
            "tags": tags(front, entry.text),
            "metadata": {"file": path.name},
            "at": at,
        }
        yield Item(key_of("line", path.name, digest(entry.text).hex()), fields)


def entries(text: str) -> list[Entry]:
    """The lines that say something. What is indented below a list item belongs to it."""
    found: list[Entry] = []
    headings: tuple[tuple[int, str], ...] = ()
    for line in text.splitlines():
        if heading := _HEADING.fullmatch(line):
            depth = len(heading[1])
            headings = (*((level, title) for level, title in headings if level < depth), (depth, heading[2]))
        elif any(character.isalnum() for character in line):
            _add(line, tuple(title for _, title in headings), found)
    return found


def _add(line: str, headings: tuple[str, ...], found: list[Entry]) -> None:
    item, indent = _ITEM.match(line), len(line) - len(line.lstrip())
    last = found[-1] if found else None
    if last and last.indent is not None and indent > last.indent and last.headings == headings:
        last.text += f"\n{line.strip()}"
        return
    found.append(Entry(line[item.end() :].strip() if item else line.strip(), headings, indent if item else None))


def listed(text: str) -> tuple[int, bool]:
    """How many memories a text is by lines, and whether it looks like a list."""
    read = entries(front_matter(text)[1])
    items = sum(entry.indent is not None for entry in read)
    return len(read), items >= max(_FEWEST_ITEMS, len(read) / 2)
