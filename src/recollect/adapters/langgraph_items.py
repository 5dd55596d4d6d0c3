"""How LangGraph's items are kept as memories: by the store, and by `recollect import`. It needs no package of theirs.

A value's fields are metadata under their JSON pointers (RFC 6901), so that filters reach nested fields too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any

KIND = "langgraph"
PLAIN_FIELDS = ("text", "content", "memory", "data")
"""Fields whose text is indexed without the field's name."""
LONGEST_SESSION = 128


def session_of(key: str) -> str:
    """The session id by which an item is found quickly: its key, or a digest of a key that can't be one."""
    plain = key == key.strip() and 0 < len(key) <= LONGEST_SESSION and key.isprintable()
    return key if plain else "sha256:" + sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def about(key: str, indexed: bool, updated_at: datetime, ttl_minutes: float | None = None) -> dict[str, Any]:
    """What the metadata says of an item beside its value."""
    return {"key": key, "indexed": indexed, "updated_at": updated_at.isoformat(), "ttl_minutes": ttl_minutes}


def flattened(value: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, inner in value.items():
        pointer = f"{above}/{name.replace('~', '~0').replace('/', '~1')}"
        found |= flattened(inner, pointer) if isinstance(inner, Mapping) and inner else {pointer: inner}
    return found


def unflattened(metadata: Mapping[str, Any]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for pointer, leaf in metadata.items():
        if pointer.startswith("/"):
            *above, name = (part.replace("~1", "/").replace("~0", "~") for part in pointer[1:].split("/"))
            inside = value
            for part in above:
                inside = inside.setdefault(part, {})
            inside[name] = leaf
    return value


def lines(value: Mapping[str, Any]) -> list[str]:
    """All fields of a value as text, a line each."""
    return [_line(pointer[1:], leaf) for pointer, leaf in flattened(value).items()]


def _line(name: str, leaf: Any) -> str:  # noqa: ANN401 - JSON
    shown = leaf if isinstance(leaf, str) else json.dumps(leaf, ensure_ascii=False)
    return shown if name in PLAIN_FIELDS else f"{name}: {shown}"
