"""Routes propose memories: each sees some, in an order of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ...explanation import Explanation
from ...types import Sighting

SIGNAL_DEPTH = 10
"""What a route says about its certainty rests on its first ten, however many were asked for."""
BACKGROUND_DEPTH = 100
"""What comes after them, up to here, shows how near unrelated memories are to this question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighted:
    """What one route saw, and what it can say about whether the answer is there."""

    sightings: tuple[Sighting, ...] = ()
    coverage: float = 0.0
    share: Callable[[str], float] | None = None
    """How much of the question's words a memory holds, by its id; None of a route that does not look at words."""
    support: float = 0.0
    """Coverage of those words that some memory holds: how much the order of a lexical route is worth."""
    keyword_match: bool = False
    top_similarity: float | None = None
    background: float | None = None
    of_all: bool = True
    """Whether it looked at all memories that the question admits: what only some of them say is no sign."""
    note: str = ""


def ranked(route: str, found: Iterable[tuple[str, Explanation]], limit: int) -> tuple[Sighting, ...]:
    """Best first, ties by id, cut at the limit."""
    best = sorted(found, key=lambda pair: (-pair[1].value, pair[0]))[:limit]
    return tuple(Sighting(memory_id, route, rank, raw) for rank, (memory_id, raw) in enumerate(best, start=1))
