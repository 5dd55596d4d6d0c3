"""Writes, reads and checks the lines of an export file (format: docs/export-format.md)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from .. import checks
from ..errors import InvalidInput
from ..store.values import Feedback, Put, RecallEntry, RecallRecord
from ..types import GRANULARITIES, LINK_KINDS, Change, Event, Link, Memory, plain
from ..write.changes import revise

VERSION = 2
READABLE = (1, 2)
"""The format versions that can be read. Version 1 has no `about`, no events and no recalls."""
KINDS: Mapping[str, str] = {"memory": "memories", "link": "links", "recall": "recalls", "event": "events"}
"""Type of a line → the name of its count in the last line."""
_OWN_FIELDS = tuple(f.name for f in fields(RecallEntry) if f.name not in ("hits", "counts"))


# Writing ------------------------------------------------------------------------------------------


def memory_line(put: Put) -> dict[str, Any]:
    record = {name: plain(getattr(put.memory, name)) for name in sorted(_PARSERS)}
    return {"type": "memory", **record, "about": put.about}


def link_line(link: Link) -> dict[str, Any]:
    return {"type": "link", **link.to_dict()}


def event_line(event: Event) -> dict[str, Any]:
    return {"type": "event", **event.to_dict()}


def recall_line(recall: RecallRecord) -> dict[str, Any]:
    return {
        "type": "recall",
        **{name: plain(getattr(recall.entry, name)) for name in _OWN_FIELDS},
        "hits": [list(hit) for hit in recall.entry.hits],
        "feedback": [{f.name: getattr(said, f.name) for f in fields(said)} for said in recall.feedback],
        "said_at": plain(recall.feedback_at),
    }


# Reading ------------------------------------------------------------------------------------------


def _string(field: str) -> Callable[[Any], str]:
    """Reads a string exactly as it was written. It is not trimmed or shortened."""

    def read(value: Any) -> str:  # noqa: ANN401 - any JSON value
        if not isinstance(value, str):
            raise InvalidInput(f"{field} must be a string, not {type(value).__name__}")
        return checks.clean(field, value)

    return read


def _strings(field: str) -> Callable[[Any], tuple[str, ...]]:
    def read(value: Any) -> tuple[str, ...]:  # noqa: ANN401 - any JSON value
        if not isinstance(value, list):
            raise InvalidInput(f"{field} must be a list of strings, not {value!r}")
        return tuple(_string(field)(each) for each in value)

    return read


def _optional(field: str) -> Callable[[Any], str | None]:
    return lambda value: None if value is None else _string(field)(value)


def _text(value: Any) -> str:  # noqa: ANN401 - any JSON value
    text = _string("text")(value)
    if not text.strip():
        raise InvalidInput("text is empty: it needs some words")
    return text


_PARSERS: Mapping[str, Callable[[Any], Any]] = {
    **revise.PARSERS,
    "id": lambda v: checks.label("id", v),
    "text": _text,
    "gist": _string("gist"),
    "tags": _strings("tags"),
    "entities": _strings("entities"),
    "source": _optional("source"),
    "namespace": checks.path,
    "session_id": _optional("session_id"),
    "turn": lambda v: checks.position("turn", v),
    "role": _optional("role"),
    "granularity": lambda v: checks.one_of("granularity", v, GRANULARITIES),
    "origin": _string("origin"),
    "trust": lambda v: checks.label("trust", v),
    "created_at": lambda v: checks.moment("created_at", v),
    "access_count": lambda v: checks.position("access_count", v) or 0,
    "last_accessed_at": lambda v: checks.moment("last_accessed_at", v),
    "retrieval_count": lambda v: checks.position("retrieval_count", v) or 0,
    "last_retrieved_at": lambda v: checks.moment("last_retrieved_at", v),
    "decayed_at": lambda v: checks.moment("decayed_at", v),
}
"""Field of a memory → the function that reads it."""


def memory_of(record: Mapping[str, Any]) -> Memory:
    _need("memory", record, "created_at", "id", "namespace", "text")
    return Memory(**{name: _PARSERS[name](value) for name, value in record.items() if name in _PARSERS})


def about_of(record: Mapping[str, Any]) -> str | None:
    return _optional("about")(record.get("about"))


def link_of(record: Mapping[str, Any]) -> Link:
    kind = checks.one_of("link kind", record.get("kind"), LINK_KINDS)
    weight = checks.share("weight", record.get("weight", 0.5))
    made = checks.moment("created_at", record.get("created_at"))
    a, b = str(record.get("a")), str(record.get("b"))
    if a == b:
        raise InvalidInput(f"{a} can't be linked to itself")
    return Link(a=a, b=b, kind=kind, weight=weight, created_at=made)


def event_of(record: Mapping[str, Any]) -> Event:
    _need("event", record, "id", "at", "action")
    at = checks.moment("at", record["at"])
    assert at is not None
    return Event(
        id=checks.label("id", record["id"]),
        at=at,
        actor=_string("actor")(record.get("actor", "")),
        action=checks.label("action", record["action"]),
        namespace=_string("namespace")(record.get("namespace", "")),
        changes=_changes(record),
        detail=_detail(record),
        undone_by=checks.optional("undone_by", record.get("undone_by")),
    )


def _changes(record: Mapping[str, Any]) -> tuple[Change, ...]:
    changes = tuple(_change(each) for each in _list("changes", record.get("changes", [])))
    _check_once("changes", [change.memory_id for change in changes])
    return changes


def _detail(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Checks the links and reasons, which `undo` and the audit use. The rest is only displayed."""
    detail = checks.metadata(record.get("detail"))
    for name, parts in (("linked", 3), ("unlinked", 4)):
        for link in _list(name, detail.get(name, [])):
            if len(_list(name, link)) != parts or not all(isinstance(part, str) for part in link[:3]):
                raise InvalidInput(f"{name} must be lists of two ids, a kind and, where it is gone, its weight")
    for name in ("purged", "hits"):
        _strings(name)(detail.get(name, []))
    if not isinstance(detail.get("quarantine", {}), Mapping):
        raise InvalidInput("quarantine must be an object with ids and reasons")
    return detail


def _change(record: Any) -> Change:  # noqa: ANN401 - any JSON value
    if not isinstance(record, Mapping):
        raise InvalidInput(f"changes must be objects with memory_id and before, not {record!r}")
    before = record.get("before")
    if before is not None:
        before = checks.metadata(before)
        for name, value in before.items():  # `undo` writes these values back
            if name not in _PARSERS:
                raise InvalidInput(f"changes: a memory has no field {name!r}")
            _PARSERS[name](value)
    return Change(memory_id=checks.label("memory_id", record.get("memory_id")), before=before)


def recall_of(record: Mapping[str, Any]) -> RecallRecord:
    _need("recall", record, "id", "at", "recipe")
    at = checks.moment("at", record["at"])
    assert at is not None
    entry = RecallEntry(
        id=checks.label("id", record["id"]),
        at=at,
        actor=_string("actor")(record.get("actor", "")),
        namespace=_string("namespace")(record.get("namespace", "")),
        query=_string("query")(record.get("query", "")),
        recipe=_string("recipe")(record["recipe"]),
        rejected=_optional("rejected")(record.get("rejected")),
        confidence=_number("confidence", record.get("confidence", 0.0)),
        hits=[_hit(each) for each in _list("hits", record.get("hits", []))],
        ms=None if record.get("ms") is None else _number("ms", record["ms"]),
    )
    said = [_feedback(each) for each in _list("feedback", record.get("feedback", []))]
    _check_once("feedback", [each.memory_id for each in said])
    return RecallRecord(entry=entry, feedback=said, feedback_at=checks.moment("said_at", record.get("said_at")))


def _hit(value: Any) -> tuple[str, float]:  # noqa: ANN401 - any JSON value
    if not isinstance(value, Sequence) or len(value) != 2:
        raise InvalidInput(f"hits must be pairs of a memory's id and its score, not {value!r}")
    return checks.label("hits", value[0]), _number("score", value[1])


def _feedback(value: Any) -> Feedback:  # noqa: ANN401 - any JSON value
    if not isinstance(value, Mapping):
        raise InvalidInput(f"feedback must be objects, not {value!r}")
    outcome = value.get("outcome")
    return Feedback(
        memory_id=checks.label("memory_id", value.get("memory_id")),
        used=bool(value.get("used")),
        outcome=None if outcome is None else _number("outcome", outcome),
        strength=_number("strength", value.get("strength", 0.0)),
        importance=_number("importance", value.get("importance", 0.0)),
    )


def _check_once(field: str, ids: Sequence[str]) -> None:
    if len(set(ids)) < len(ids):
        raise InvalidInput(f"{field}: a memory is named twice")


def _need(kind: str, record: Mapping[str, Any], *names: str) -> None:
    for name in names:
        if record.get(name) is None:
            raise InvalidInput(f"the {kind} lacks {name!r}")


def _list(field: str, value: Any) -> list[Any]:  # noqa: ANN401 - any JSON value
    if not isinstance(value, list):
        raise InvalidInput(f"{field} must be a list, not {type(value).__name__}")
    return value


def _number(field: str, value: Any) -> float:  # noqa: ANN401 - any JSON value
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InvalidInput(f"{field} must be a number, not {value!r}")
    return float(value)
