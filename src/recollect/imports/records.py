"""Records of other programs as memories, links and conversations. The keys of a record show its format."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .. import checks
from ..adapters import langgraph_items, mem0_shapes
from ..errors import InvalidInput
from ..ids import digest
from ..namespaces import encoded
from ..types import LINK_KINDS, STATUSES
from ..write.conversations.transcripts import conversations, moment
from ..write.documents.chunk import chunks
from .found import Found, Item, Relation, Talk, key_of

Record = Mapping[str, Any]
_TIMES = ("at", "created_at", "timestamp", "date")
_ASIDES = ({"rating", "conversation_id"}, {"is_anonymous", "conversation_id"}, {"chatgpt_plus_user"}, {"email_address"})
"""Fields of records that exports hold beside conversations: ratings, shared links, accounts. They say nothing."""
_NOT_METADATA = ("text", "content", "id", "namespace")
_LONGEST_GIST = 1000
_ARGUMENTS = "kind tags entities gist importance confidence metadata session_id at occurred_at expires_at".split()


def found_in(record: object, name: str, base: str) -> Found:
    """What a record says. `base` is the namespace of the import."""
    if not isinstance(record, Mapping):
        raise InvalidInput(f"a record must be a JSON object, not {type(record).__name__}")
    for is_one, read in _FORMATS:
        if is_one(record):
            yield from read(record, name, base)
            return
    raise InvalidInput(f"unknown record with {', '.join(map(str, list(record)[:6])) or 'no fields'}")


def _is_conversation(record: Record) -> bool:
    return any(name in record for name in ("mapping", "chat_messages", "messages"))


def _conversation(record: Record, name: str, base: str) -> Found:
    yield from (Talk(each) for each in conversations([record], name) if each["messages"])


# The official MCP memory server -------------------------------------------------------------------


def entity_key(name: str) -> str:
    return key_of("mcp-memory", "entity", name)


def _entity(record: Record, name: str, base: str) -> Found:
    entity, kind = _string(record, "name"), str(record.get("entityType") or "thing")
    observations = record.get("observations") or []
    if not isinstance(observations, list) or not all(isinstance(said, str) for said in observations):
        raise InvalidInput("observations must be a list of strings")
    about = {"entities": [entity], "dedup": False}
    yield Item(
        entity_key(entity),
        {**about, "text": f"{entity} ({kind})", "kind": "entity", "metadata": {"entity": entity, "entity_type": kind}},
    )
    for said in observations:
        key = key_of("mcp-memory", "observation", entity, said)
        held = {"entity": entity, "observation": said}
        yield Item(key, {**about, "text": f"{entity}: {said}", "kind": "observation", "metadata": held})
        yield Relation(key, entity_key(entity), "mentions")


def _relation(record: Record, name: str, base: str) -> Found:
    a, b, kind = (_string(record, field) for field in ("from", "to", "relationType"))
    held = {"from": a, "to": b, "relation_type": kind}
    text = f"{a} {kind.replace('_', ' ')} {b}"
    fields = {"text": text, "kind": "relation", "entities": [a, b], "dedup": False, "metadata": held}
    yield Item(key_of("mcp-memory", "relation", a, kind, b), fields)
    yield Relation(entity_key(a), entity_key(b), kind if kind in LINK_KINDS else "related")


def _string(record: Record, name: str) -> str:
    value = record.get(name)
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput(f"{name} must be a string, not {value!r}")
    return value


# claude.ai's own memory, and the texts of its projects --------------------------------------------


_CLAUDE_MEMORY = ("conversations_memory", "project_memories", "memory_files")
"""An account has some of these."""


def _claude_memory(record: Record, name: str, base: str) -> Found:
    account = str(record.get("account_uuid"))
    yield from _texts("memory", account, record.get("conversations_memory"), "Claude's memory")
    for project, text in dict(record.get("project_memories") or {}).items():
        yield from _texts("memory", str(project), text, "Claude's memory of a project")
    for file in record.get("memory_files") or ():
        path = str(file["path"])
        title = f"Claude's memory › {path.strip('/')}"
        yield from _texts("memory", f"{account}/{path}", file.get("content"), title, file.get("updated_at"))


def _claude_project(record: Record, name: str, base: str) -> Found:
    project = str(record["name"])
    for field in ("description", "prompt_template"):
        yield from _texts(field, str(record["uuid"]), record.get(field), project, record.get("created_at"))
    for each in record["docs"]:
        title = f"{project} › {each['filename']}"
        yield from _texts("doc", str(each["uuid"]), each.get("content"), title, each.get("created_at"))


def _texts(what: str, id: str, text: str | None, title: str, at: object = None) -> Iterator[Item]:
    """The chunks of a text."""
    for chunk in chunks(text) if text and text.strip() else ():
        about = {"kind": "document", "granularity": "chunk", "dedup": False, "at": at}
        gist = " › ".join([title, *chunk.headings])[:_LONGEST_GIST]
        yield Item(key_of("claude", what, id, digest(chunk.text).hex()), {**about, "text": chunk.text, "gist": gist})


# mem0, LangGraph, OpenMem -------------------------------------------------------------------------


def _mem0(record: Record, name: str, base: str) -> Found:
    yield mem0_item(record, _string(record, "memory"), base)


def mem0_item(record: Record, text: str, base: str) -> Item:
    """A memory of mem0, as `recollect.adapters.mem0` keeps it. One that does not say whose it is stays in `base`."""
    ids = {name: str(record[name]) for name in mem0_shapes.SCOPES if record.get(name)}
    own = {name: record[name] for name in mem0_shapes.OWN if isinstance(record.get(name), str)}
    place = next((f"{base}/mem0/{mem0_shapes.SCOPES[name]}/{encoded(id)}" for name, id in ids.items()), base)
    return Item(
        key_of("mem0", record.get("id") or digest(text).hex()),
        {
            "text": text,
            "namespace": place,
            "metadata": {**(record.get("metadata") or {}), **own, **ids},
            "at": moment(record.get("created_at")),
            "expires_at": mem0_shapes.expires_at(record.get("expiration_date")),
        },
    )


def _langgraph(record: Record, name: str, base: str) -> Found:
    """An item as `recollect.adapters.langgraph` keeps it, so that its store finds it."""
    labels, key, value = record["namespace"], str(record["key"]), record["value"]
    if not isinstance(value, Mapping):
        raise InvalidInput(f"value must be an object, not {type(value).__name__}")
    at = _time(record, "created_at") or datetime.now(UTC)
    updated_at = _time(record, "updated_at") or at
    text = "\n".join(line for line in langgraph_items.lines(value) if line.strip())
    yield Item(
        key_of("langgraph", *labels, key),
        {
            "text": text or key.strip() or "item",
            "kind": langgraph_items.KIND,
            "granularity": "chunk",
            "namespace": "/".join([base, *(encoded(str(label)) for label in labels)]),
            "session_id": langgraph_items.session_of(key),
            "metadata": {
                **langgraph_items.about(key, bool(text), updated_at),
                **langgraph_items.flattened(checks.metadata(value)),
            },
            "at": at,
            "dedup": False,
        },
    )


def _time(record: Record, name: str) -> datetime | None:
    value: Any = moment(record.get(name))
    return checks.moment(name, value)


def openmem_item(record: Record) -> Item:
    entities = record.get("entities") or []
    state = {
        "status": checks.one_of("status", record.get("status") or "active", STATUSES),
        "strength": checks.share("strength", min(1.0, record.get("strength", 1.0))),
    }
    return Item(
        key_of("openmem", record["id"]),
        {
            "text": record["text"],
            "kind": record.get("type") or "fact",
            "gist": record.get("gist") or "",
            "entities": json.loads(entities) if isinstance(entities, str) else entities,
            "confidence": record.get("confidence", 1.0),
            "at": moment(record.get("created_at")),
            "metadata": state,
            "dedup": False,
        },
        state={name: value for name, value in state.items() if value not in ("active", 1.0)},
    )


# Plain records ------------------------------------------------------------------------------------


def _plain(record: Record, name: str, base: str) -> Found:
    """A record with the names of `remember`'s arguments. Other fields become metadata."""
    text = next(record[field] for field in ("text", "content") if isinstance(record.get(field), str))
    known = {field: record[field] for field in _ARGUMENTS if record.get(field) not in (None, "")}
    rest = {field: value for field, value in record.items() if field not in (*_ARGUMENTS, *_TIMES, *_NOT_METADATA)}
    at = next((record[field] for field in _TIMES if record.get(field)), None)
    held = {"file": Path(name).name, **rest, **(known.pop("metadata", None) or {})}
    yield Item(
        key_of("record", record.get("id") or digest(text).hex()),
        {**known, "text": text, "at": moment(at), "metadata": held},
    )


_FORMATS: tuple[tuple[Callable[[Record], bool], Callable[[Record, str, str], Found]], ...] = (
    (_is_conversation, _conversation),
    (lambda r: not r.keys().isdisjoint(_CLAUDE_MEMORY), _claude_memory),
    (lambda r: {"uuid", "name", "docs"} <= r.keys(), _claude_project),
    (lambda r: any(fields <= r.keys() for fields in _ASIDES), lambda record, name, base: iter(())),
    (lambda r: r.get("type") == "entity" and "name" in r, _entity),
    (lambda r: {"from", "to", "relationType"} <= r.keys(), _relation),
    (lambda r: isinstance(r.get("namespace"), list) and {"key", "value"} <= r.keys(), _langgraph),
    (lambda r: isinstance(r.get("memory"), str), _mem0),
    (lambda r: {"text", "strength", "id"} <= r.keys(), lambda record, name, base: iter([openmem_item(record)])),
    (lambda r: any(isinstance(r.get(field), str) for field in ("text", "content")), _plain),
)
"""Asked in this order: whether a record has the format, and what reads it."""
