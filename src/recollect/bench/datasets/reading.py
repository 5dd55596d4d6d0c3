"""Reads benchmark files. Every error is one line that names the file and the field."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, NoReturn

from ...errors import InvalidInput
from ...text.moments import parse_moment
from ...write.conversations.messages import turns
from ..data import Message

GZIP_MAGIC = b"\x1f\x8b"


def read(path: Path) -> tuple[Any, str]:
    """The content of a JSON file, and its digest."""
    text = _text(path)
    return _parsed(path, text), blake2b(text.encode(), digest_size=8).hexdigest()


def read_lines(path: Path) -> Iterator[Part]:
    """The objects of a file with one JSON object per line."""
    for number, line in enumerate(_text(path).split("\n"), start=1):
        if line.strip():
            yield Part(_parsed(path, line, number), str(path), f"line {number}")


def _text(path: Path) -> str:
    try:
        raw = path.read_bytes()
        return (gzip.decompress(raw) if raw.startswith(GZIP_MAGIC) else raw).decode("utf-8-sig")
    except OSError as error:
        raise InvalidInput(f"{path} can't be read: {error.strerror or error}") from None
    except (EOFError, zlib.error):
        raise InvalidInput(f"{path}: the gzip file is incomplete or damaged: download it again") from None
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path}: not UTF-8 text (byte {error.start})") from None


def _parsed(path: Path, text: str, line: int = 1) -> Any:  # noqa: ANN401 - JSON
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidInput(f"{path}: not JSON, or incomplete: {error.msg} at line {error.lineno + line - 1}") from None
    except RecursionError:
        raise InvalidInput(f"{path}: not JSON, or incomplete: nested too deep") from None


@dataclass(frozen=True, slots=True)
class Part:
    """A value with its path in the file, for error messages."""

    value: Any
    file: str
    path: str = ""

    def refuse(self, what: str) -> NoReturn:
        raise InvalidInput(f"{self.file}: {self.path or 'the top level'} {what}")

    def __getitem__(self, name: str) -> Part:
        """A field that must be there."""
        path = f"{self.path}.{name}" if self.path else name
        if not isinstance(self.value, Mapping):
            self.refuse(f"must be an object, not {type(self.value).__name__}")
        if name not in self.value:
            raise InvalidInput(f"{self.file}: {path} is missing")
        return Part(self.value[name], self.file, path)

    def get(self, name: str) -> Part | None:
        """A field that may be missing."""
        return self[name] if isinstance(self.value, Mapping) and self.value.get(name) is not None else None

    def __iter__(self) -> Iterator[Part]:
        if not isinstance(self.value, Sequence) or isinstance(self.value, str):
            self.refuse(f"must be a list, not {type(self.value).__name__}")
        return (Part(item, self.file, f"{self.path}[{n}]") for n, item in enumerate(self.value))

    def items(self) -> Iterator[tuple[str, Part]]:
        if not isinstance(self.value, Mapping):
            self.refuse(f"must be an object, not {type(self.value).__name__}")
        return ((str(name), self[name]) for name in self.value)

    @property
    def text(self) -> str:
        if not isinstance(self.value, str) or not self.value.strip():
            self.refuse(f"must be text, not {self.value!r:.40}")
        return self.value

    @property
    def maybe_empty(self) -> str:
        if not isinstance(self.value, str):
            self.refuse(f"must be text, not {self.value!r:.40}")
        return self.value

    @property
    def label(self) -> str:
        """Text, or a number as text."""
        return str(self.value) if isinstance(self.value, int) else self.text

    @property
    def number(self) -> int:
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            self.refuse(f"must be a whole number, not {self.value!r:.40}")
        return self.value

    @property
    def iso_moment(self) -> datetime:
        try:
            return parse_moment(self.text)
        except InvalidInput:
            self.refuse(f"must be a moment such as 2026-03-01T12:00:00Z, not {self.text!r:.40}")

    def moment(self, form: str, pattern: str = "(.+)") -> datetime:
        """A date in the file's own format: the groups of `pattern`, joined by spaces, are read by `form`."""
        found = re.search(pattern, self.text)
        try:
            return datetime.strptime(" ".join(found.groups()) if found else "", form).replace(tzinfo=UTC)
        except ValueError:
            self.refuse(f"is not a date in the expected form: {self.text!r:.40}")


def kept(said: Iterable[tuple[str, Message]], at: datetime) -> list[tuple[str, Message]]:
    """The messages that become turns. The engine skips empty messages, so they must not be numbered."""
    return [(label, one) for label, one in said if turns([one.to_message()], at=at)]
