"""Scores the best candidates by what a reader says of the question and each of them, and by which is newer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime

from ..explanation import Explanation
from ..readers.protocol import Passage, Reading, Readings
from ..recipes.recipe import Read
from ..text.alike import MOST_CHARS, Relation, relation
from ..text.excerpt import excerpt
from ..text.moments import add_days
from ..types import CORRECTS, Candidate, Memory, Neighbourhood, Query, Signals
from .fuse import best_first

MOST_LOG_ODDS = 10.0
LEAST_SURE, MOST_SURER = -8.0, 4.0
"""Log-odds of a speaker who says nothing, and how much of a difference counts."""
STANDING_AS_LOG_ODDS = 2.0
LEAST_STANDING = 0.05
ASKS_FOR_THE_PRESENT = 0.5
SLACK_DAYS = 1.0


@dataclass(frozen=True, slots=True)
class Told:
    """A memory that was read."""

    memory: Memory
    reading: Reading
    standing: float = 1.0
    key: str = ""
    """Names the message that was read."""

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


def chosen(candidates: Sequence[Candidate], how: Read, moment: datetime) -> list[Candidate]:
    """The candidates to read, best first: one for each message, the most complete. What was told after the moment that
    is asked for is no answer, and nothing that it replaces; it is read only if there is nothing else."""
    found: dict[str, Candidate] = {}
    told = [candidate for candidate in candidates if candidate.memory.learned_at <= add_days(moment, SLACK_DAYS)]
    for candidate in told or candidates:
        key = _key(candidate)
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
    return [Told(c.memory, reading, c.standing, _key(c)) for c, reading in zip(candidates, readings.each, strict=True)]


def rescored(
    candidates: Sequence[Candidate], told: Sequence[Told], how: Read, query: Query, current: float
) -> list[Candidate]:
    """All candidates with their new scores, best first. `current`: the log-odds that the question asks for the present
    state."""
    by_key = {each.key: each for each in told}
    places = {key: n for n, key in enumerate(dict.fromkeys(map(_key, candidates)), start=1)}
    asked = _current(current, how, query)
    return best_first(_rescored(each, by_key, how, query, [_place(places[_key(each)]), asked]) for each in candidates)


def _current(log_odds: float, how: Read, query: Query) -> Explanation:
    """How far the newest statement is meant."""
    sure = _probability(log_odds)
    if query.means_last_date and sure < how.newer_date:
        return Explanation("current", how.newer_date, note="the question asks for a date or time")
    return Explanation("current", sure, note="that the question asks for the present state")


def _place(number: int) -> Explanation:
    return Explanation("place", math.log(number), note=f"the logarithm of {number}, its place before reading")


def signals(routes: Signals, told: Sequence[Told], among: float, speakers: Set[str] = frozenset()) -> Signals:
    """The signals of the routes, with those of the reader. `told` comes in the order of the ranking before. `speakers`
    are those whom the question names."""
    odds = [math.exp(min(each.sure, MOST_LOG_ODDS)) for each in told]
    return replace(
        routes,
        read=max(each.sure for each in told),
        read_mean=math.log(sum(odds) / len(odds)),
        read_first=told[0].sure,
        read_among=among,
        read_speaker=_surer(told, *speakers) if len(speakers) == 1 else None,
        read_count=len(told),
    )


def _surer(told: Sequence[Told], speaker: str) -> float:
    """How much surer the best of this speaker's statements is to answer than the best of the others'."""
    own, others = (
        max((each.reading.answers for each in told if (each.memory.role == speaker) is own), default=LEAST_SURE)
        for own in (True, False)
    )
    return max(-MOST_SURER, min(MOST_SURER, own - others))


def _key(candidate: Candidate) -> str:
    return candidate.message or candidate.memory.id


def _rescored(
    candidate: Candidate, told: Mapping[str, Told], how: Read, query: Query, more: Sequence[Explanation]
) -> Candidate:
    own, (place, current) = told.get(_key(candidate)), more
    ranked = candidate.score.named("ranked")
    if own is None:
        return candidate.scored(_score([Explanation("reader", how.unread, note="not read"), ranked, place], how))
    reader = Explanation("reader", own.reading.answers, note=f"{_probability(own.reading.answers):.2f} that it answers")
    name, rivals = _rivals(own, told.values(), query)
    other, alike = _surest(rivals), _alike(own, rivals, query) if how.alike else None
    against = [] if other is None else [Explanation(name, other.concerns, note=f"{other.memory.id} is {name}")]
    against += [current] if name == "newer" and other else []
    against += [Explanation("alike", 1.0, note=f"{alike.memory.id} says the like and is {name}")] if alike else []
    meant = _meant(own, told.values(), query) if how.not_meant else None
    against += (
        [Explanation("not_meant", 1.0, note=f"the question names what only {meant.memory.id} has")] if meant else []
    )
    scored = candidate.scored(_score([reader, ranked, place, *against], how))._replace(earlier_than=None)
    if query.about_the_past:
        return scored
    if other is not None and min(other.concerns, own.concerns) >= how.earlier and current.value >= ASKS_FOR_THE_PRESENT:
        return scored._replace(earlier_than=other.memory.id)
    return scored._replace(earlier_than=alike.memory.id) if alike else scored


def _rivals(own: Told, told: Iterable[Told], query: Query) -> tuple[str, list[Told]]:
    """The other statements that speak against this one: newer ones, since the newest value holds. Not those about
    another thing.

    For a question about the past they are older ones. If the question names the past time, they are those told until
    then. A question for a date or time means the last one that was told.
    """
    until = query.past_moment
    if query.about_the_past and not query.means_last_date and (until is None or own.at > until):
        name, others = "older", [each for each in told if each.at < own.at]
    else:
        name, others = "newer", [each for each in told if each.at > own.at and (until is None or each.at <= until)]
    return name, [e for e in others if _relation(own, e, query) != "other thing"]


def _alike(own: Told, rivals: Iterable[Told], query: Query) -> Told | None:
    """The rival that gives another value of the same thing."""
    alike = (each for each in rivals if _relation(own, each, query) == "alike")
    return max(alike, key=lambda each: (each.at, each.memory.id), default=None)


def _meant(own: Told, told: Iterable[Told], query: Query) -> Told | None:
    """The statement of the same form that the question means instead of this one."""
    return next((e for e in told if _relation(e, own, query) == "other thing"), None)


def _relation(own: Told, other: Told, query: Query) -> Relation | None:
    """By their words. A statement and its correction are always about the same thing."""
    if _corrects(other, own):
        return "alike"
    return None if _corrects(own, other) else relation(own.memory.text, other.memory.text, query.text)


def _corrects(newer: Told, older: Told) -> bool:
    new, old = newer.memory, older.memory
    if newer.at <= older.at or new.role != old.role or max(len(new.text), len(old.text)) > MOST_CHARS:
        return False
    from ..extractors.admitting import names_again  # its patterns take time to compile

    return names_again(new.text, old.text)


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
    for name, weight in (("alike", how.alike), ("not_meant", how.not_meant)):
        if name in held:
            log_odds -= weight * held[name]
            formula += f" - {weight!r} * {name}"
    note = next(part.note for part in parts if part.name == "ranked")
    return Explanation("score", _probability(log_odds), f"1 / (1 + exp(-({formula})))", tuple(parts), note=note)


def _probability(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds))
