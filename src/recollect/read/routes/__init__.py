"""Routes propose memories. Each route searches in its own way and returns a ranked list."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import neg

from ...explanation import Explanation
from ...types import Ranking

SIGNAL_DEPTH = 10
"""Signals are computed from the first ten of a route, whatever the limit."""
BACKGROUND_DEPTH = 100
"""The memories from there up to this rank show how close unrelated memories are to the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighted:
    """What one route found, and its signals about whether the answer is in memory."""

    sightings: Ranking = field(default_factory=lambda: Ranking("", ""))
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


def ranked(
    route: str,
    name: str,
    ids: Iterable[str],
    values: Sequence[float],
    limit: int,
    raw: Callable[[int], Explanation] | None = None,
) -> Ranking:
    """The best up to the limit, best first; ties are ordered by id. `raw` explains the n-th of the values."""
    best = sorted(zip(map(neg, values), ids, range(len(values)), strict=True))[:limit]
    chosen = [memory_id for _, memory_id, _ in best]
    at = [n for _, _, n in best]
    return Ranking(route, name, chosen, [values[n] for n in at], raw and (lambda place: raw(at[place])))
