"""Reads the transcripts of Claude Code session by session, so that a file of many sessions needs little memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .found import Broken
from .json_rows import rows

_NOTES = ("summary", "file-history-snapshot")
_KEPT = ("sessionId", "type", "timestamp", "isMeta", "isSidechain", "isCompactSummary")


def is_claude_code(record: object) -> bool:
    return isinstance(record, Mapping) and ("sessionId" in record or isinstance(record.get("message"), Mapping))


def is_note(record: object) -> bool:
    """Whether Claude Code wrote the row for itself: the title of a session, or a saved state of files."""
    return isinstance(record, Mapping) and record.get("type") in _NOTES


class Sessions:
    """The sessions of one file. Rows of a session need not stand together: it is complete with its last row."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._left: Counter[str] | None = None
        """Session → how many of its rows are still to come."""
        self._held: dict[str, list[dict[str, Any]]] = {}

    def take(self, record: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Adds a row. Returns the rows of its session if this was the last one, else nothing."""
        if self._left is None:
            self._left = self._counted()
        session = _session(record)
        self._left[session] -= 1
        self._held.setdefault(session, []).append(_kept(record))
        return [] if self._left[session] > 0 else self._held.pop(session)

    def _counted(self) -> Counter[str]:
        found = (row[1] for row in rows(self._path) if not isinstance(row, Broken))
        return Counter(_session(record) for record in found if is_claude_code(record))


def _session(record: Mapping[str, Any]) -> str:
    return str(record.get("sessionId") or "")


def _kept(record: Mapping[str, Any]) -> dict[str, Any]:
    """What a conversation is made of: roles and texts. What tools returned is most of a transcript."""
    kept = {name: record[name] for name in _KEPT if name in record}
    message = record.get("message")
    if not isinstance(message, Mapping):
        return kept
    content = message.get("content")
    if isinstance(content, list):
        content = [part for part in content if isinstance(part, str) or _is_text(part)]
    return {**kept, "message": {"role": message.get("role", record.get("type")), "content": content}}


def _is_text(part: object) -> bool:
    return isinstance(part, Mapping) and isinstance(part.get("text"), str)
