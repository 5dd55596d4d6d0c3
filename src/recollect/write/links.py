"""How is a new memory related to the stored ones? Pure: decides on values and gives the reason."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from ..types import Change, Event, Link, Memory
from .stamp import Stamp

TEMPORAL_WEIGHT = 0.3
SOURCE_WEIGHT = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """Two statements that can't both hold now."""

    kind: Literal["supersedes", "contradicts"]
    newer: Memory
    older: Memory
    why: str


def clashes(new: Memory, held: Iterable[Memory]) -> list[Clash]:
    """The stored statements that a new one supersedes or contradicts. The later statement is the one that holds."""
    from ..extractors.updates import compare

    found = []
    for other in held:
        if other.id == new.id:
            continue
        older, newer = sorted((other, new), key=lambda memory: (said_at(memory), memory is new))
        verdict = compare(_words(older), _words(newer))
        if verdict == "update" and said_at(older) < said_at(newer):
            found.append(Clash(kind="supersedes", newer=newer, older=older, why="the same thing has another value"))
        elif verdict in ("update", "contradiction"):
            found.append(Clash(kind="contradicts", newer=newer, older=older, why="both can't hold at one time"))
    return found


def _words(memory: Memory) -> str:
    """The text without the speaker's name."""
    return memory.text.removeprefix(f"{memory.role}: ")


def said_at(memory: Memory) -> datetime:
    """When a statement began to hold. "I moved here last year", said today, holds from today."""
    return memory.valid_from or memory.happened_at


def temporal(turns: Sequence[Memory]) -> list[Link]:
    """A link from each turn to the next one."""
    ordered = sorted(turns, key=lambda memory: memory.turn or 0)
    return [
        Link(a=one.id, b=other.id, kind="temporal", weight=TEMPORAL_WEIGHT, created_at=other.created_at)
        for one, other in zip(ordered, ordered[1:], strict=False)
        if (other.turn or 0) == (one.turn or 0) + 1
    ]


def sources(turns: Iterable[Memory], facts: Iterable[tuple[Memory, Memory]]) -> list[Link]:
    """A link from each fact to the turn it was extracted from. A known fact is linked to the new turn as well.

    `facts` are pairs: the fact as stated, and the memory it is stored as.
    """
    by_number = {turn.turn: turn for turn in turns}
    ends = {
        (kept.id, by_number[stated.turn].id): stated.created_at
        for stated, kept in facts
        if stated.granularity == "fact" and stated.turn in by_number
    }
    return [
        Link(a=fact, b=turn, kind="extends", weight=SOURCE_WEIGHT, created_at=at) for (fact, turn), at in ends.items()
    ]


def linked(links: Sequence[Link], why: str, action: str, namespace: str, stamp: Stamp) -> Event:
    """The event of links that were set automatically."""
    touched = sorted({end for link in links for end in (link.a, link.b)})
    detail = {"linked": [[link.a, link.b, link.kind] for link in links], "why": why, "automatic": True}
    return stamp.event(action, namespace, [Change(memory_id=id, before={}) for id in touched], detail)
