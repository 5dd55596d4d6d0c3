"""Lowers the weaker of two memories that contradict each other, and what says something that was replaced."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from ..explanation import Explanation
from ..recipes.recipe import Contradiction, Recency
from ..types import Candidate, Memory, Neighbourhood
from .fuse import best_first
from .rank import recency


def resolve(
    candidates: Sequence[Candidate], how: Contradiction, around: Neighbourhood, at: datetime
) -> list[Candidate]:
    """Multiplies the score of the weaker memory of each contradicting pair, and of partly outdated memories if the
    question is about the outdated part."""
    held = {c.memory.id: c for c in candidates}
    for outdated, newer in _outdated(held, how, around):
        why = f"{newer} replaces something it says"
        held[outdated] = held[outdated].scored(_weakened(held[outdated], how.superseded_multiplier, why))
    for link in around.links:
        if link.kind == "contradicts" and link.a in held and link.b in held:
            pair = held[link.a], held[link.b]
            loser, winner = sorted(pair, key=lambda c: (vigour(c.memory, how, at), c.memory.id))
            why = f"contradicted by {winner.memory.id}, which is stronger"
            held[loser.memory.id] = loser.scored(_weakened(loser, how.multiplier, why))
    return best_first(held.values())


def _outdated(held: Mapping[str, Candidate], how: Contradiction, around: Neighbourhood) -> Iterator[tuple[str, str]]:
    """Each active candidate of which something was replaced, with the newer one, if that one is relevant too. What was
    taken from the same message goes with it: it was found for what the message says as a whole."""
    lowered: set[str] = set()
    for link in around.links:
        if link.kind != "supersedes" or link.a not in held or link.b not in held or how.superseded_multiplier == 1:
            continue
        newer, older = held[link.a], held[link.b]
        if older.memory.status != "active" or newer.score.value < how.superseded_relevance * older.score.value:
            continue
        for each in _of_one_message(older.memory, held) - _of_one_message(newer.memory, held) - lowered:
            lowered.add(each)
            yield each, link.a


def _of_one_message(memory: Memory, held: Mapping[str, Candidate]) -> set[str]:
    """The active candidates of the memory's message, and the memory itself."""
    beside = {id for id, c in held.items() if memory.message and c.memory.message == memory.message}
    return {memory.id} | {id for id in beside if held[id].memory.status == "active"}


def vigour(memory: Memory, how: Contradiction, at: datetime) -> float:
    """strength × confidence × recency."""
    age = Recency(since="touched", rate_per_day=how.rate_per_day)
    return math.prod((memory.strength, memory.confidence, recency(memory, age, at).value))


def _weakened(loser: Candidate, by: float, why: str) -> Explanation:
    return Explanation(
        "score", loser.score.value * by, f"uncontested * {by!r}", (loser.score.named("uncontested"),), note=why
    )
