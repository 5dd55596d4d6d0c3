"""Lowers the weaker of two memories that contradict each other, and what says something that was replaced."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from ..explanation import Explanation
from ..recipes.recipe import Contradiction, Recency
from ..types import CORRECTS, RETRACTS, Candidate, Memory, Neighbourhood
from .fuse import best_first
from .rank import recency

BESIDE = 2
"""A retraction refers to a correction at most so many messages away."""


def resolve(
    candidates: Sequence[Candidate], how: Contradiction, around: Neighbourhood, at: datetime
) -> list[Candidate]:
    """Multiplies the score of the weaker memory of each contradicting pair, and of partly outdated memories if the
    question is about the outdated part."""
    held = {c.memory.id: c for c in candidates}
    held |= _corrected(held, around)
    if how.superseded_multiplier < 1:
        held |= _corrections_first(held, how.superseded_multiplier)
    for outdated, newer in _outdated(held, how, around):
        why = f"{newer} replaces something it says"
        held[outdated] = _lowered(held[outdated], held[newer], how, why)
    for link in around.links:
        if link.kind == "contradicts" and link.a in held and link.b in held:
            pair = held[link.a], held[link.b]
            loser, winner = sorted(pair, key=lambda c: (vigour(c.memory, how, at), c.memory.id))
            why = f"contradicted by {winner.memory.id}, which is stronger"
            held[loser.memory.id] = loser.scored(_weakened(loser, how.multiplier, why))
    return best_first(held.values())


def correct(candidates: Sequence[Candidate], how: Contradiction, around: Neighbourhood) -> list[Candidate]:
    """The same for corrections alone, after a reader scored the candidates: it does not know which of them were
    corrected."""
    held = {c.memory.id: c for c in candidates}
    if how.superseded_multiplier == 1 or not any(map(_corrects, candidates)):
        return list(candidates)
    held |= _corrections_first(held, how.superseded_multiplier)
    for outdated, newer in list(_outdated(held, how, around)):
        if _corrects(held[newer]):
            why = f"{newer} corrects something it says"
            held[outdated] = _lowered(held[outdated], held[newer], how, why)
            held |= _read_together(held[outdated], held, how, why)
    return best_first(held.values())


def _read_together(
    outdated: Candidate, held: Mapping[str, Candidate], how: Contradiction, why: str
) -> dict[str, Candidate]:
    """The facts of a message of which another one was corrected. The reader found the answer in the message."""
    beside = [held[id] for id in _of_one_message(outdated.memory, held) - {outdated.memory.id}]
    facts = [each for each in beside if outdated.earlier_than and each.message == outdated.message]
    return {fact.memory.id: fact.scored(_weakened(fact, how.superseded_multiplier, why)) for fact in facts}


def _corrects(candidate: Candidate) -> bool:
    return candidate.is_corrected or CORRECTS in candidate.memory.metadata


def _corrected(held: Mapping[str, Candidate], around: Neighbourhood) -> dict[str, Candidate]:
    """The facts that were corrected: each replaces a part of the message that it was cut from."""
    links = (link for link in around.links if link.kind == "supersedes" and link.a in held and link.b in held)
    facts = [held[link.a] for link in links if _is_said_by(held[link.a].memory, held[link.b].memory)]
    return {fact.memory.id: fact._replace(is_corrected=True) for fact in facts}


def _lowered(outdated: Candidate, newer: Candidate, how: Contradiction, why: str) -> Candidate:
    """The outdated candidate with a lower score. It is marked if the newer one was corrected: nothing later was said,
    by which a reader could see it."""
    scored = outdated.scored(_weakened(outdated, how.superseded_multiplier, why))
    return scored._replace(earlier_than=newer.memory.id) if newer.is_corrected else scored


def _corrections_first(held: Mapping[str, Candidate], by: float) -> dict[str, Candidate]:
    """A completed correction takes the place of its message, which may quote the wrong value or name only the new one,
    and of a message next to it that only calls something wrong."""
    found: dict[str, Candidate] = {}
    for fact in held.values():
        if CORRECTS not in fact.memory.metadata or RETRACTS in fact.memory.metadata:
            continue
        for other in held.values():
            if _is_said_by(fact.memory, other.memory) or _is_beside(fact.memory, other.memory, held):
                why = f"{fact.memory.id} says what is right"
                found[other.memory.id] = other.scored(_weakened(other, by, why))
                found[fact.memory.id] = _raised(found.get(fact.memory.id, fact), other)
    return found


def _is_said_by(fact: Memory, turn: Memory) -> bool:
    return turn.granularity == "turn" and turn.message == fact.message


def _is_beside(fact: Memory, other: Memory, held: Mapping[str, Candidate]) -> bool:
    """Whether the other one, next to it in the same conversation, only says that something is wrong."""
    near = other.session_id == fact.session_id and 0 < abs((other.turn or 0) - (fact.turn or 0)) <= BESIDE
    if not near or other.granularity not in ("turn", "fact"):
        return False
    return any(RETRACTS in held[id].memory.metadata for id in _of_one_message(other, held))


def _raised(fact: Candidate, other: Candidate) -> Candidate:
    if other.score.value <= fact.score.value:
        return fact
    note = f"it says what is right, {other.memory.id} does not"
    return fact.scored(Explanation("score", other.score.value, "replaced", (other.score.named("replaced"),), note=note))


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
        for each in _what_goes(older, newer, held) - lowered:
            lowered.add(each)
            yield each, link.a


def _what_goes(older: Candidate, newer: Candidate, held: Mapping[str, Candidate]) -> set[str]:
    if newer.is_corrected:  # the other facts of the message stay right
        return {older.memory.id}
    return _of_one_message(older.memory, held) - _of_one_message(newer.memory, held)


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
