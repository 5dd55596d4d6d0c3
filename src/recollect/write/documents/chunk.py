"""Splits a text file into chunks at line ends. Each chunk knows the headings above it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ...text.tokens import CHARACTERS_PER_TOKEN, estimate_tokens

CHUNK_TOKENS = 400
OVERLAP_TOKENS = 80
"""Both from memweave."""
_LINE_END = re.compile(r"\r\n|\n|\r")
"""The line ends that editors count. str.splitlines splits at more characters."""
_HEADING = re.compile(r"(#{1,6})\s+(.+?)\s*#*\s*$")
_FENCE = re.compile(r"\s*(```|~~~)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    text: str
    first_line: int
    last_line: int
    """Counted from 1, both included."""
    headings: tuple[str, ...]
    """The headings above it, outermost first."""


def chunks(text: str, *, tokens: int = CHUNK_TOKENS, overlap: int = OVERLAP_TOKENS) -> list[Chunk]:
    """Chunks of at most `tokens`, each within one section. A chunk begins with the last lines of the one before."""
    found: list[Chunk] = []
    for headings, lines in _sections(_numbered(text, tokens)):
        found += _cut(lines, headings, tokens, overlap)
    return found


Line = tuple[int, str]


def _numbered(text: str, tokens: int) -> list[Line]:
    """The lines with their numbers. A line that is too long for a chunk is split."""
    most = tokens * CHARACTERS_PER_TOKEN
    lines = enumerate(_LINE_END.split(text), start=1)
    return [(number, piece) for number, line in lines for piece in _pieces(line, most)]


def _pieces(line: str, most: int) -> Iterator[str]:
    while len(line) > most:
        end = line.rfind(" ", most // 2, most) + 1 or most
        yield line[:end]
        line = line[end:]
    yield line


def _sections(lines: list[Line]) -> list[tuple[tuple[str, ...], list[Line]]]:
    found: list[tuple[tuple[str, ...], list[Line]]] = [((), [])]
    levels: list[tuple[int, str]] = []
    in_code = False
    for number, line in lines:
        in_code ^= bool(_FENCE.match(line))
        heading = None if in_code else _HEADING.match(line)
        if heading:
            depth = len(heading[1])
            levels = [(level, title) for level, title in levels if level < depth] + [(depth, heading[2])]
            found.append((tuple(title for _, title in levels), []))
        found[-1][1].append((number, line))
    return [(headings, section) for headings, section in found if _says(section)]


def _says(lines: list[Line]) -> bool:
    return any(line.strip() for _, line in lines)


def _cut(lines: list[Line], headings: tuple[str, ...], tokens: int, overlap: int) -> list[Chunk]:
    found: list[Chunk] = []
    held: list[Line] = []
    fresh = 0
    for entry in lines:
        if fresh and _size([*held, entry]) > tokens:
            if _says(held[-fresh:]):
                found.append(_chunk(held, headings))
            held, fresh = _tail(held, overlap), 0
            while held and _size([*held, entry]) > tokens:
                held = held[1:]
        held.append(entry)
        fresh += 1
    if fresh and _says(held[-fresh:]):
        found.append(_chunk(held, headings))
    return found


def _chunk(lines: list[Line], headings: tuple[str, ...]) -> Chunk:
    text = "\n".join(line for _, line in lines).strip()
    return Chunk(text=text, first_line=lines[0][0], last_line=lines[-1][0], headings=headings)


def _tail(lines: list[Line], overlap: int) -> list[Line]:
    kept: list[Line] = []
    for entry in reversed(lines):
        if _size([entry, *kept]) > overlap:
            break
        kept.insert(0, entry)
    return kept


def _size(lines: list[Line]) -> int:
    return estimate_tokens("\n".join(line for _, line in lines))
