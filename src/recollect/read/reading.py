"""Scores the best candidates by what a reader says of the question and each of them, and by which is newer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ..explanation import Explanation
from ..readers.protocol import Passage, Reading
from ..recipes.recipe import Read
from ..text.excerpt import excerpt
from ..types import Candidate, Memory, Query, Signals
from .fuse import best_first

SAME_TIME = timedelta(hours=12)
"""Neither of two statements that are closer in time is an update of the other."""
MOST_LOG_ODDS = 10.0


@dataclass(frozen=True, slots=True)
class Told:
    """A memory that was read."""

    memory: Memory
    reading: Reading

    @property
    def at(self) -> datetime:
        return self.memory.told_at

    @property
    def concerns(self) -> float:
        """The probability that it gives a value for what the question asks, of any time."""
        return _probability(self.reading.concerns)


def chosen(candidates: Sequence[Candidate], how: Read) -> list[Memory]:
    """The memories to read, best first: one for each message, the message itself rather than a fact cut from it."""
    found: dict[str, Memory] = {}
    for memory in (candidate.memory for candidate in candidates):
        held = found.get(_key(memory))
        if (held is None and len(found) < how.candidates) or (
            held is not None and held.granularity == "fact" and memory.granularity == "turn"
        ):
            found[_key(memory)] = memory
    return list(found.values())


def passages(memories: Iterable[Memory], query: Query, how: Read) -> list[Passage]:
    """The memories as a reader sees them."""
    return [
        Passage(text=excerpt(m.text, query.content, how.most_chars), speaker=m.role or "user", said_at=m.told_at)
        for m in memories
    ]


def rescored(candidates: Sequence[Candidate], told: Sequence[Told], how: Read, query: Query) -> list[Candidate]:
    """All candidates with their new scores, best first."""
    by_key = {_key(each.memory): each for each in told}
    return best_first(_rescored(candidate, by_key, how, query) for candidate in candidates)


def signals(routes: Signals, readings: Sequence[Reading]) -> Signals:
    """The signals of the routes, with those of the reader. `readings` come in the order of the ranking before."""
    answers = sorted((reading.answers for reading in readings), reverse=True)
    return replace(
        routes,
        read=answers[0],
        read_next=answers[min(1, len(answers) - 1)],
        read_total=math.log(sum(math.exp(min(each, MOST_LOG_ODDS)) for each in answers)),
        read_first=readings[0].answers,
        concerns=max(reading.concerns for reading in readings),
    )


def _key(memory: Memory) -> str:
    return memory.message or memory.id


def _rescored(candidate: Candidate, told: Mapping[str, Told], how: Read, query: Query) -> Candidate:
    own = told.get(_key(candidate.memory))
    if own is None:
        return candidate.scored(_score(candidate.score, Explanation("reader", how.unread, note="not read"), None, how))
    reader = Explanation("reader", own.reading.answers, note=f"{_probability(own.reading.answers):.2f} that it answers")
    name, other = _rival(own, told.values(), query)
    part = None if other is None else Explanation(name, other.concerns, note=f"{other.memory.id} is {name}")
    scored = candidate.scored(_score(candidate.score, reader, part, how))
    if other is None or query.about_the_past or min(other.concerns, own.concerns) < how.earlier:
        return scored
    return replace(scored, earlier_than=other.memory.id)


def _rival(own: Told, told: Iterable[Told], query: Query) -> tuple[str, Told | None]:
    """The other statement that speaks against this one: a newer one, since the newest value holds.

    For a question about the past it is an older one. If the question names the past time, it is the newest told
    until then.
    """
    until = query.past_moment
    if query.about_the_past and (until is None or own.at > until):
        return "older", _surest(each for each in told if own.at - each.at > SAME_TIME)
    return "newer", _surest(
        each for each in told if each.at - own.at > SAME_TIME and (until is None or each.at <= until)
    )


def _surest(told: Iterable[Told]) -> Told | None:
    """The one that most surely gives a value for what the question asks."""
    return max(told, key=lambda each: (each.concerns, each.memory.id), default=None)


def _score(ranked: Explanation, reader: Explanation, time: Explanation | None, how: Read) -> Explanation:
    log_odds = how.bias + how.answers * reader.value + how.ranked * ranked.value
    formula = f"{how.bias!r} + {how.answers!r} * reader + {how.ranked!r} * ranked"
    parts = [reader, ranked.named("ranked")]
    if time is not None:
        weight = how.newer if time.name == "newer" else how.older
        log_odds -= weight * time.value
        formula += f" - {weight!r} * {time.name}"
        parts.append(time)
    return Explanation("score", _probability(log_odds), f"1 / (1 + exp(-({formula})))", tuple(parts))


def _probability(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds))
