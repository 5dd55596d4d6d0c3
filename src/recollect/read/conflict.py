"""Lowers the weaker of two memories that contradict each other."""

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
    """Multiplies the score of the weaker memory of each contradicting pair, and of partly outdated memories."""
    held = {c.memory.id: c for c in candidates}
    for link in around.links:
        if link.a not in held or link.b not in held:
            continue
        newer, older = held[link.a], held[link.b]
        if link.kind == "contradicts":
            loser, winner = sorted((newer, older), key=lambda c: (vigour(c.memory, how, at), c.memory.id))
            why = f"contradicted by {winner.memory.id}, which is stronger"
            held[loser.memory.id] = loser.scored(_weakened(loser, how.multiplier, why))
        elif link.kind == "supersedes" and how.superseded_multiplier < 1 and older.memory.status == "active":
            why = f"{newer.memory.id} replaces something it says"
            held[link.b] = older.scored(_weakened(older, how.superseded_multiplier, why))
    return best_first(held.values())


def vigour(memory: Memory, how: Contradiction, at: datetime) -> float:
    """strength × confidence × recency."""
    age = Recency(since="touched", rate_per_day=how.rate_per_day)
    return math.prod((memory.strength, memory.confidence, recency(memory, age, at).value))


def _weakened(loser: Candidate, by: float, why: str) -> Explanation:
    return Explanation(
        "score", loser.score.value * by, f"uncontested * {by!r}", (loser.score.named("uncontested"),), note=why
    )
