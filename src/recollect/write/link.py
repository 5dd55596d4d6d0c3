"""How a new memory stands to those that are there. Pure: decides on values, and says why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from ..types import Link, Memory

TEMPORAL_WEIGHT = 0.3
SOURCE_WEIGHT = 0.5
MENTIONS_WEIGHT = 0.4
MOST_SIMILAR = 3
"""Links of one kind that a new memory gets by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """Two statements that can't both hold now."""

    kind: Literal["supersedes", "contradicts"]
    newer: Memory
    older: Memory
    why: str


def about(text: str) -> str | None:
    """Whose what a sentence states, where it states that something is one thing and not another."""
    from ..extractors.rules import triple  # its patterns take time to compile, and reading needs none of them

    found = triple(text)
    return None if found is None else f"{found.subject}/{found.attribute}"


def clashes(new: Memory, held: Iterable[Memory]) -> list[Clash]:
    """What a statement replaces, or what it can't be true beside. The later one in time is the one that holds."""
    from ..extractors.updates import compare

    found = []
    for other in held:
        if other.id == new.id:
            continue
        older, newer = sorted((other, new), key=lambda memory: (memory.happened_at, memory is new))
        verdict = compare(older.text, newer.text)
        if verdict == "update" and older.happened_at < newer.happened_at:
            found.append(Clash(kind="supersedes", newer=newer, older=older, why="the same thing has another value"))
        elif verdict in ("update", "contradiction"):
            found.append(Clash(kind="contradicts", newer=newer, older=older, why="both can't hold at one time"))
    return found


def temporal(turns: Sequence[Memory]) -> list[Link]:
    """Each turn leads to the next."""
    ordered = sorted(turns, key=lambda memory: memory.turn or 0)
    return [
        Link(a=one.id, b=other.id, kind="temporal", weight=TEMPORAL_WEIGHT, created_at=other.created_at)
        for one, other in zip(ordered, ordered[1:], strict=False)
        if (other.turn or 0) == (one.turn or 0) + 1
    ]


def sources(memories: Sequence[Memory]) -> list[Link]:
    """A fact extends the turn it was taken from."""
    turns = {memory.turn: memory for memory in memories if memory.granularity == "turn"}
    return [
        Link(a=fact.id, b=turns[fact.turn].id, kind="extends", weight=SOURCE_WEIGHT, created_at=fact.created_at)
        for fact in memories
        if fact.granularity == "fact" and fact.merged_into is None and fact.turn in turns
    ]


def similar(new: Memory, found: Iterable[tuple[Memory, float]]) -> list[Link]:
    """To the nearest few that say something like it."""
    nearest = sorted(found, key=lambda pair: (-pair[1], pair[0].id))[:MOST_SIMILAR]
    return [
        Link(a=new.id, b=other.id, kind="similar", weight=min(1.0, cosine), created_at=new.created_at)
        for other, cosine in nearest
    ]
