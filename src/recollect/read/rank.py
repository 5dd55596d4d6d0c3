"""Scores candidates: relevance, and what else is known of a memory (age, use, importance, status, speaker)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache, partial
from operator import attrgetter
from typing import TypeAlias

from ..explanation import Explanation
from ..recipes.recipe import (
    Factor,
    Factors,
    Frequency,
    FuturePenalty,
    KindBoost,
    MemoryFactor,
    QueryFactor,
    QuestionPenalty,
    Recency,
    Relevance,
    Role,
    SpeakerMatch,
    StatusPenalty,
    Stored,
    TierPenalty,
    TimeMatch,
    ZScoreSigmoid,
    type_name,
)
from ..text.analyze import analyze
from ..text.moments import add_days
from ..types import NAMELESS, Candidate, Memory, Query
from .fuse import best_first

_DAY_SECONDS = 86_400.0
_Value: TypeAlias = Callable[[Candidate], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The parts of a question that some factors use."""

    words: frozenset[str] = frozenset()
    """All words but those of a request, such as "can you"."""
    content: frozenset[str] = frozenset()
    """The words that are not stop-words."""
    spans: Sequence[tuple[datetime, datetime]] = ()
    past: bool = False
    """Whether it asks about the past, in words or with `as_of`: what was superseded since counts in full."""
    speakers: frozenset[str] = frozenset()
    """The speakers of candidates whom the question names."""

    @classmethod
    def of(cls, query: Query) -> Asked:
        past = query.about_the_past or query.filter.as_of is not None
        return cls(words=query.words, content=frozenset(query.content), spans=query.spans, past=past)

    def naming(self, candidates: Sequence[Candidate]) -> Asked:
        said = {c.memory.role for c in candidates if c.memory.role not in (None, *NAMELESS)}
        return replace(self, speakers=frozenset(who for who in said if who and _name(who) & self.content))


NOTHING = Asked()


def rank(candidates: Sequence[Candidate], factors: Factors, at: datetime, asked: Asked = NOTHING) -> list[Candidate]:
    """score = (Σ weight × factor) × Π multiplier, for all candidates. Returns them best first."""
    top = max((c.score.value for c in candidates), default=0.0)
    asked = asked.naming(candidates)
    added = [(weight(f), value_of(f, at, top, asked)) for f in factors.add]
    multiplied = [value_of(f, at, top, asked) for f in factors.multiply]
    counting = [n for n, f in enumerate(factors.multiply) if not isinstance(f, Stored)]
    formula, scored = _formula(factors), []
    for c in candidates:
        multipliers = [of(c) for of in multiplied]
        value = sum([share * of(c) for share, of in added]) * math.prod(multipliers)
        score = Explanation("score", value, formula, partial(_parts, c, factors, at, top, asked))
        standing = math.prod([multipliers[n] for n in counting])
        scored.append(Candidate(c.memory, c.sightings, score, c.parts, standing, c.earlier_than))
    return best_first(scored)


def _parts(candidate: Candidate, factors: Factors, at: datetime, top: float, asked: Asked) -> tuple[Explanation, ...]:
    return tuple(factor_of(candidate, factor, at, top, asked) for factor in (*factors.add, *factors.multiply))


def _formula(factors: Factors) -> str:
    added = " + ".join(f"{weight(f)!r} * {factor_name(f)}" for f in factors.add)
    names = [factor_name(f) for f in factors.multiply]
    return " * ".join([f"({added})", *names]) if names else added


def weight(factor: Factor) -> float:
    return getattr(factor, "weight", 1.0)


def factor_name(factor: Factor) -> str:
    match factor:
        case Stored():
            return factor.field
        case StatusPenalty():
            return "status"
        case TierPenalty():
            return "tier"
        case KindBoost():
            return "kind"
    return type_name(type(factor))


def value_of(factor: Factor, at: datetime, top: float, asked: Asked) -> _Value:
    """What a factor gives each candidate: the value of `factor_of`, without the explanation."""
    if isinstance(factor, Relevance) and factor.scale == "raw":
        return lambda c: c.score.value
    own = _of_question(factor, asked) if isinstance(factor, QueryFactor) else _of_memory(factor, at)
    return own or (lambda c: factor_of(c, factor, at, top, asked).value)


def _of_memory(factor: Factor, at: datetime) -> _Value | None:
    """The frequent factors have a shorter way."""
    match factor:
        case Stored(field=field, floor=floor):
            held = attrgetter(f"memory.{field}")
            return (lambda c: floor + (1 - floor) * held(c)) if floor else held
        case Recency(rate_per_day=rate, since=since) if rate is not None and not factor.exempt_undated_documents:
            return lambda c: math.exp(-rate * days_between(_since(c.memory, since), at))
        case Recency():
            return lambda c: _recency(c.memory, factor, at)
        case TierPenalty(multipliers=by_tier):
            return lambda c: by_tier.get(c.memory.tier, 1.0)
        case FuturePenalty(multiplier=multiplier):
            now = add_days(at, factor.slack_days)
            return lambda c: 1.0 if c.memory.learned_at <= now else multiplier
        case QuestionPenalty(multiplier=multiplier):
            return lambda c: multiplier if _is_question(c.memory, factor) else 1.0
    return None


def _of_question(factor: QueryFactor, asked: Asked) -> _Value | None:
    """For most questions, some factors are the same for all candidates."""
    match factor:
        case SpeakerMatch() if not asked.speakers:
            return _one
        case TimeMatch() if not asked.spans:
            return _one
        case Role(unless_words=words) if asked.words.intersection(words):
            return _one
        case Role(multipliers=by_role):
            return lambda c: by_role.get(c.memory.role or "", 1.0)
        case StatusPenalty(multipliers=by_status) if not asked.past:
            return lambda c: by_status.get(c.memory.status, 1.0)
    return None


def _one(candidate: Candidate) -> float:
    return 1.0


def factor_of(candidate: Candidate, factor: Factor, at: datetime, top: float, asked: Asked) -> Explanation:
    if isinstance(factor, Relevance):
        return relevance(candidate.score, factor, top)
    if isinstance(factor, QueryFactor):
        return _query_factor(candidate.memory, factor, asked)
    return _memory_factor(candidate.memory, factor, at)


def _memory_factor(memory: Memory, factor: MemoryFactor, at: datetime) -> Explanation:
    match factor:
        case Stored():
            return stored(memory, factor)
        case Recency():
            return recency(memory, factor, at)
        case Frequency():
            return frequency(memory, factor)
        case TierPenalty():
            return Explanation("tier", factor.multipliers.get(memory.tier, 1.0), note=memory.tier)
        case KindBoost():
            boost = factor.boosts.get(memory.kind, 0.0)
            return Explanation("kind", 1 + boost, "1 + boost", (Explanation("boost", boost, note=memory.kind),))
        case QuestionPenalty():
            return question_penalty(memory, factor)
        case FuturePenalty():
            return future_penalty(memory, factor, at)


def _query_factor(memory: Memory, factor: QueryFactor, asked: Asked) -> Explanation:
    match factor:
        case Role():
            return role(memory, factor, asked.words)
        case SpeakerMatch():
            return speaker_match(memory, factor, asked.speakers)
        case TimeMatch():
            return time_match(memory, factor, asked.spans)
        case StatusPenalty():
            return status_penalty(memory, factor, asked)


def status_penalty(memory: Memory, how: StatusPenalty, asked: Asked) -> Explanation:
    if asked.past and memory.status == "superseded":
        return Explanation("status", 1.0, note="superseded, but the question asks about the past")
    return Explanation("status", how.multipliers.get(memory.status, 1.0), note=memory.status)


def relevance(score: Explanation, how: Relevance, top: float) -> Explanation:
    if how.scale == "raw":
        return score.named("relevance")
    parts = (score.named("own"), Explanation("best", top))
    return Explanation("relevance", score.value / top if top > 0 else 0.0, "own / best" if top > 0 else "0", parts)


def stored(memory: Memory, how: Stored) -> Explanation:
    value = getattr(memory, how.field)
    if not how.floor:
        return Explanation(how.field, value)
    part = (Explanation("value", value),)
    formula = f"{how.floor!r} + (1 - {how.floor!r}) * value"
    return Explanation(how.field, how.floor + (1 - how.floor) * value, formula, part)


def role(memory: Memory, how: Role, words: frozenset[str]) -> Explanation:
    if words.intersection(how.unless_words):
        return Explanation("role", 1.0, note="the question speaks to the assistant")
    return Explanation("role", how.multipliers.get(memory.role or "", 1.0), note=memory.role or "")


def speaker_match(memory: Memory, how: SpeakerMatch, named: frozenset[str]) -> Explanation:
    if not named or memory.role in (None, *NAMELESS, *named):
        return Explanation("speaker_match", 1.0)
    return Explanation("speaker_match", how.other_speakers, note=f"not said by {' or '.join(sorted(named))}")


@lru_cache(maxsize=4096)
def _name(who: str) -> frozenset[str]:
    return frozenset(analyze(who))


def question_penalty(memory: Memory, how: QuestionPenalty) -> Explanation:
    if _is_question(memory, how):
        return Explanation("question_penalty", how.multiplier, note="a question states little")
    return Explanation("question_penalty", 1.0)


def _is_question(memory: Memory, how: QuestionPenalty) -> bool:
    return len(memory.text) < how.shorter_than_chars and memory.text.rstrip().endswith(("?", "？"))


def time_match(memory: Memory, how: TimeMatch, spans: Sequence[tuple[datetime, datetime]]) -> Explanation:
    slack = how.slack_days
    inside = any(add_days(start, -slack) <= memory.happened_at < add_days(end, slack) for start, end in spans)
    note = "in the time the question names" if inside else ""
    return Explanation(
        "time_match",
        1 + how.boost * inside,
        f"1 + {how.boost!r} * inside",
        (Explanation("inside", float(inside)),),
        note,
    )


def future_penalty(memory: Memory, how: FuturePenalty, at: datetime) -> Explanation:
    if memory.learned_at <= add_days(at, how.slack_days):
        return Explanation("future_penalty", 1.0)
    return Explanation("future_penalty", how.multiplier, note="told after the question was asked")


def recency(memory: Memory, how: Recency, at: datetime) -> Explanation:
    if _is_ageless(memory, how):
        return Explanation("recency", 1.0, note="an undated document does not age")
    since = _since(memory, how.since)
    counted = "said" if memory.turn is not None and since == memory.learned_at else how.since
    part = (Explanation("days", days_between(since, at), note=f"since {counted}"),)
    if how.rate_per_day is not None:
        formula = f"exp(-{how.rate_per_day!r} * days)"
    else:
        formula = f"2 ** (-days / {_half_life(memory, how)!r})"
    return Explanation("recency", _recency(memory, how, at), formula, part)


def _recency(memory: Memory, how: Recency, at: datetime) -> float:
    if _is_ageless(memory, how):
        return 1.0
    days = days_between(_since(memory, how.since), at)
    if how.rate_per_day is not None:
        return math.exp(-how.rate_per_day * days)
    faded: float = 2 ** (-days / _half_life(memory, how))
    return faded


def _is_ageless(memory: Memory, how: Recency) -> bool:
    return how.exempt_undated_documents and memory.granularity == "chunk" and memory.occurred_at is None


def _half_life(memory: Memory, how: Recency) -> float:
    assert how.half_life_days is not None
    return how.half_life_days_by_kind.get(memory.kind, how.half_life_days)


def _since(memory: Memory, since: str) -> datetime:
    """Where `created_at` would count, a turn or fact counts from when it was said: an import is not news."""
    match since:
        case "touched":
            accessed, retrieved = memory.last_accessed_at, memory.last_retrieved_at
            if accessed and retrieved:
                return max(accessed, retrieved)
            return accessed or retrieved or memory.learned_at
        case "retrieved":
            return memory.last_retrieved_at or memory.learned_at
        case "accessed":
            return memory.last_accessed_at or memory.learned_at
        case "happened":
            return memory.happened_at
    return memory.learned_at


def days_between(then: datetime, now: datetime) -> float:
    """Never negative: a date in the future counts as now."""
    return max(0.0, (now - then).total_seconds() / _DAY_SECONDS)


def frequency(memory: Memory, how: Frequency) -> Explanation:
    counts = (memory.retrieval_count, memory.access_count)
    preferred, other = counts if how.count == "retrieval" else reversed(counts)
    count = preferred or other
    value = min(1.0, math.log(count + 1) / how.divisor)
    return Explanation("frequency", value, f"min(1, ln(count + 1) / {how.divisor!r})", (Explanation("count", count),))


def normalise(candidates: Sequence[Candidate], how: ZScoreSigmoid) -> list[Candidate]:
    """The logistic of the z-score over the candidates (MemX, equation 4); population deviation."""
    values = [c.score.value for c in candidates]
    if not values:
        return []
    mean = math.fsum(values) / len(values)
    deviation = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / len(values))
    if deviation < how.least_deviation:
        return list(candidates)
    return [c.scored(_sigmoid(c.score, mean, deviation)) for c in candidates]


def _sigmoid(score: Explanation, mean: float, deviation: float) -> Explanation:
    return Explanation(
        "score",
        1 / (1 + math.exp(-(score.value - mean) / deviation)),
        "1 / (1 + exp(-(composite - mean) / deviation))",
        lambda: (score.named("composite"), Explanation("mean", mean), Explanation("deviation", deviation)),
    )
