"""Records of other programs as memories, links and conversations. The keys of a record show its format."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..errors import InvalidInput
from ..ids import digest
from ..namespaces import encoded
from ..types import LINK_KINDS
from ..write.conversations.transcripts import conversations, moment
from .found import Found, Item, Relation, Talk, key_of

Record = Mapping[str, Any]
_SCOPES = {"user_id": "users", "agent_id": "agents", "run_id": "runs"}
_TIMES = ("at", "created_at", "timestamp", "date")
_NOT_METADATA = ("text", "content", "id", "namespace")
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
    entity, kind = str(record["name"]), str(record.get("entityType") or "thing")
    about = {"entities": [entity], "dedup": False}
    yield Item(
        entity_key(entity),
        {**about, "text": f"{entity} ({kind})", "kind": "entity", "metadata": {"entity": entity, "entity_type": kind}},
    )
    for said in record.get("observations") or ():
        key = key_of("mcp-memory", "observation", entity, said)
        held = {"entity": entity, "observation": str(said)}
        yield Item(key, {**about, "text": f"{entity}: {said}", "kind": "observation", "metadata": held})
        yield Relation(key, entity_key(entity), "mentions")


def _relation(record: Record, name: str, base: str) -> Found:
    a, b, kind = (str(record[field]) for field in ("from", "to", "relationType"))
    held = {"from": a, "to": b, "relation_type": kind}
    text = f"{a} {kind.replace('_', ' ')} {b}"
    fields = {"text": text, "kind": "relation", "entities": [a, b], "dedup": False, "metadata": held}
    yield Item(key_of("mcp-memory", "relation", a, kind, b), fields)
    yield Relation(entity_key(a), entity_key(b), kind if kind in LINK_KINDS else "related")


# mem0, LangGraph, OpenMem -------------------------------------------------------------------------


def _mem0(record: Record, name: str, base: str) -> Found:
    yield mem0_item(record, str(record.get("memory") or record.get("data")), base)


def mem0_item(record: Record, text: str, base: str) -> Item:
    """A memory of mem0, in the namespace that `recollect.adapters.mem0` uses."""
    ids = {name: str(record[name]) for name in _SCOPES if record.get(name)}
    own = {name: record[name] for name in ("actor_id", "role") if record.get(name)}
    place = next((f"{base}/{_SCOPES[name]}/{encoded(id)}" for name, id in ids.items()), base)
    return Item(
        key_of("mem0", record.get("id") or digest(text).hex()),
        {
            "text": text,
            "namespace": place,
            "metadata": {**(record.get("metadata") or {}), **own, **ids},
            "at": moment(record.get("created_at")),
            "expires_at": record.get("expiration_date"),
        },
    )


def _langgraph(record: Record, name: str, base: str) -> Found:
    labels, key, value = record["namespace"], str(record["key"]), record["value"]
    path = "/".join([base, *(encoded(str(label)) for label in labels)])
    text = "\n".join(_lines(value)) if isinstance(value, Mapping) else str(value)
    yield Item(
        key_of("langgraph", *labels, key),
        {
            "text": text or key,
            "namespace": path,
            "metadata": {"key": key, "value": value},
            "at": moment(record.get("created_at")),
            "dedup": False,
        },
    )


def _lines(value: Record) -> Iterator[str]:
    for name, leaf in value.items():
        shown = leaf if isinstance(leaf, str) else json.dumps(leaf, ensure_ascii=False)
        yield shown if name in ("text", "content", "memory", "data") else f"{name}: {shown}"


def openmem_item(record: Record) -> Item:
    entities = record.get("entities") or []
    return Item(
        key_of("openmem", record["id"]),
        {
            "text": record["text"],
            "kind": record.get("type") or "fact",
            "gist": record.get("gist") or "",
            "entities": json.loads(entities) if isinstance(entities, str) else entities,
            "confidence": record.get("confidence", 1.0),
            "at": moment(record.get("created_at")),
            "metadata": {"strength": record.get("strength", 1.0), "status": record.get("status", "active")},
            "dedup": False,
        },
    )


# Plain records ------------------------------------------------------------------------------------


def _plain(record: Record, name: str, base: str) -> Found:
    """A record with the names of `remember`'s arguments. Other fields become metadata."""
    text = next(record[field] for field in ("text", "content") if isinstance(record.get(field), str))
    known = {field: record[field] for field in _ARGUMENTS if record.get(field) not in (None, "")}
    rest = {name: value for name, value in record.items() if name not in (*_ARGUMENTS, *_TIMES, *_NOT_METADATA)}
    at = next((record[field] for field in _TIMES if record.get(field)), None)
    held = {**rest, **(known.pop("metadata", None) or {})}
    yield Item(
        key_of("record", record.get("id") or digest(text).hex()),
        {**known, "text": text, "at": moment(at), "metadata": held},
    )


_FORMATS: tuple[tuple[Callable[[Record], bool], Callable[[Record, str, str], Found]], ...] = (
    (_is_conversation, _conversation),
    (lambda r: r.get("type") == "entity" and "name" in r, _entity),
    (lambda r: {"from", "to", "relationType"} <= r.keys(), _relation),
    (lambda r: isinstance(r.get("namespace"), list) and {"key", "value"} <= r.keys(), _langgraph),
    (lambda r: isinstance(r.get("memory"), str), _mem0),
    (lambda r: {"text", "strength", "id"} <= r.keys(), lambda record, name, base: iter([openmem_item(record)])),
    (lambda r: any(isinstance(r.get(field), str) for field in ("text", "content")), _plain),
)
"""Asked in this order: whether a record has the format, and what reads it."""
