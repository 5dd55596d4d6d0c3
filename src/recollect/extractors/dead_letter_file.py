"""Dead letters in a file of JSON lines, so that they are kept between runs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any

from recollect.errors import InvalidInput
from recollect.extractors.dead_letters import DeadLetter
from recollect.extractors.passage import Passage
from recollect.text.moments import parse_moment

_PRIVATE = 0o600  # the file holds what people said


class DeadLetterFile:
    """Lines are only appended; only `drop` rewrites the file.

    A later line about the same passage replaces the earlier one; {"settled": KEY} removes it. A lock on a
    second file makes this safe for several threads and processes.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def add(self, letter: DeadLetter) -> None:
        self._append(_line(asdict(letter)))

    def settle(self, passage: Passage) -> None:
        self._append(_line({"settled": _key(passage)}))

    def all(self) -> list[DeadLetter]:
        if not self.path.exists():  # without a failure, no file is created
            return []
        with _locked(self.path):
            return self._read()

    def drop(self, digest: bytes) -> int:
        """Also removes the lines of settled letters and the lines that can't be read."""
        with _locked(self.path):
            letters = self._read()
            kept = [letter for letter in letters if not letter.holds(digest)]
            if self.path.exists():
                _rewrite(self.path, kept)
            return len(letters) - len(kept)

    def _append(self, line: bytes) -> None:
        with _locked(self.path), open(self.path, "a+b", opener=_private) as file:
            file.write(line if _is_whole(file) else b"\n" + line)

    def _read(self) -> list[DeadLetter]:
        found: dict[str, DeadLetter] = {}
        for entry in _entries(self.path):
            if "settled" in entry:
                found.pop(str(entry["settled"]), None)
            elif letter := _letter(entry):
                found[_key(letter.passage)] = letter
        return list(found.values())


def _key(passage: Passage) -> str:
    """A digest that identifies a passage without containing its text."""
    at = passage.at.timestamp() if passage.at else None
    parts = json.dumps([passage.text, passage.speaker, at, passage.asked])
    return blake2b(parts.encode(), digest_size=16).hexdigest()


def _line(entry: dict[str, Any]) -> bytes:
    return json.dumps(entry, default=datetime.isoformat).encode() + b"\n"


def _entries(path: Path) -> Iterator[dict[str, Any]]:
    """Every line that can be read. A line is incomplete if the machine stopped while writing it."""
    if not path.exists():
        return
    for line in path.read_bytes().splitlines():
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict):
            yield entry


def _letter(entry: dict[str, Any]) -> DeadLetter | None:
    """The letter, or None if the line is not a letter."""
    try:
        return DeadLetter(
            text=str(entry["text"]),
            speaker=_optional(entry["speaker"]),
            at=parse_moment(entry["at"]) if entry["at"] else None,
            asked=_optional(entry["asked"]),
            reason=str(entry["reason"]),
            attempts=int(entry["attempts"]),
            last_tried=parse_moment(entry["last_tried"]),
        )
    except (KeyError, TypeError, ValueError, InvalidInput):
        return None


def _optional(value: object) -> str | None:
    return None if value is None else str(value)


def _rewrite(path: Path, letters: Iterable[DeadLetter]) -> None:
    """Replaces the file atomically: a reader sees the old file or the new one, even after a crash."""
    beside = path.with_name(f"{path.name}.new")
    with open(beside, "wb", opener=_private) as file:
        file.writelines(_line(asdict(letter)) for letter in letters)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)


def _is_whole(file: IO[bytes]) -> bool:
    """Whether the file's last line is complete."""
    if file.seek(0, os.SEEK_END) == 0:
        return True
    file.seek(-1, os.SEEK_END)
    return file.read(1) == b"\n"


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, _PRIVATE)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with open(path.with_name(f"{path.name}.lock"), "a+b", opener=_private) as file:
        _lock(file.fileno())  # released when the file is closed
        yield


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
