"""Reads an export file. The whole file is checked before anything is imported (format: docs/export-format.md)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from ..types import Event
from .lines import KINDS, READABLE, about_of, event_of, link_of, memory_of, recall_of

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ExportFile:
    """An export file that was read completely and has no errors."""

    path: Path
    ids: set[str]
    logged: set[str]
    """The ids of its events and recalls."""
    released: set[str]
    """The ids of memories that somebody released from quarantine."""

    def digest(self) -> str:
        """Identifies the file by its content."""
        with self.path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()

    def records(self, kind: str) -> Iterator[Record]:
        return (record for record in _lines(self.path) if record.get("type") == kind)


def survey(path: Path) -> ExportFile:
    """Reads and checks the whole file: first line, every record, last line and counts."""
    file = ExportFile(path, ids=set(), logged=set(), released=set())
    counts = dict.fromkeys(KINDS, 0)
    end: Record | None = None
    for number, record in enumerate(_lines(path), start=1):
        kind = record.get("type")
        if number == 1:
            _check_head(path, record)
        elif kind in counts:
            counts[kind] += 1
            _check_record(file, number, record)
        elif kind == "end":
            end = record
        else:
            raise InvalidInput(f"{path}, line {number}: unknown type {kind!r}; nothing was imported")
    if end is None or any(end.get(name, 0) != counts[kind] for kind, name in KINDS.items()):
        raise InvalidInput(f"{path} is not complete (it was cut off or edited): nothing was imported")
    return file


def _check_record(file: ExportFile, number: int, record: Record) -> None:
    try:
        match record["type"]:
            case "memory":
                about_of(record)
                _add_once(file.ids, memory_of(record).id)
            case "event":
                event = event_of(record)
                _add_once(file.logged, event.id)
                file.released.update(_released_by(event))
            case "recall":
                _add_once(file.logged, recall_of(record).entry.id)
            case _:
                link_of(record)
    except InvalidInput as error:
        raise InvalidInput(f"{file.path}, line {number}: {error}; nothing was imported") from None


def _add_once(ids: set[str], id: str) -> None:
    if id in ids:
        raise InvalidInput(f"the id {id!r} is there twice")
    ids.add(id)


def _released_by(event: Event) -> list[str]:
    """The ids of memories that this event released from quarantine, by `restore` or by setting the status."""
    if event.undone_by is not None or event.action == "forget":
        return []
    return [c.memory_id for c in event.changes if (c.before or {}).get("status") == "quarantined"]


def _check_head(path: Path, record: Record) -> None:
    if record.get("type") != "recollect":
        raise InvalidInput(f"{path} is not a recollect export: its first line must name the format")
    if record.get("version") not in READABLE:
        known = " and ".join(map(str, READABLE))
        raise InvalidInput(f"{path} has format version {record.get('version')!r}, this recollect reads {known}")


def _lines(path: Path) -> Iterator[Record]:
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                yield _parsed(path, number, line)
    except UnicodeDecodeError:
        raise InvalidInput(f"{path} is not UTF-8 text: nothing was imported") from None
    except OSError as error:
        raise InvalidInput(f"{path} can't be read: {error.strerror}") from None


def _parsed(path: Path, number: int, line: str) -> Record:
    try:
        record = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        raise InvalidInput(f"{path}, line {number}: not JSON ({error}); nothing was imported") from None
    if not isinstance(record, dict):
        raise InvalidInput(f"{path}, line {number}: must be a JSON object")
    return record
