"""Opens text files. A line that is not UTF-8 is one broken record, not a broken file."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from ..errors import InvalidInput

NOT_UTF8 = "not UTF-8 text"


def opened(path: Path, newline: str | None = None) -> TextIO:
    """The file as UTF-8. Bytes that are not UTF-8 become halves of surrogate pairs, which `is_utf8` finds."""
    with path.open("rb") as file:
        if b"\0" in file.read(4):
            raise InvalidInput(f"{path} is not UTF-8 text but UTF-16 or binary: convert it first")
    return path.open(encoding="utf-8-sig", errors="surrogateescape", newline=newline)


def is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
