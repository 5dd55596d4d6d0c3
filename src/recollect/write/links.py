"""How is a new memory related to the stored ones? Pure: decides on values and gives the reason."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from ..types import CORRECTS, RETRACTS, Change, Event, Link, Memory
from .stamp import Stamp

TEMPORAL_WEIGHT = 0.3
SOURCE_WEIGHT = 0.5


MOST_TIED = 8
"""A statement is compared with at most this many others of the same moment."""
_MOST_YEARS = 1
"""A change that happened so many years before the older statement was made is history, not news."""
_YEAR = re.compile(r"\b(?:in|since|of) (?:\w+ )?(?P<year>(?:19|20)\d\d)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """Two statements that can't both hold now."""

    kind: Literal["supersedes", "contradicts"]
    newer: Memory
    older: Memory
    corrects: bool = False
    """Whether the newer one refers to the older one: "make that $150,000"."""

    @property
    def why(self) -> str:
        """The reason without the values: the log holds no text. `history` adds them."""
        if self.corrects:
            return "a later message says that it is wrong" if _retracts(self.newer) else "a later message corrects it"
        return "the same thing has another value" if self.kind == "supersedes" else "both can't hold at one time"


def clashes(new: Memory, held: Iterable[Memory]) -> list[Clash]:
    """The stored statements that a new one supersedes or contradicts, and those that supersede it.

    `held` has the latest first. Of the statements of the same moment, at most one is contradicted: n of them make n − 1
    links, not n².
    """
    found: list[Clash] = []
    tied = 0
    for other in held:
        if tie := not _is_ordered(other, new):
            tied += 1
        if tie and (tied > MOST_TIED or any(clash.kind == "contradicts" for clash in found)):
            continue
        if _are_apart(other, new) and (clash := _clash(other, new, tie)):
            found.append(clash)
    return found


def _clash(other: Memory, new: Memory, tie: bool) -> Clash | None:
    from ..extractors.judgement import judge

    older, newer = (other, new) if tie else sorted((other, new), key=order)
    if not tie and _is_corrected(older, newer):
        return Clash(kind="supersedes", newer=newer, older=older, corrects=True)
    verdict = judge(words_of(older), words_of(newer))
    if verdict not in ("newer value", "contradiction") or _is_history(newer, older):
        return None
    supersedes = verdict == "newer value" and not tie
    return Clash(kind="supersedes" if supersedes else "contradicts", newer=newer, older=older)


def _is_corrected(older: Memory, newer: Memory) -> bool:
    from ..extractors.corrections import says

    wanted = newer.metadata.get(CORRECTS)
    return isinstance(wanted, str) and says(words_of(older), wanted)


def _retracts(memory: Memory) -> bool:
    return RETRACTS in memory.metadata


def words_of(memory: Memory) -> str:
    """The text without the speaker's name."""
    return memory.text.removeprefix(f"{memory.role}: ")


def order(memory: Memory) -> tuple[datetime, int, str]:
    """The order in which statements were made. "I moved here last year", said today, was made today."""
    return memory.told_at, memory.turn or 0, memory.id


def _is_ordered(one: Memory, other: Memory) -> bool:
    """Whether it is known which was said first: at another moment, or later in the same conversation."""
    if one.told_at != other.told_at:
        return True
    return one.session_id is not None and (one.namespace, one.session_id) == (other.namespace, other.session_id)


def _are_apart(one: Memory, other: Memory) -> bool:
    """Whether one may replace the other. Within one message, only a statement that says that something changed does:
    the lines of a list are no contradictions."""
    if one.message is None or one.message != other.message:
        return True
    from ..extractors.judgement import says_change

    return says_change(max(one, other, key=order).text)


def _is_history(newer: Memory, older: Memory) -> bool:
    """Whether the newer statement tells of a year long before the older one was made: "I moved to Lyon in 2010"."""
    years = [int(match["year"]) for match in _YEAR.finditer(newer.text)]
    return bool(years) and max(years) < older.told_at.year - _MOST_YEARS


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
