"""Reads conversations from files of other programs. Each becomes messages with a session and a time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeAlias, TypeGuard

from ...errors import InvalidInput
from . import terminals

Conversation: TypeAlias = dict[str, Any]
"""`messages`, `session_id` and `at`, as `ingest_many` takes them."""

_FORMS = (
    "a JSON list of messages, an object with messages, JSON lines of either, a session of Claude Code, Codex or "
    "Gemini CLI, or the conversations.json of ChatGPT or claude.ai"
)
_MILLISECONDS = 1e11
"""A time from this number on is in milliseconds. In seconds it would be in the year 5138."""
_LONGEST_NAME = 100
_READERS = ("all", "bio", None)
"""To whom ChatGPT's messages are addressed: the user, or its own memory. Others are calls of tools."""


@dataclass(frozen=True, slots=True)
class Transcript:
    conversations: list[Conversation]
    cut: int | None = None
    """The number of the last line if it is incomplete, else None."""


def read_file(path: str | Path) -> Transcript:
    """All conversations of a file: `mind.ingest_many(read_file("chat.jsonl").conversations)`."""
    file = Path(path)
    return read(text_of(file), str(path), file)


def text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8 text (byte {error.start}): convert it first") from None
    except OSError as error:
        raise InvalidInput(f"{path} can't be read: {error.strerror}") from None


def read(text: str, name: str, path: Path | None = None) -> Transcript:
    """All conversations of a file. A conversation without a session id gets one from the file's name."""
    stem = None if path is None else _session_of(path)
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        rows, cut = _lines(text, name, error)
        return Transcript(_named(conversations(rows, name), stem), cut)
    rows = whole if isinstance(whole, list) else [whole]
    return Transcript(_named(conversations(rows, name), stem))


def _session_of(path: Path) -> str:
    place = blake2b(str(path.resolve()).encode("utf-8", "surrogateescape"), digest_size=4).hexdigest()
    return f"{path.stem[:_LONGEST_NAME]}-{place}"


def _named(conversations: Sequence[Conversation], stem: str | None) -> list[Conversation]:
    """Sets missing session ids. Reading the same file again gives the same ids."""
    for number, conversation in enumerate(conversations):
        if conversation.get("session_id") is None and stem is not None:
            conversation["session_id"] = f"{stem}-{number}" if len(conversations) > 1 else stem
    return list(conversations)


def _lines(text: str, name: str, error: Exception) -> tuple[list[Any], int | None]:
    """The rows of a file of JSON lines, and the number of the last line if it is incomplete."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    rows: list[Any] = []
    for number, line in lines:
        try:
            rows.append(json.loads(line))
        except (ValueError, RecursionError) as broken:
            if not rows:
                raise _unreadable(name, error) from None
            if number != lines[-1][0]:
                raise InvalidInput(f"{name} line {number} is not JSON ({broken}): nothing was taken in") from None
            return rows, number
    return rows, None


def _unreadable(name: str, error: Exception) -> InvalidInput:
    where = f"line {error.lineno}, column {error.colno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else ""
    return InvalidInput(f"{name} is not whole JSON ({where or error}): nothing was taken in; accepted: {_FORMS}")


def conversations(rows: Sequence[Any], name: str) -> list[Conversation]:
    """The conversations in these rows. The keys of the rows show the format."""
    first = rows[0] if rows else None
    if not isinstance(first, Mapping) or not all(isinstance(row, Mapping) for row in rows):
        raise InvalidInput(f"{name} holds no conversation: accepted are {_FORMS}")
    if terminals.is_codex(rows):
        return [terminals.codex(rows)]
    if terminals.is_gemini(rows):
        return [terminals.gemini(rows)]
    if any("mapping" in row for row in rows):
        return [_chatgpt(row) for row in rows if "mapping" in row]
    if any("chat_messages" in row for row in rows):
        return [_claude_ai(row) for row in rows if "chat_messages" in row]
    if any("messages" in row for row in rows):
        return [_plain(row, name, n) for n, row in enumerate(rows, start=1)]
    if any("sessionId" in row or isinstance(row.get("message"), Mapping) for row in rows):
        return _claude_code(rows)
    return [{"messages": [_timed(row) for row in rows], "session_id": None, "at": None}]


def _plain(row: Mapping[str, Any], name: str, number: int) -> Conversation:
    messages = row.get("messages")
    if not isinstance(messages, list):
        raise InvalidInput(f"{name}, conversation {number}: messages must be a list")
    at = next((row[key] for key in ("at", "created_at", "timestamp", "date") if row.get(key)), None)
    session = next((row[key] for key in ("session_id", "id", "conversation_id") if row.get(key)), None)
    timed = [_timed(message) if isinstance(message, Mapping) else message for message in messages]
    return {"messages": timed, "session_id": None if session is None else str(session), "at": moment(at)}


def _timed(message: Mapping[str, Any]) -> dict[str, Any]:
    at = next((message[key] for key in ("at", "timestamp", "created_at", "create_time") if message.get(key)), None)
    return {**message, "at": moment(at)}


def moment(value: object) -> object:
    """A number of seconds or milliseconds since 1970 as a datetime. Other values stay as they are."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    try:
        return datetime.fromtimestamp(value / 1000 if value >= _MILLISECONDS else value, UTC)
    except (OverflowError, OSError, ValueError):
        return str(value)


# Claude Code: one line per message or other event ------------------------------------------------


def _claude_code(rows: Sequence[Mapping[str, Any]]) -> list[Conversation]:
    sessions: dict[str | None, list[dict[str, Any]]] = {}
    for row in rows:
        message = row.get("message")
        if isinstance(message, Mapping) and row.get("type") in ("user", "assistant") and not _is_aside(row):
            said = {"role": message.get("role", row["type"]), "content": message.get("content")}
            sessions.setdefault(row.get("sessionId"), []).append({**said, "at": row.get("timestamp")})
    return [
        {"messages": messages, "session_id": session, "at": messages[0]["at"]} for session, messages in sessions.items()
    ]


def _is_aside(row: Mapping[str, Any]) -> bool:
    """Whether the row is a note of the program, a summary, or a message of a sub-agent."""
    return bool(row.get("isMeta") or row.get("isSidechain") or row.get("isCompactSummary"))


# claude.ai: a list of messages with a sender; `content` has the parts that `text` joins ------------


def _claude_ai(row: Mapping[str, Any]) -> Conversation:
    given = row["chat_messages"]
    said = [_claude_ai_message(each) for each in given if isinstance(each, Mapping)] if isinstance(given, list) else []
    session = row.get("uuid")
    return {"messages": said, "session_id": None if session is None else str(session), "at": row.get("created_at")}


def _claude_ai_message(message: Mapping[str, Any]) -> dict[str, Any]:
    parts = message.get("content")
    texts = [part.get("text") for part in parts if _is_text(part)] if isinstance(parts, list) else []
    content = _texts(texts) or [message.get("text") or ""]
    return {"role": message.get("sender"), "content": content, "at": message.get("created_at")}


def _is_text(part: object) -> bool:
    return isinstance(part, Mapping) and part.get("type", "text") == "text"


# ChatGPT: a tree of messages; one branch of it is the conversation --------------------------------


def _chatgpt(row: Mapping[str, Any]) -> Conversation:
    nodes = row["mapping"]
    messages = [said for node in _branch(nodes, row.get("current_node")) if (said := _chatgpt_message(node))]
    session = row.get("conversation_id") or row.get("id")
    return {
        "messages": messages,
        "session_id": None if session is None else str(session),
        "at": moment(row.get("create_time")),
    }


def _branch(nodes: Mapping[str, Any], last: str | None) -> Iterator[Mapping[str, Any]]:
    """The nodes from the first message to the one that was shown last."""
    at: str | None = last if last in nodes else next(reversed(list(nodes)), None)
    found: dict[str, Mapping[str, Any]] = {}
    while at is not None and at in nodes and at not in found:
        found[at] = nodes[at]
        at = nodes[at].get("parent")
    return reversed(found.values())


def _chatgpt_message(node: Mapping[str, Any]) -> dict[str, Any] | None:
    message = node.get("message")
    if not isinstance(message, Mapping):
        return None
    role = (message.get("author") or {}).get("role")
    content = message.get("content")
    hidden = (message.get("metadata") or {}).get("is_visually_hidden_from_conversation")
    parts = content.get("parts") if isinstance(content, Mapping) else None
    if role is None or hidden or not isinstance(parts, list) or message.get("recipient", "all") not in _READERS:
        return None
    spoken = [part.get("text") if _is_spoken(part) else part for part in parts]
    return {"role": role, "content": _texts(spoken), "at": moment(message.get("create_time"))}


def _is_spoken(part: object) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(part, Mapping) and part.get("content_type") == "audio_transcription"


def _texts(parts: Iterable[object]) -> list[str]:
    return [part for part in parts if isinstance(part, str)]
