"""Adds or removes one table in TOML text. All other lines stay the same, including comments."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from ....errors import InvalidInput


def loads(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"it is not TOML ({error})") from None


def put(text: str, path: Sequence[str], value: Mapping[str, Any]) -> str:
    """The text with the table `value` at `path`. It replaces an existing table, or is appended at the end."""
    section = _at(_parsed(text), path[:-1])
    if isinstance(section, Mapping) and path[-1] in section:
        lines, start, end = _table(text, path)
        return "".join([*lines[:start], _block(text, path, value), *lines[end:]])
    newline = _newline(text)
    gap = "" if not text else newline * (1 if text.endswith("\n") else 2)
    return text + gap + _block(text, path, value)


def drop(text: str, path: Sequence[str]) -> str:
    """The text without the table at `path`."""
    lines, start, end = _table(text, path)
    if start and not lines[start - 1].strip():
        start -= 1
    return "".join([*lines[:start], *lines[end:]])


def _parsed(text: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise InvalidInput(f"it is not TOML ({error})") from None


def _at(document: Any, path: Sequence[str]) -> Any:  # noqa: ANN401 - whatever TOML holds
    for key in path:
        document = document.get(key) if isinstance(document, Mapping) else None
    return document


def _table(text: str, path: Sequence[str]) -> tuple[list[str], int, int]:
    """All lines, and the first and last line of the table. Found by the lines that tomlkit removes with the table."""
    document = _parsed(text)
    section = _at(document, path[:-1])
    try:
        del section[path[-1]]
    except (KeyError, TypeError, TOMLKitError):
        raise _not_there(path) from None
    lines, left = text.splitlines(keepends=True), tomlkit.dumps(document).splitlines(keepends=True)
    start = len(os.path.commonprefix([lines, left]))
    end = len(lines) - (len(left) - start)
    if end <= start or lines[end:] != left[start:]:
        raise _not_there(path)
    while end > start + 1 and _is_between(lines[end - 1]):
        end -= 1
    return lines, start, end


def _not_there(path: Sequence[str]) -> InvalidInput:
    return InvalidInput(f"[{'.'.join(path)}] has no lines of its own there: change it by hand")


def _is_between(line: str) -> bool:
    """Whether the line is blank or a comment. Such lines before the next table belong to that table."""
    return not line.strip() or line.lstrip().startswith("#")


def _block(text: str, path: Sequence[str], value: Mapping[str, Any]) -> str:
    nested: Mapping[str, Any] = value
    for key in reversed(path):
        nested = {key: nested}
    return tomlkit.dumps(nested).replace("\n", _newline(text))


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
