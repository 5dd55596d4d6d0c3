"""TOML as text: one table goes in at the end or out again, and every other line stays, comments included."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

import tomli_w

from ....errors import InvalidInput

_HEADER = re.compile(r"\s*\[")


def loads(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"it is not TOML ({error})") from None


def put(text: str, path: Sequence[str], value: Mapping[str, Any]) -> str:
    """With the table `value` at `path`, in the place of one that is there."""
    newline = "\r\n" if "\r\n" in text else "\n"
    block = _block(path, value, newline)
    lines = text.splitlines(keepends=True)
    found = _span(lines, path)
    if found is not None:
        return "".join([*lines[: found[0]], block, *lines[found[1] :]])
    gap = "" if not text else newline * (1 if text.endswith("\n") else 2)
    return text + gap + block


def drop(text: str, path: Sequence[str]) -> str:
    lines = text.splitlines(keepends=True)
    found = _span(lines, path)
    if found is None:
        raise InvalidInput(f"[{'.'.join(path)}] has no lines of its own there: take it out by hand")
    start = found[0] - 1 if found[0] and not lines[found[0] - 1].strip() else found[0]
    return "".join([*lines[:start], *lines[found[1] :]])


def _block(path: Sequence[str], value: Mapping[str, Any], newline: str) -> str:
    body = tomli_w.dumps(value)
    return f"[{'.'.join(path)}]\n{body}".replace("\n", newline)


def _span(lines: Sequence[str], path: Sequence[str]) -> tuple[int, int] | None:
    """From the table's header to the last line of it and of the tables below it."""
    named = r"\s*\.\s*".join(rf"[\"']?{re.escape(part)}[\"']?" for part in path)
    ours = re.compile(rf"\s*\[\s*{named}\s*(\.[^\]]+)?\]")
    start = next((n for n, line in enumerate(lines) if ours.match(line)), None)
    if start is None:
        return None
    rest = range(start + 1, len(lines))
    end = next((n for n in rest if _HEADER.match(lines[n]) and not ours.match(lines[n])), len(lines))
    while end > start + 1 and _between(lines[end - 1]):
        end -= 1
    return start, end


def _between(line: str) -> bool:
    """Blank lines and comments in front of the next table are that table's."""
    return not line.strip() or line.lstrip().startswith("#")
