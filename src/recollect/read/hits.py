"""Hits, as a recall returns them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..types import Candidate, Hit, Memory
from .routes import Sighted


def hits(pool: Sequence[Candidate], beside: Mapping[str, Sequence[Memory]]) -> tuple[Hit, ...]:
    """One hit for each candidate, in the same order. `beside` holds the turns to show with each, by its id."""
    return tuple(
        Hit(
            memory=c.memory,
            explanation=c.score,
            routes=_ranks(c),
            neighbours=tuple(beside.get(c.memory.id, ())),
            earlier_than=c.earlier_than,
            parts=tuple(Hit(memory=p.memory, explanation=p.score, routes=_ranks(p)) for p in c.parts),
        )
        for c in pool
    )


def why_empty(seen: Mapping[str, Sighted]) -> str:
    """What to say when there is no hit, with what the routes noted."""
    notes = [f"{name}: {found.note}" for name, found in seen.items() if found.note and found.of_all]
    return "nothing found" + (f" ({'; '.join(notes)})" if notes else "")


def _ranks(candidate: Candidate) -> dict[str, int]:
    return {s.route: s.rank for s in sorted(candidate.sightings, key=lambda s: s.route)}
