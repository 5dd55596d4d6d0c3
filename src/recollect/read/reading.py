"""Scores the best candidates by what a reader says of the question and each of them, and by which is newer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ..explanation import Explanation
from ..readers.protocol import Passage, Reading, Readings
from ..recipes.recipe import Read
from ..text.excerpt import excerpt
from ..types import CORRECTS, Candidate, Memory, Neighbourhood, Query, Signals
from .fuse import best_first

MOST_LOG_ODDS = 10.0
STANDING_AS_LOG_ODDS = 2.0
LEAST_STANDING = 0.05


@dataclass(frozen=True, slots=True)
class Told:
    """A memory that was read."""

    memory: Memory
    reading: Reading
    standing: float = 1.0

    @property
    def sure(self) -> float:
        """The log-odds that it answers, lowered by its standing: what another speaker said, or what no longer holds,
        is weaker evidence."""
        return self.reading.answers + STANDING_AS_LOG_ODDS * math.log(max(self.standing, LEAST_STANDING))

    @property
    def at(self) -> datetime:
        return self.memory.told_at

    @property
    def concerns(self) -> float:
        """The probability that it gives a value for what the question asks, of any time."""
        return _probability(self.reading.concerns)


def chosen(candidates: Sequence[Candidate], how: Read) -> list[Candidate]:
    """The candidates to read, best first: one for each message, the most complete."""
    found: dict[str, Candidate] = {}
    for candidate in candidates:
        key = _key(candidate.memory)
        if key not in found and len(found) == how.candidates:
            continue
        if key not in found or _completeness(candidate.memory) > _completeness(found[key].memory):
            found[key] = candidate
    return list(found.values())


def _completeness(memory: Memory) -> int:
    """A message says more than a fact cut from it. A correction ("make that six") says less than the fact that it was
    completed to."""
    if CORRECTS in memory.metadata:
        return 2
    return int(memory.granularity != "fact")


def passages(candidates: Iterable[Candidate], query: Query, how: Read, around: Neighbourhood) -> list[Passage]:
    """The candidates as a reader sees them."""
    return [
        Passage(
            text=excerpt(candidate.memory.text, query.content, how.most_chars),
            speaker=candidate.memory.role or "user",
            said_at=candidate.memory.told_at,
            before=_before(candidate.memory, around),
            ranked=candidate.score.value,
            standing=candidate.standing,
        )
        for candidate in candidates
    ]


def _before(memory: Memory, around: Neighbourhood) -> str:
    """The text of the turn just before it."""
    beside = around.beside.get(memory.id, ())
    return next((each.text for each in beside if (each.turn or 0) == (memory.turn or 0) - 1), "")


def told(candidates: Sequence[Candidate], readings: Readings) -> list[Told]:
    """The candidates with what the reader says of them."""
    return [Told(c.memory, reading, c.standing) for c, reading in zip(candidates, readings.each, strict=True)]


def rescored(
    candidates: Sequence[Candidate], told: Sequence[Told], how: Read, query: Query, current: float
) -> list[Candidate]:
    """All candidates with their new scores, best first. `current`: the log-odds that the question asks for the present
    state."""
    by_key = {_key(each.memory): each for each in told}
    places = {key: n for n, key in enumerate(dict.fromkeys(_key(each.memory) for each in candidates), start=1)}
    asked = Explanation("current", _probability(current), note="that the question asks for the present state")
    return best_first(
        _rescored(each, by_key, how, query, [_place(places[_key(each.memory)]), asked]) for each in candidates
    )


def _place(number: int) -> Explanation:
    return Explanation("place", math.log(number), note=f"the logarithm of {number}, its place before reading")


def signals(routes: Signals, told: Sequence[Told], among: float) -> Signals:
    """The signals of the routes, with those of the reader. `told` comes in the order of the ranking before."""
    odds = [math.exp(min(each.sure, MOST_LOG_ODDS)) for each in told]
    return replace(
        routes,
        read=max(each.sure for each in told),
        read_mean=math.log(sum(odds) / len(odds)),
        read_first=told[0].sure,
        read_among=among,
        read_count=len(told),
    )


def _key(memory: Memory) -> str:
    return memory.message or memory.id


def _rescored(
    candidate: Candidate, told: Mapping[str, Told], how: Read, query: Query, more: Sequence[Explanation]
) -> Candidate:
    own, (place, current) = told.get(_key(candidate.memory)), more
    ranked = candidate.score.named("ranked")
    if own is None:
        return candidate.scored(_score([Explanation("reader", how.unread, note="not read"), ranked, place], how))
    reader = Explanation("reader", own.reading.answers, note=f"{_probability(own.reading.answers):.2f} that it answers")
    name, other = _rival(own, told.values(), query)
    against = [] if other is None else [Explanation(name, other.concerns, note=f"{other.memory.id} is {name}")]
    against += [current] if name == "newer" and other else []
    scored = candidate.scored(_score([reader, ranked, place, *against], how))
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
        return "older", _surest(each for each in told if each.at < own.at)
    return "newer", _surest(each for each in told if each.at > own.at and (until is None or each.at <= until))


def _surest(told: Iterable[Told]) -> Told | None:
    """The one that most surely gives a value for what the question asks."""
    return max(told, key=lambda each: (each.concerns, each.memory.id), default=None)


def _score(parts: Sequence[Explanation], how: Read) -> Explanation:
    held = {part.name: part.value for part in parts}
    log_odds = how.bias + how.answers * held["reader"] + how.ranked * held["ranked"] - how.place * held["place"]
    formula = f"{how.bias!r} + {how.answers!r} * reader + {how.ranked!r} * ranked - {how.place!r} * place"
    if "newer" in held:
        log_odds -= how.newer * held["newer"] * held["current"]
        formula += f" - {how.newer!r} * newer * current"
    if "older" in held:
        log_odds -= how.older * held["older"]
        formula += f" - {how.older!r} * older"
    note = next(part.note for part in parts if part.name == "ranked")
    return Explanation("score", _probability(log_odds), f"1 / (1 + exp(-({formula})))", tuple(parts), note=note)


def _probability(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds))
