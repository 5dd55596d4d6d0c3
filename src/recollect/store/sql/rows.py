"""Converts memories to rows and rows to memories. Moments are microseconds since 1970."""

from __future__ import annotations

from dataclasses import fields, make_dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from operator import attrgetter
from typing import Any

from ...types import RESULTS, Memory

COLUMNS = tuple(f.name for f in fields(Memory) if f.name not in RESULTS)
COUNTERS = ("access_count", "last_accessed_at", "retrieval_count", "last_retrieved_at")
LISTS = ("tags", "entities")
LISTS_AT = tuple(map(COLUMNS.index, LISTS))
METADATA_AT = COLUMNS.index("metadata")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def _is_moment(name: str) -> bool:
    return name.endswith("_at") or name.startswith("valid_")


_MOMENTS_AT = tuple(n for n, name in enumerate(COLUMNS) if _is_moment(name))


def to_micros(moment: datetime | None) -> int | None:
    return None if moment is None else (moment - _EPOCH) // _MICROSECOND


def from_micros(value: int | None) -> datetime | None:
    return None if value is None else moment(value)


@lru_cache(maxsize=1_024)
def moment(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)


class Layout:
    """The columns of a memory in a table."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        self._values = attrgetter(*names)
        self._moments_at = tuple(n for n, name in enumerate(names) if _is_moment(name))
        self.lists_at = tuple(map(names.index, LISTS))
        self.metadata_at = names.index("metadata")

    def values(self, memory: Memory) -> list[Any]:
        """The values in the order of the columns. Lists and metadata are not converted."""
        found = list(self._values(memory))
        for at in self._moments_at:
            if found[at] is not None:
                found[at] = to_micros(found[at])
        return found


_NO_RESULTS = tuple(f.default for name in RESULTS for f in fields(Memory) if f.name == name)
_Unfrozen: Any = make_dataclass("_Unfrozen", (*COLUMNS, *RESULTS), slots=True)
"""A memory while it is made. The constructor of a frozen dataclass takes six times as long."""


def to_memory(values: list[Any]) -> Memory:
    """A memory from the values of COLUMNS. Lists are given as tuples, metadata as a dict."""
    for at in _MOMENTS_AT:
        if values[at] is not None:
            values[at] = moment(values[at])
    made = _Unfrozen(*values, *_NO_RESULTS)
    made.__class__ = Memory  # it has the same slots
    found: Memory = made
    return found
