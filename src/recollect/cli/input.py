"""Reads what a person enters: text, JSON, a confirmation."""

from __future__ import annotations

import json
import sys
from typing import Any

import typer

from ..errors import InvalidInput

STDIN = "-"


def text(value: str) -> str:
    """The text itself, or all of stdin for `-`, without newlines at the end."""
    return stdin().rstrip("\r\n") if value == STDIN else value


def stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"stdin is not UTF-8 text (byte {error.start}): convert it first") from None


def lines(value: str) -> list[str]:
    """The lines of stdin that hold something."""
    if value != STDIN:
        raise InvalidInput("--lines reads stdin: write `recollect add --lines - < FILE`")
    return [line for line in stdin().splitlines() if line.strip()]


def json_object(option: str, value: str | None) -> dict[str, Any] | None:
    if value is None:
        return None
    try:
        found = json.loads(value)
    except json.JSONDecodeError as error:
        raise InvalidInput(f"{option} is not JSON: {error.msg} at character {error.pos}") from None
    if not isinstance(found, dict):
        raise InvalidInput(f"""{option} must be a JSON object such as '{{"project": "atlas"}}'""")
    return found


def agreed(question: str, yes: bool) -> None:
    """Returns only after a yes. Refuses where nobody can answer."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise InvalidInput(f"{question} Confirm with --yes, or check first with --preview")
    typer.confirm(question, abort=True, err=True)
