"""Combines what several routes say of a memory into one number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from operator import attrgetter, neg
from typing import NamedTuple, TypeAlias, overload

from ..explanation import Explanation
from ..recipes.recipe import Fuse, ReciprocalRank, Scaled, ScoreSum
from ..types import Candidate, Ranking, Sighting, Sightings

_Explained: TypeAlias = Callable[[str, Sequence[Ranking], float], Explanation]
"""Explains the value of a memory with the rankings that have it, ordered by route."""
_Counts: TypeAlias = tuple[dict[str, float], _Explained]
"""The value of each memory, and a function that explains one. Only memories that are kept are explained."""


class Fused(NamedTuple):
    """A memory's id, what the routes saw, and the one number made of it."""

    memory_id: str
    sightings: Sightings
    score: Explanation


class Fusion(Sequence[Fused]):
    """The memories that are kept, best first, as columns. Each is explained when it is asked for."""

    def __init__(
        self, ids: Sequence[str], values: Sequence[float], rankings: Sequence[Ranking], explained: _Explained
    ) -> None:
        self.ids, self.values = ids, values
        self._rankings, self._ordered, self._explained = rankings, _by_route(rankings), explained

    def only(self, places: Sequence[int]) -> Fusion:
        """Those at some places."""
        ids, values = [self.ids[n] for n in places], [self.values[n] for n in places]
        return Fusion(ids, values, self._rankings, self._explained)

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, at: int) -> Fused: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Fused]: ...
    def __getitem__(self, at: int | slice) -> Fused | Sequence[Fused]:
        if isinstance(at, slice):
            return [self[n] for n in range(*at.indices(len(self)))]
        id = self.ids[at]
        seen, ordered = ([r for r in rankings if id in r.places] for rankings in (self._rankings, self._ordered))
        return Fused(id, Sightings(id, seen), self._explained(id, ordered, self.values[at]))


def fuse(
    rankings: Sequence[Ranking],
    how: Fuse,
    *,
    limit: int,
    embedder: str | None,
    coverage: Mapping[str, float] | None = None,
) -> Fusion:
    """Returns the best first. Works with ids only, so that just the memories that are kept need to be fetched.

    `coverage` gives, for each lexical route, how much of the question its best memory holds.
    """
    match how:
        case ReciprocalRank():
            counted, explained = _reciprocal_rank(rankings, how)
        case ScoreSum():
            counted, explained = _score_sum(rankings, how, embedder, coverage or {})
    best = sorted(zip(map(neg, counted.values()), counted, strict=True))
    kept = best[: how.keep.of(limit)] if how.keep else best
    return Fusion([id for _, id in kept], [-value for value, _ in kept], rankings, explained)


def best_first(candidates: Iterable[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda c: (-c.score.value, c.memory.id))


def _by_route(rankings: Iterable[Ranking]) -> list[Ranking]:
    """In the order of an explanation's parts."""
    return sorted(rankings, key=attrgetter("route"))


def _nothing_yet(rankings: Sequence[Ranking]) -> dict[str, float]:
    return {id: 0.0 for ranking in rankings for id in ranking.ids}


def _reciprocal_rank(rankings: Sequence[Ranking], how: ReciprocalRank) -> _Counts:
    """Σ weight / (k + rank), Cormack, Clarke and Büttcher 2009."""
    values = _nothing_yet(rankings)
    for ranking in _by_route(rankings):
        weight = how.weights.get(ranking.route, 1.0)
        for id, rank in zip(ranking.ids, ranking.ranks, strict=True):
            values[id] += weight / (how.k + rank)

    def explained(id: str, seen: Sequence[Ranking], value: float) -> Explanation:
        return _explained(seen, partial(_rank_shares, Sightings(id, seen), how), "rrf", value)

    return values, explained


def _rank_shares(seen: Sequence[Sighting], how: ReciprocalRank) -> tuple[Explanation, ...]:
    return tuple(
        Explanation(
            s.route,
            how.weights.get(s.route, 1.0) / (how.k + s.rank),
            f"{how.weights.get(s.route, 1.0)!r} / ({how.k!r} + rank)",
            (Explanation("rank", s.rank, note=f"{s.raw.name} {s.raw.value:.4g}"),),
        )
        for s in seen
    )


def _explained(
    seen: Sequence[Ranking], parts: Callable[[], tuple[Explanation, ...]], note: str, value: float
) -> Explanation:
    formula = seen[0].route if len(seen) == 1 else " + ".join([r.route for r in seen])
    return Explanation("relevance", value, formula, parts, note)


def _score_sum(
    rankings: Sequence[Ranking], how: ScoreSum, embedder: str | None, coverage: Mapping[str, float]
) -> _Counts:
    counting = [ranking for ranking in rankings if ranking.route in how.routes]
    values = _nothing_yet(rankings)
    if _flat(rankings, how.rank_fusion_below_range.get(embedder or "", 0.0)):
        weights = {ranking.route: how.weight(ranking.route, embedder) * (1 + how.rank_fusion_k) for ranking in counting}
        ranks, by_rank = _reciprocal_rank(counting, ReciprocalRank(k=how.rank_fusion_k, weights=weights))
        return values | ranks, lambda id, seen, value: by_rank(id, [r for r in seen if r.route in weights], value)
    counted = {
        each.route: _Counted(
            how.routes[each.route],
            how.weight(each.route, embedder),
            coverage.get(each.route, 1.0),
            min(each.values),
            max(each.values),
        )
        for each in counting
    }

    def explained(id: str, seen: Sequence[Ranking], value: float) -> Explanation:
        counting = [r for r in seen if r.route in counted]
        return _explained(counting, partial(_shares, Sightings(id, counting), counted), "", value)

    for ranking in _by_route(counting):
        value_of = counted[ranking.route].value
        for id, raw in zip(ranking.ids, ranking.values, strict=True):
            values[id] += value_of(raw)
    if how.floor is not None:
        spared = _keyword_only(rankings) if how.exempt_keyword_only else frozenset()
        values = {id: value for id, value in values.items() if value >= how.floor or id in spared}
    return values, explained


def _flat(rankings: Sequence[Ranking], within: float) -> bool:
    if not within:
        return False
    cosines = [value for ranking in rankings if ranking.name == "cosine" for value in ranking.values]
    return len(cosines) > 1 and max(cosines) - min(cosines) < within


def _keyword_only(rankings: Sequence[Ranking]) -> frozenset[str]:
    """The memories that no route found by a cosine."""
    near = {id for ranking in rankings if ranking.name == "cosine" for id in ranking.ids}
    return frozenset(id for ranking in rankings for id in ranking.ids if id not in near)


class _Counted:
    """Converts the raw scores of one route into what they add."""

    __slots__ = ("_scale", "bounds", "coverage", "exponent", "factor", "formula", "weight")

    def __init__(self, scaled: Scaled, weight: float, coverage: float, low: float, high: float) -> None:
        self.weight, self.coverage, self.exponent, self.bounds = weight, coverage, scaled.coverage_exponent, (low, high)
        self.factor = coverage**scaled.coverage_exponent if scaled.coverage_exponent else 1.0
        self._scale, formula = _scale(scaled, low, high)
        if scaled.coverage_exponent:
            formula = f"coverage ** {scaled.coverage_exponent!r} * ({formula})"
        self.formula = f"{weight!r} * {formula}" if formula.isalnum() else f"{weight!r} * ({formula})"

    def value(self, raw: float) -> float:
        return self.weight * (self.factor * self._scale(raw))


def _scale(scaled: Scaled, low: float, high: float) -> tuple[Callable[[float], float], str]:
    match scaled.scale:
        case "raw":
            return lambda raw: raw, "raw"
        case "saturate":
            return lambda raw: raw / (1 + raw), "raw / (1 + raw)"
        case "max":
            return (lambda raw: raw / high, "raw / high") if high > 0 else (lambda raw: 0.0, "0")
        case "minmax" if high > low:
            return lambda raw: (raw - low) / (high - low), "(raw - low) / (high - low)"
    return lambda raw: 1.0, "1"


def _shares(seen: Sequence[Sighting], counted: Mapping[str, _Counted]) -> tuple[Explanation, ...]:
    return tuple(_share(sighting, counted[sighting.route]) for sighting in seen)


def _share(sighting: Sighting, counted: _Counted) -> Explanation:
    raw, (low, high) = sighting.raw, counted.bounds
    parts = (
        raw.named("raw") if raw.parts else Explanation("raw", raw.value, note=raw.name),
        Explanation("low", low),
        Explanation("high", high),
        *((Explanation("coverage", counted.coverage),) if counted.exponent else ()),
    )
    return Explanation(sighting.route, counted.value(raw.value), counted.formula, parts, note=raw.name)
