"""Combines what several routes say of a memory into one number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import TypeAlias

from ..explanation import Explanation
from ..recipes.recipe import Fuse, ReciprocalRank, Scaled, ScoreSum
from ..types import Candidate, Sighting

_Valued: TypeAlias = tuple[float, str, Callable[[float], Explanation]]
"""A memory's value, its id, and a function that explains the value. Only memories that are kept are explained."""
_route = attrgetter("route")


@dataclass(frozen=True, slots=True)
class Fused:
    """A memory's id, what the routes saw, and the one number made of it."""

    memory_id: str
    sightings: tuple[Sighting, ...]
    score: Explanation


def fuse(
    sightings: Iterable[Sighting],
    how: Fuse,
    *,
    limit: int,
    embedder: str | None,
    coverage: Mapping[str, float] | None = None,
) -> list[Fused]:
    """Returns the best first. Works with ids only, so that just the memories that are kept need to be fetched.

    `coverage` gives, for each lexical route, how much of the question its best memory holds.
    """
    by_id: dict[str, list[Sighting]] = {}
    for sighting in sightings:
        by_id.setdefault(sighting.memory_id, []).append(sighting)
    match how:
        case ReciprocalRank():
            counted = _reciprocal_rank(by_id, how)
        case ScoreSum():
            counted = _score_sum(by_id, how, embedder, coverage or {})
    counted.sort(key=lambda one: (-one[0], one[1]))
    kept = counted[: how.keep.of(limit)] if how.keep else counted
    return [Fused(id, tuple(by_id[id]), explained(value)) for value, id, explained in kept]


def best_first(candidates: Iterable[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda c: (-c.score.value, c.memory.id))


def _by_route(sightings: Sequence[Sighting]) -> Sequence[Sighting]:
    return sorted(sightings, key=_route) if len(sightings) > 1 else sightings


def _reciprocal_rank(by_id: Mapping[str, Sequence[Sighting]], how: ReciprocalRank) -> list[_Valued]:
    """Σ weight / (k + rank), Cormack, Clarke and Büttcher 2009."""
    found: list[_Valued] = []
    for memory_id, sightings in by_id.items():
        seen = _by_route(sightings)
        value = sum([_of_rank(s, how) for s in seen])
        found.append((value, memory_id, partial(_explained, seen, partial(_rank_shares, seen, how), "rrf")))
    return found


def _of_rank(sighting: Sighting, how: ReciprocalRank) -> float:
    return how.weights.get(sighting.route, 1.0) / (how.k + sighting.rank)


def _rank_shares(seen: Sequence[Sighting], how: ReciprocalRank) -> tuple[Explanation, ...]:
    return tuple(
        Explanation(
            s.route,
            _of_rank(s, how),
            f"{how.weights.get(s.route, 1.0)!r} / ({how.k!r} + rank)",
            (Explanation("rank", s.rank, note=f"{s.raw.name} {s.raw.value:.4g}"),),
        )
        for s in seen
    )


def _explained(
    seen: Sequence[Sighting], parts: Callable[[], tuple[Explanation, ...]], note: str, value: float
) -> Explanation:
    return Explanation("relevance", value, " + ".join(s.route for s in seen), parts, note=note)


def _score_sum(
    by_id: Mapping[str, Sequence[Sighting]], how: ScoreSum, embedder: str | None, coverage: Mapping[str, float]
) -> list[_Valued]:
    bounds = {route: ends for route, ends in _bounds(by_id.values()).items() if route in how.routes}
    if _flat(by_id.values(), how.rank_fusion_below_range.get(embedder or "", 0.0)):
        weights = {route: how.weight(route, embedder) * (1 + how.rank_fusion_k) for route in bounds}
        seen_by = {id: [s for s in seen if s.route in bounds] for id, seen in by_id.items()}
        return _reciprocal_rank(seen_by, ReciprocalRank(k=how.rank_fusion_k, weights=weights))
    counted = {
        route: _Counted(how.routes[route], how.weight(route, embedder), coverage.get(route, 1.0), *ends)
        for route, ends in bounds.items()
    }
    found: list[_Valued] = []
    for memory_id, sightings in by_id.items():
        seen = [s for s in _by_route(sightings) if s.route in counted]
        value = sum([counted[s.route].value(s.raw.value) for s in seen])
        if how.floor is not None and value < how.floor and not _spared(sightings, how):
            continue
        found.append((value, memory_id, partial(_explained, seen, partial(_shares, seen, counted), "")))
    return found


def _flat(all_sightings: Iterable[Sequence[Sighting]], within: float) -> bool:
    cosines = [s.raw.value for seen in all_sightings for s in seen if s.raw.name == "cosine"]
    return len(cosines) > 1 and max(cosines) - min(cosines) < within


def _spared(sightings: Sequence[Sighting], how: ScoreSum) -> bool:
    return how.exempt_keyword_only and all(s.raw.name != "cosine" for s in sightings)


def _bounds(all_sightings: Iterable[Sequence[Sighting]]) -> dict[str, tuple[float, float]]:
    raws: dict[str, list[float]] = {}
    for sightings in all_sightings:
        for sighting in sightings:
            raws.setdefault(sighting.route, []).append(sighting.raw.value)
    return {route: (min(values), max(values)) for route, values in raws.items()}


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
