"""Reads the records of a JSON file one by one, so that a large file needs little memory."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, TextIO

from ..errors import InvalidInput
from .encoding import NOT_UTF8, is_utf8, opened
from .found import Broken

_PIECE = 1 << 16
_LARGEST = 1 << 26
"""A record of more characters than this is not read."""
LISTS = ("results", "memories", "items", "conversations")
"""Fields under which an object holds a list of records."""

_SPACE = "\ufeff \t\r\n"
_LIST = re.compile(rf'[{_SPACE}]*(?P<object>\{{\s*"(?:{"|".join(LISTS)})"\s*:\s*)?\[')
"""The beginning of a list of records, also of one in an object that begins with it."""

Row = tuple[str, Any]
"""Where the record stands, and the record itself."""


def rows(path: Path) -> Iterator[Row | Broken]:
    """The records of a JSON list, of JSON lines, or of an object that holds a list."""
    try:
        with opened(path) as file:
            opening = _opening(file)
            file.seek(0)
            held = _LIST.match(opening)
            if held is None:
                yield from _lines(enumerate(file, start=1), file, path)
                return
            rest = yield from _elements(file, path, held.end())
            if held["object"] and "\n" not in held[0] and not opening[held.end() :].startswith("\n"):
                yield from _lines(_next_lines(rest, file), file, path)
    except OSError as error:
        raise InvalidInput(f"{path} can't be read: {error.strerror}") from None


def _opening(file: TextIO) -> str:
    """The beginning of the file; more of it as long as there is only space."""
    found = ""
    while not found.lstrip(_SPACE) and (piece := file.read(_PIECE)):
        found += piece
    return found


def _elements(file: TextIO, path: Path, start: int) -> Generator[Row | Broken, None, str]:
    """The elements of the list that begins at this character. Returns what was read after the list."""
    file.read(start)
    decoder, number, buffer = json.JSONDecoder(), 0, file.read(_PIECE)
    while True:
        buffer = buffer.lstrip(" \t\r\n,")
        where = f"{path}, record {number + 1}"
        if buffer.startswith("]"):
            return buffer[1:]
        try:
            value, end = decoder.raw_decode(buffer)
            if end == len(buffer) and (more := file.read(_PIECE)):  # a number may go on in the next piece
                buffer += more
                continue
        except (ValueError, RecursionError) as error:
            more = file.read(max(_PIECE, len(buffer)))  # doubling keeps the work in proportion to the size
            if more and len(buffer) < _LARGEST:
                buffer += more
                continue
            why = "the file ends in the middle of it" if len(buffer) < _LARGEST else f"not JSON: {error}"
            yield Broken(where, f"{why}; what follows was not read")
            return ""
        read, number, buffer = buffer[:end], number + 1, buffer[end:]
        yield (where, value) if is_utf8(read) else Broken(where, NOT_UTF8)


def _next_lines(buffer: str, file: TextIO) -> Iterator[tuple[int, str]]:
    """The lines after the one that the buffer begins in, with their numbers: pages of results, an object each."""
    while "\n" not in buffer and (piece := file.read(_PIECE)):
        buffer = piece
    following = buffer.partition("\n")[2] + file.readline()
    yield from enumerate(chain(following.splitlines(), file), start=2)


def _lines(numbered: Iterable[tuple[int, str]], file: TextIO, path: Path) -> Iterator[Row | Broken]:
    for number, line in numbered:
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        if not is_utf8(line):
            yield Broken(where, NOT_UTF8)
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            whole = _whole(line, file) if number == 1 else None
            if whole is None:
                yield Broken(where, f"not JSON: {error}")
                continue
            value = whole
        yield from _unwrapped(where, value)


def _whole(line: str, file: TextIO) -> Any:  # noqa: ANN401 - any JSON value
    """One value that is spread over all lines of the file, or None."""
    if line.strip() != "{":
        return None
    try:
        return json.loads(line + file.read())
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{file.name} is not whole JSON ({error}): nothing was imported") from None


def _unwrapped(where: str, value: Any) -> Iterator[Row]:  # noqa: ANN401 - any JSON value
    held = next((value[name] for name in LISTS if isinstance(value.get(name), list)), None) if _is_list(value) else None
    if held is None:
        yield where, value
    else:
        yield from ((f"{where}, record {number}", each) for number, each in enumerate(held, start=1))


def _is_list(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    return isinstance(value, dict) and "messages" not in value
