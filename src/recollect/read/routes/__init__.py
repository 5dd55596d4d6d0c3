"""Routes propose memories. Each route searches in its own way and returns a ranked list."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ...explanation import Explanation
from ...types import Sighting

SIGNAL_DEPTH = 10
"""Signals are computed from the first ten of a route, whatever the limit."""
BACKGROUND_DEPTH = 100
"""The memories from there up to this rank show how close unrelated memories are to the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighted:
    """What one route found, and its signals about whether the answer is in memory."""

    sightings: tuple[Sighting, ...] = ()
    coverage: float = 0.0
    share: Callable[[str], float] | None = None
    """The share of the question's words that a memory holds, by id. None for routes that do not use words."""
    support: float = 0.0
    """Coverage over the words that occur in memory at all. It weights the ranking of a lexical route."""
    keyword_match: bool = False
    known: frozenset[str] | None = None
    """The terms of the question that occur in some memory. None for routes that do not use words."""
    top_similarity: float | None = None
    background: float | None = None
    of_all: bool = True
    """Whether it searched all memories that the filter admits. Signals only use such routes."""
    note: str = ""


def ranked(route: str, found: Iterable[tuple[str, Explanation]], limit: int) -> tuple[Sighting, ...]:
    """The best up to the limit, best first; ties are ordered by id."""
    best = sorted(found, key=lambda pair: (-pair[1].value, pair[0]))[:limit]
    return tuple(Sighting(memory_id, route, rank, raw) for rank, (memory_id, raw) in enumerate(best, start=1))
