"""Reads the session files of Codex and of Gemini CLI. Each is one conversation, in JSON lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]

_SPEAKERS = {"user_message": "user", "agent_message": "assistant"}
_NOT_SAID = re.compile(r"\s*(?:<|# AGENTS\.md)")
"""Codex records its own notes to the model as messages of the user."""
_ADDED = re.compile(r"\s*<hook_context>.*?</hook_context>", re.DOTALL)
"""What a hook of Gemini CLI added to a prompt."""


def is_codex(rows: Sequence[Row]) -> bool:
    return any(row.get("type") == "session_meta" and isinstance(row.get("payload"), Mapping) for row in rows[:1])


def codex(rows: Sequence[Row]) -> dict[str, Any]:
    """Its events say what was said. Files without them have only what the model got, with notes of the program."""
    held = [(row, row["payload"]) for row in rows if isinstance(row.get("payload"), Mapping)]
    meta = next(payload for row, payload in held if row.get("type") == "session_meta")
    events = [message for row, payload in held if (message := _event(row, payload))]
    messages = events or [message for row, payload in held if (message := _item(row, payload))]
    return _conversation(messages, meta.get("id"), meta.get("timestamp"))


def _event(row: Row, payload: Row) -> dict[str, Any] | None:
    role, text = _SPEAKERS.get(str(payload.get("type"))), payload.get("message")
    if row.get("type") != "event_msg" or role is None or not isinstance(text, str):
        return None
    return {"role": role, "content": text, "at": row.get("timestamp")}


def _item(row: Row, payload: Row) -> dict[str, Any] | None:
    texts = _texts(payload.get("content"))
    if row.get("type") != "response_item" or payload.get("type") != "message":
        return None
    if payload.get("role") not in ("user", "assistant") or _NOT_SAID.match(texts):
        return None
    return {"role": payload["role"], "content": texts, "at": row.get("timestamp")}


def without_results(rows: Iterable[Row]) -> list[Row]:
    """Without what tools returned, which is most of a file of Codex."""
    return [row for row in rows if row.get("type") != "response_item" or _item(row, row.get("payload") or {})]


def is_gemini(rows: Sequence[Row]) -> bool:
    return any("projectHash" in row and "sessionId" in row for row in rows[:1])


def gemini(rows: Sequence[Row]) -> dict[str, Any]:
    """A record with the id of an earlier one replaces it. A file of older versions is one object with all messages."""
    said: dict[str, Row] = {}
    for record in _records(rows):
        if "$rewindTo" in record:
            said = _until(said, str(record["$rewindTo"]))
        elif record.get("type") in ("user", "gemini") and record.get("id"):
            said[str(record["id"])] = record
    return _conversation(
        [_gemini_message(each) for each in said.values()], rows[0]["sessionId"], rows[0].get("startTime")
    )


def _records(rows: Sequence[Row]) -> Iterator[Row]:
    for row in rows:
        listed = row.get("messages")
        yield from (each for each in (listed if isinstance(listed, list) else [row]) if isinstance(each, Mapping))


def _until(said: Mapping[str, Row], last: str) -> dict[str, Row]:
    """Without the message that was taken back, and without those after it."""
    names = list(said)
    kept = names[: names.index(last)] if last in said else []
    return {name: said[name] for name in kept}


def _gemini_message(record: Row) -> dict[str, Any]:
    role = "user" if record["type"] == "user" else "assistant"
    text = _ADDED.sub("", _texts(record.get("displayContent") or record.get("content")))
    return {"role": role, "content": text, "at": record.get("timestamp")}


def _texts(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    found = [part.get("text") if isinstance(part, Mapping) else part for part in parts]
    return "\n".join(text for text in found if isinstance(text, str))


def _conversation(messages: Sequence[dict[str, Any]], session: object, at: object) -> dict[str, Any]:
    said = [message for message in messages if message["content"].strip()]
    return {"messages": said, "session_id": None if session is None else str(session), "at": at}
