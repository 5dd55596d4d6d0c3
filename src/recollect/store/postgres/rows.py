"""Memories to rows and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import Any

from ...errors import InvalidInput
from ...types import Memory

COLUMNS = tuple(f.name for f in fields(Memory) if f.name != "merged_into")
COUNTERS = ("access_count", "last_accessed_at", "retrieval_count", "last_retrieved_at")
KEPT = tuple(name for name in COLUMNS if name not in COUNTERS)
"""The columns of the table `memory`; the counters are in `usage`."""
STORED = ("tenant", *KEPT, "folded", "digest", "about")
_MOMENTS = tuple(name for name in COLUMNS if name.endswith("_at") or name.startswith("valid_"))
_MOMENTS_AT = tuple(map(COLUMNS.index, _MOMENTS))
_LISTS_AT = tuple(map(COLUMNS.index, ("tags", "entities")))
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

_values = attrgetter(*KEPT)
_KEPT_MOMENTS_AT = tuple(KEPT.index(name) for name in _MOMENTS if name in KEPT)
_KEPT_LISTS_AT = tuple(map(KEPT.index, ("tags", "entities")))
_METADATA_AT = KEPT.index("metadata")

FROM = "memory m LEFT JOIN usage u ON u.tenant = m.tenant AND u.id = m.id"
SELECT = ", ".join(
    f"coalesce(u.{name}, 0)" if name.endswith("_count") else f"{'u' if name in COUNTERS else 'm'}.{name}"
    for name in COLUMNS
)


def to_micros(moment: datetime | None) -> int | None:
    return None if moment is None else (moment - _EPOCH) // _MICROSECOND


def from_micros(value: int | None) -> datetime | None:
    return None if value is None else _EPOCH + timedelta(microseconds=value)


def to_row(memory: Memory) -> list[Any]:
    """The values of STORED up to `folded`; the metadata are JSON text."""
    row = list(_values(memory))
    for at in _KEPT_LISTS_AT:
        row[at] = list(row[at])
    for at in _KEPT_MOMENTS_AT:
        if row[at] is not None:
            row[at] = to_micros(row[at])
    row[_METADATA_AT] = to_json(memory.metadata) if memory.metadata else "{}"
    return [memory.tenant, *row, folded(memory.metadata) if memory.metadata else None]


def to_json(value: Any) -> str:  # noqa: ANN401 - JSON
    made = json.dumps(value, ensure_ascii=False)
    if "\\u0000" in made:
        raise InvalidInput("metadata contains a NUL character, which PostgreSQL can't keep")
    return made


def from_json(made: str | bytes) -> Any:  # noqa: ANN401 - JSON
    return {} if made == b"{}" else json.loads(made)  # what most memories have as metadata


def counters(memory: Memory) -> tuple[int, int | None, int, int | None] | None:
    """Its counters, or None where all of them are at their beginning."""
    found = (
        memory.access_count,
        to_micros(memory.last_accessed_at),
        memory.retrieval_count,
        to_micros(memory.last_retrieved_at),
    )
    return found if any(value is not None and value != 0 for value in found) else None


def to_memory(row: Sequence[Any]) -> Memory:
    values = list(row)
    for at in _MOMENTS_AT:
        if values[at] is not None:
            values[at] = _EPOCH + timedelta(microseconds=values[at])
    for at in _LISTS_AT:
        values[at] = tuple(values[at])
    return Memory(**dict(zip(COLUMNS, values, strict=True)))


def folded(metadata: Mapping[str, Any]) -> str | None:
    """The metadata for `icontains`, folded here because servers differ in what they know of other alphabets."""
    made = {key: fold(value) for key, value in metadata.items()}
    return None if made == metadata else json.dumps(made, ensure_ascii=False)


def fold(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, list | tuple):
        return [fold(item) for item in value]
    return value.casefold() if isinstance(value, str) else value
