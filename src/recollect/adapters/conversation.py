"""The messages of one session, in order. Adapters for chat histories keep theirs in it.

A message is a turn that `recall` finds, with the other library's own form of it in the metadata.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from .. import Memory, Recollect
from ..checks import MOST_CHARS, label, metadata
from ..errors import InvalidInput
from ..types import VISIBLE, Filter

KIND = "message"


@dataclass(frozen=True, slots=True)
class Message:
    """A message: who said what, and the other library's form of it as JSON."""

    role: str
    text: str
    form: dict[str, Any]


class Conversation:
    """One session, in the namespace `conversations` of a memory."""

    def __init__(self, mind: Recollect, session_id: str) -> None:
        self._mind = mind
        self.session_id = label("session_id", session_id)
        self._namespace = f"{mind.namespace}/conversations"

    def forms(self, limit: int | None = None) -> list[dict[str, Any]]:
        """The messages in the other library's form, oldest first; with a limit, the latest of them."""
        return [_form(memory) for memory in self._turns(limit)] if limit != 0 else []

    def add(self, messages: Sequence[Message]) -> None:
        with self._mind.store.transaction():
            now, first = datetime.now(UTC), 0
            for last in self._turns(1):  # also after a clock that was set back
                now, first = max(now, last.created_at + timedelta(microseconds=1)), (last.turn or 0) + 1
            self._mind.remember_many(list(self._items(messages, first, now)))

    def pop(self) -> dict[str, Any] | None:
        """Removes the latest message for good, and returns it."""
        with self._mind.store.transaction():
            last = self._turns(1)
            for memory in last:
                self._mind.purge(memory.id)
        return _form(last[0]) if last else None

    def clear(self) -> None:
        """Removes all messages for good."""
        self._mind.purge(namespace=self._namespace, session_id=self.session_id, kinds=[KIND])

    def _turns(self, limit: int | None) -> list[Memory]:
        within = Filter(
            namespaces=(self._namespace,), exact=True, kinds=(KIND,), session_id=self.session_id, statuses=VISIBLE
        )
        return sorted(self._mind.store.scan(within, limit=limit), key=lambda memory: memory.turn or 0)

    def _items(self, messages: Sequence[Message], first: int, now: datetime) -> Iterator[dict[str, Any]]:
        here = {"namespace": self._namespace, "session_id": self.session_id, "at": now}
        for number, message in enumerate(messages, first):
            turn = {"kind": KIND, "granularity": "turn", "dedup": False, "turn": number, "role": message.role}
            yield {**here, **turn, "text": _searched(message), "metadata": _kept(message.form)}


def _searched(message: Message) -> str:
    """The text as far as it can be searched; the form has all of it."""
    plain = message.text.replace("\0", " ").encode("utf-8", "replace").decode()
    return plain[:MOST_CHARS].strip() or message.role


def _kept(form: dict[str, Any]) -> dict[str, Any]:
    """The form; packed if it holds what a database can't save, such as the NUL characters of a binary file."""
    try:
        return {"form": metadata(form)}
    except InvalidInput:
        return {"packed": b64encode(json.dumps(form).encode()).decode()}


def _form(memory: Memory) -> dict[str, Any]:
    packed = memory.metadata.get("packed")
    found: dict[str, Any] = memory.metadata["form"] if packed is None else json.loads(b64decode(packed))
    return found
