"""A question that compares ("A or B?") is also searched for each of its sides, and one with topics for each topic.

One vector for "A or B?" matches neither A nor B, so each side is searched on its own and the results are merged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from ..types import Candidate, Neighbourhood, Signals
from . import fuse
from .routes import Sighted


@dataclass(frozen=True, slots=True)
class Found:
    """What the stages up to `conflict` found for a question, or for one side of it."""

    seen: dict[str, Sighted]
    """What each route saw, by its name."""
    pool: list[Candidate]
    """Ranked, best first."""
    around: Neighbourhood
    signals: Signals
    firsts: frozenset[str] = frozenset()
    """The best memory of each side. They are kept, so that one side's many memories can't displace the other's."""
    topics: tuple[Signals | None, ...] = ()
    """The signals of each topic, if the question has several; None for a topic with no candidates."""


def of_side(found: Found, side: str) -> Found:
    """The same candidates; their explanations name the side they were found for."""
    return replace(found, pool=[c.scored(c.score.noted(f"asked for: {side}")) for c in found.pool])


def merge(whole: Found, sides: Sequence[Found]) -> Found:
    """A memory keeps its best score. The evidence is that of the side that is known least."""
    return _merged(whole, sides, _least_known(whole.signals, sides))


def merge_topics(whole: Found, topics: Sequence[Found], *, apart: bool) -> Found:
    """A memory keeps its best score. How sure the question is counts over its topics, see `reject.confidence_of`; a
    code that occurs nowhere refuses it only if every topic names one.

    `apart`: the topics are questions that need nothing of each other. Then the whole one scores only what none of them
    found: "where do I live now, and where did I work before?" asks about two times.
    """
    unknown = whole.signals.unknown_codes if all(topic.signals.unknown_codes for topic in topics) else ()
    if apart:
        scored = {candidate.memory.id for topic in topics for candidate in topic.pool}
        whole = replace(whole, pool=[each for each in whole.pool if each.memory.id not in scored])
    merged = _merged(whole, topics, replace(whole.signals, unknown_codes=unknown))
    return replace(merged, topics=tuple(topic.signals if topic.pool else None for topic in topics))


def _merged(whole: Found, sides: Sequence[Found], signals: Signals) -> Found:
    best: dict[str, Candidate] = {}
    for candidate in chain(whole.pool, *(side.pool for side in sides)):
        held = best.setdefault(candidate.memory.id, candidate)
        if candidate.score.value > held.score.value:
            best[candidate.memory.id] = candidate
    vectors = {id: vector for found in (whole, *sides) for id, vector in found.around.vectors.items()}
    return Found(
        whole.seen,
        fuse.best_first(best.values()),
        replace(whole.around, vectors=vectors),
        signals,
        frozenset(side.pool[0].memory.id for side in sides if side.pool),
    )


def _least_known(whole: Signals, sides: Sequence[Found]) -> Signals:
    known = [side.signals.evidence or 0.0 for side in sides]
    return whole if whole.evidence is None else replace(whole, evidence=min(known))
