"""mem0's filters, messages, times and results in ours, and ours in mem0's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from hashlib import md5
from typing import Any

from .. import Memory, checks
from ..errors import InvalidInput
from ..types import Event, Hit

SCOPES = {"user_id": "users", "agent_id": "agents", "run_id": "runs"}
"""The ids of a scope, and the namespace of each. A memory is in the namespace of its first id."""
PROMOTED = (*SCOPES, "actor_id", "role", "attributed_to", "expiration_date")
"""Metadata that results show beside the text."""
OWN = (*PROMOTED, "created_at", "updated_at")
FIXED = (*SCOPES, "actor_id", "created_at", "updated_at")
"""Metadata that callers can't set."""
EVENTS = {"remember": "ADD", "update": "UPDATE", "forget": "DELETE", "purge": "DELETE", "restore": "ADD"}

# Scopes and filters ---------------------------------------------------------------------------------


def scope(**ids: str | None) -> dict[str, str]:
    scope = {name: _id(name, value) for name, value in ids.items() if value is not None}
    if not scope:
        raise InvalidInput("At least one of 'user_id', 'agent_id', or 'run_id' must be provided.")
    return scope


def _id(name: str, value: object) -> str:
    found = str(value).strip()
    if not found or any(map(str.isspace, found)):
        raise InvalidInput(f"Invalid {name} {value!r}: it must have characters, and no spaces between them")
    return found


def conditions(filters: Mapping[str, Any] | None, **ids: str | None) -> dict[str, Any]:
    """The conditions of a filter, with the ids that were given beside it."""
    named = {name: value for name, value in ids.items() if value is not None}
    given = dict(filters or {})
    for name in named.keys() & given.keys():
        raise InvalidInput(f"{name} is given twice: as an argument and in filters")
    wanted = {key: _translated(key, value) for key, value in {**given, **named}.items()}
    if not any(name in part for part in (wanted, *wanted.get("AND", [])) for name in SCOPES):
        raise InvalidInput(
            "filters must contain at least one of: user_id, agent_id, run_id, such as {'user_id': 'ada'}"
        )
    return wanted


def _translated(key: str, value: Any) -> Any:  # noqa: ANN401 - JSON
    if key in ("AND", "OR", "NOT"):
        parts = value if isinstance(value, list) else [value]
        if not parts or not all(isinstance(part, Mapping) and part for part in parts):
            raise InvalidInput(f"{key} needs a list of conditions, not {value!r}")
        return [{name: _translated(name, inner) for name, inner in part.items()} for part in parts]
    if value == "*":
        return {"ne": None}
    if isinstance(value, list | tuple):
        return {"in": list(value)}
    return _id(key, value) if key in SCOPES and not isinstance(value, Mapping) else value


def free(metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    """Metadata without what only the arguments of a call may set."""
    return {key: value for key, value in checks.metadata(metadata).items() if key not in FIXED}


def most(top_k: int, limit: int | None) -> int:
    """How many results are wanted. `limit` is what mem0 1 called `top_k`."""
    wanted = top_k if limit is None else limit
    return 0 if wanted == 0 else checks.count("top_k", wanted)


# Messages and times ---------------------------------------------------------------------------------


def message_list(messages: object) -> list[Mapping[str, Any]]:
    if isinstance(messages, str):
        return [{"role": "user", "content": messages}]
    if isinstance(messages, Mapping):
        return [messages]
    if not isinstance(messages, Sequence) or isinstance(messages, bytes):
        raise InvalidInput(f"messages must be a text, a dict or a list of dicts, not {type(messages).__name__}")
    said = (message for message in messages if isinstance(message, Mapping) and message.get("content") is not None)
    return [{**message, "content": _content(message["content"])} for message in said]


def raw_messages(messages: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for message in messages:
        role, text = message.get("role"), message["content"]
        if role is not None and role != "system" and text.strip():
            actor = {"actor_id": message["name"]} if message.get("name") else {}
            yield {"text": text, "role": role, "kind": "message", "dedup": False, "metadata": {"role": role, **actor}}


def _content(content: object) -> str:
    """The text of a message, or of its parts. A picture has none."""
    if isinstance(content, list):
        return "\n".join(part["text"] for part in content if isinstance(part, Mapping) and "text" in part)
    return "" if isinstance(content, Mapping) else str(content)


def time_of(value: str | float | datetime | None) -> datetime | None:
    if isinstance(value, int | float):
        return datetime.fromtimestamp(value, UTC)
    return checks.moment("timestamp", value)


def _day(value: str | date | None) -> date | None:
    if value is None or isinstance(value, date):
        return value.date() if isinstance(value, datetime) else value
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        raise InvalidInput(f"expiration_date must be a date such as 2027-01-31, not {value!r}") from None


def expiration(value: str | date | None) -> dict[str, str]:
    day = _day(value)
    return {} if day is None else {"expiration_date": day.isoformat()}


def expires_at(value: str | date | None) -> datetime | None:
    """The end of that day in UTC, as in mem0."""
    day = _day(value)
    return None if day is None else datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=1)


# Results --------------------------------------------------------------------------------------------


def added(memory: Memory, infer: bool) -> dict[str, Any]:
    shown: dict[str, Any] = {"id": memory.merged_into or memory.id, "memory": memory.text}
    shown["event"] = "ADD" if memory.merged_into is None else "NONE"
    if not infer:
        return shown | {"actor_id": memory.metadata.get("actor_id"), "role": memory.role}
    return shown | ({"superseded": list(memory.superseded)} if memory.superseded else {})


def shown(memory: Memory) -> dict[str, Any]:
    data = memory.metadata
    created = memory.created_at.isoformat()
    return {
        "id": memory.id,
        "memory": memory.text,
        "hash": md5(memory.text.encode(), usedforsecurity=False).hexdigest(),
        "metadata": {key: value for key, value in data.items() if key not in OWN} or None,
        "created_at": created,
        "updated_at": data.get("updated_at", created),
        **{key: data[key] for key in PROMOTED if key in data},
    }


def share(threshold: float | None) -> float | None:
    return None if threshold is None else checks.share("threshold", threshold)


def hit_shown(hit: Hit, threshold: float | None, *, explain: bool) -> dict[str, Any]:
    found = shown(hit.memory) | {"score": hit.score}
    details = {"final_score": hit.score, "threshold": threshold, "explanation": hit.explanation.to_dict()}
    return found | ({"score_details": details} if explain else {})


def history_rows(memory: Memory, events: Sequence[Event]) -> list[dict[str, Any]]:
    """The rows of a history. A text before a change is in the event; the texts after are found from the end."""
    after: str | None = memory.text
    rows = []
    for event in reversed(events):
        before = _before(event, memory.id, after)
        rows.append(_row(event, memory, before, after))
        after = before if before is not None else after
    return rows[::-1]


def _before(event: Event, memory_id: str, after: str | None) -> str | None:
    change = next((change for change in event.changes if change.memory_id == memory_id), None)
    if change is None:
        return after
    return None if change.before is None else change.before.get("text", after)


def _row(event: Event, memory: Memory, before: str | None, after: str | None) -> dict[str, Any]:
    name = EVENTS.get(event.action, event.action.upper())
    return {
        "id": event.id,
        "memory_id": memory.id,
        "old_memory": before,
        "new_memory": None if name == "DELETE" else after,
        "event": name,
        "created_at": memory.created_at.isoformat(),
        "updated_at": event.at.isoformat(),
        "is_deleted": name == "DELETE",
        "actor_id": memory.metadata.get("actor_id"),
        "role": memory.metadata.get("role"),
    }
