"""Memories that contradict each other do not both win."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime

from ..explanation import Explanation
from ..recipes.recipe import Contradiction, Recency
from ..types import Candidate, Memory, Neighbourhood
from .fuse import best_first
from .rank import recency


def resolve(
    candidates: Sequence[Candidate], how: Contradiction, around: Neighbourhood, at: datetime
) -> list[Candidate]:
    """Of each contradicting pair among the candidates, the weaker one's score is multiplied."""
    held = {c.memory.id: c for c in candidates}
    for link in around.links:
        if link.kind == "contradicts" and link.a in held and link.b in held:
            loser, winner = sorted((held[link.a], held[link.b]), key=lambda c: (vigour(c.memory, how, at), c.memory.id))
            held[loser.memory.id] = loser.scored(_weakened(loser, winner, how))
    return best_first(held.values())


def vigour(memory: Memory, how: Contradiction, at: datetime) -> float:
    """strength × confidence × recency."""
    age = Recency(since="touched", rate_per_day=how.rate_per_day)
    return math.prod((memory.strength, memory.confidence, recency(memory, age, at).value))


def _weakened(loser: Candidate, winner: Candidate, how: Contradiction) -> Explanation:
    return Explanation(
        "score",
        loser.score.value * how.multiplier,
        f"uncontested * {how.multiplier!r}",
        (loser.score.named("uncontested"),),
        note=f"contradicted by {winner.memory.id}, which is stronger",
    )
