"""Memories as resources: one by its id, and what is pinned."""

from __future__ import annotations

import json

import mcp_types as types

from ...errors import NotFound
from ..access import Access
from .answers import Got, fenced

_ONE = "recollect://memory/"
PINNED = types.Resource(
    uri="recollect://pinned",
    name="pinned",
    title="Pinned memories",
    description="What is to be known in every conversation, fenced as data.",
    mime_type="text/plain",
)
MEMORY = types.ResourceTemplate(
    uri_template=_ONE + "{id}",
    name="memory",
    title="A memory",
    description="One memory by its id, with all that is known about it.",
    mime_type="application/json",
)


def read(desk: Access, uri: str) -> types.TextResourceContents:
    if uri == PINNED.uri:
        return types.TextResourceContents(uri=uri, mime_type=PINNED.mime_type, text=_pinned(desk))
    if uri.startswith(_ONE):
        return types.TextResourceContents(uri=uri, mime_type=MEMORY.mime_type, text=_one(desk, uri.removeprefix(_ONE)))
    raise NotFound(f"there is no resource {uri}")


def _pinned(desk: Access) -> str:
    return fenced(desk.list(tiers=["pinned"], statuses=["active"])) or "Nothing is pinned."


def _one(desk: Access, id: str) -> str:
    return json.dumps(Got.of(desk.get(id)).data(), ensure_ascii=False)
