"""Memories to rows and back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import Any

from ...types import Memory

COLUMNS = tuple(f.name for f in fields(Memory) if f.name != "merged_into")
COUNTERS = ("access_count", "last_accessed_at", "retrieval_count", "last_retrieved_at")
_MOMENTS = tuple(name for name in COLUMNS if name.endswith("_at") or name.startswith("valid_"))
_LISTS = ("tags", "entities")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

_values = attrgetter(*COLUMNS)
_MOMENTS_AT = tuple(map(COLUMNS.index, _MOMENTS))
_JSON_AT = tuple(
    (COLUMNS.index(name), empty) for name, empty in [*((name, "[]") for name in _LISTS), ("metadata", "{}")]
)

SELECT = ", ".join(f"m.{name}" for name in COLUMNS)


def to_micros(moment: datetime | None) -> int | None:
    return None if moment is None else (moment - _EPOCH) // _MICROSECOND


def from_micros(value: int | None) -> datetime | None:
    return None if value is None else _EPOCH + timedelta(microseconds=value)


def to_row(memory: Memory) -> list[Any]:
    row = list(_values(memory))
    for at in _MOMENTS_AT:
        if row[at] is not None:
            row[at] = to_micros(row[at])
    for at, empty in _JSON_AT:
        row[at] = json.dumps(row[at], ensure_ascii=False) if row[at] else empty
    return row


def to_memory(row: Sequence[Any]) -> Memory:
    values = dict(zip(COLUMNS, row, strict=True))
    for name in _MOMENTS:
        if values[name] is not None:
            values[name] = _EPOCH + timedelta(microseconds=values[name])
    for name in _LISTS:
        values[name] = tuple(json.loads(values[name])) if values[name] != "[]" else ()
    values["metadata"] = json.loads(values["metadata"]) if values["metadata"] != "{}" else {}
    return Memory(**values)
