"""Memories to rows and back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from typing import Any

from ...types import Memory

COLUMNS = tuple(f.name for f in fields(Memory) if f.name != "merged_into")
COUNTERS = ("access_count", "last_accessed_at", "retrieval_count", "last_retrieved_at")
_MOMENTS = tuple(name for name in COLUMNS if name.endswith("_at") or name.startswith("valid_"))
_LISTS = ("tags", "entities")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

SELECT = ", ".join(f"m.{name}" for name in COLUMNS)


def to_micros(moment: datetime | None) -> int | None:
    return None if moment is None else (moment - _EPOCH) // _MICROSECOND


def from_micros(value: int | None) -> datetime | None:
    return None if value is None else _EPOCH + timedelta(microseconds=value)


def to_row(memory: Memory) -> list[Any]:
    row: list[Any] = []
    for name in COLUMNS:
        value = getattr(memory, name)
        if name in _MOMENTS:
            value = to_micros(value)
        elif name in _LISTS or name == "metadata":
            value = json.dumps(value, ensure_ascii=False) if value else ("{}" if name == "metadata" else "[]")
        row.append(value)
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
