"""Stores many conversations, each given as a dict of `messages`, `session_id` and `at`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, tzinfo
from typing import Any, Unpack

from ... import checks
from ...errors import InvalidInput, UnknownName
from ...extractors.protocol import Extractor
from ...ids import new_id
from ...progress import progress
from ..tools import Tools
from .ingest import HOWS, Conversation, Ingest, Ingested
from .messages import check

_FIELDS = ("messages", "session_id", "at")


def ingest_many(
    given: Iterable[Mapping[str, Any]],
    extractor: Extractor,
    granularity: str,
    namespace: str,
    zone: tzinfo,
    *,
    show: bool,
    **tools: Unpack[Tools],
) -> list[Ingested]:
    """Checks all conversations, then stores them one after the other. An error tells which conversation is wrong."""
    listed = checks.each("conversation", given, lambda each: _conversation(each, tools["stamp"].at))
    how = checks.one_of("granularity", granularity, HOWS)
    ingest = Ingest(extractor=extractor, namespace=namespace, how=how, zone=zone, **tools)
    with progress("ingesting", sum(len(each.messages) for each in listed), show) as advance:
        return list(ingest.run(listed, advance))


def _conversation(given: Mapping[str, Any], now: datetime) -> Conversation:
    if not isinstance(given, Mapping):
        raise InvalidInput(f"must be a dict of messages, session_id and at, not {type(given).__name__}")
    for name in given:
        if name not in _FIELDS:
            raise UnknownName("field", name, _FIELDS)
    return Conversation(
        messages=check(given.get("messages")),
        session_id=checks.optional("session_id", given.get("session_id")) or new_id(),
        at=checks.moment("at", given.get("at")) or now,
    )
