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


def of_side(found: Found, side: str) -> Found:
    """The same candidates; their explanations name the side they were found for."""
    return replace(found, pool=[c.scored(c.score.noted(f"asked for: {side}")) for c in found.pool])


def merge(whole: Found, sides: Sequence[Found]) -> Found:
    """A memory keeps its best score. The evidence is that of the side that is known least."""
    return _merged(whole, sides, _least_known(whole.signals, sides))


def merge_topics(whole: Found, topics: Sequence[Found]) -> Found:
    """A memory keeps its best score. The signals stay those of the whole question: a short topic finds something near
    it in every store, so the best topic would answer questions that have no answer."""
    return _merged(whole, topics, whole.signals)


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
