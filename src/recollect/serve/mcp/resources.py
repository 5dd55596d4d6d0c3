"""Memories as resources: one memory by its id, and the pinned ones."""

from __future__ import annotations

import json

import mcp_types as types

from ...errors import NotFound
from ..access import Access
from .answers import MemoryDetails, fenced

_ONE = "recollect://memory/"
PINNED = types.Resource(
    uri="recollect://pinned",
    name="pinned",
    title="Pinned memories",
    description="The memories that belong in every conversation, fenced as data.",
    mime_type="text/plain",
)
MEMORY = types.ResourceTemplate(
    uri_template=_ONE + "{id}",
    name="memory",
    title="A memory",
    description="Everything known about one memory, by its id.",
    mime_type="application/json",
)


def read(access: Access, uri: str) -> types.TextResourceContents:
    if uri == PINNED.uri:
        return types.TextResourceContents(uri=uri, mime_type=PINNED.mime_type, text=_pinned(access))
    if uri.startswith(_ONE):
        return types.TextResourceContents(
            uri=uri, mime_type=MEMORY.mime_type, text=_one(access, uri.removeprefix(_ONE))
        )
    raise NotFound(f"there is no resource {uri}")


def _pinned(access: Access) -> str:
    return fenced(access.list(tiers=["pinned"], statuses=["active"])) or "Nothing is pinned."


def _one(access: Access, id: str) -> str:
    return json.dumps(MemoryDetails.of(access.get(id)).data(), ensure_ascii=False)
