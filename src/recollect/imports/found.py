"""What a reader of a format finds: memories, links between them, notes, conversations and broken records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, TypeAlias

_LONGEST_KEY = 120


@dataclass(frozen=True, slots=True)
class Item:
    """A memory. `key` names its record in the file it comes from; it becomes the memory's source."""

    key: str
    fields: Mapping[str, Any]
    where: str = ""
    """Where the record stands in the file, for an error."""
    state: Mapping[str, Any] = field(default_factory=dict)
    """The status and strength that the memory had in the other program, if they are not those of a new one."""
    names: str = ""
    """Another key, by which links name it."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A link between two records, given by their keys."""

    a: str
    b: str
    kind: str = "related"
    weight: float = 0.5


@dataclass(frozen=True, slots=True)
class Note:
    """Comes after all items of a note. Memories of a former version of it, which have other keys, no longer hold."""

    folder: str
    note: str
    keys: frozenset[str]


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation, as `ingest_many` takes it."""

    conversation: dict[str, Any] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Broken:
    """A record that can't be read, and why."""

    where: str
    why: str


Found: TypeAlias = Iterator[Item | Relation | Note | Talk | Broken]


def key_of(program: str, *parts: object) -> str:
    """The key of a record: the program and the record's id there. A long one is shortened to a digest."""
    whole = f"{program}:{'/'.join(map(str, parts))}"
    if len(whole) <= _LONGEST_KEY and whole.isprintable() and whole == whole.strip():
        return whole
    return f"{program}:{blake2b(whole.encode('utf-8', 'replace'), digest_size=16).hexdigest()}"
