"""Many routes, one number per memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..explanation import Explanation
from ..recipes.recipe import Fuse, ReciprocalRank, Scaled, ScoreSum
from ..types import Candidate, Sighting


@dataclass(frozen=True, slots=True)
class Fused:
    """A memory's id with everything the routes said about it, as one number."""

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
    """Best first; only the ids are known here, so that memories are fetched for what goes on alone.

    `coverage` says for each lexical route how much of the question its best holds.
    """
    by_id: dict[str, list[Sighting]] = {}
    for sighting in sightings:
        by_id.setdefault(sighting.memory_id, []).append(sighting)
    match how:
        case ReciprocalRank():
            fused = [Fused(id, tuple(seen), _reciprocal_rank(seen, how)) for id, seen in by_id.items()]
        case ScoreSum():
            fused = _score_sum(by_id, how, embedder, coverage or {})
    fused.sort(key=lambda f: (-f.score.value, f.memory_id))
    return fused[: how.keep.of(limit)] if how.keep else fused


def best_first(candidates: Iterable[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda c: (-c.score.value, c.memory.id))


def _by_route(sightings: Iterable[Sighting]) -> list[Sighting]:
    return sorted(sightings, key=lambda s: s.route)


def _reciprocal_rank(sightings: Iterable[Sighting], how: ReciprocalRank) -> Explanation:
    """Σ weight / (k + rank), Cormack, Clarke and Büttcher 2009."""
    seen = _by_route(sightings)

    def parts() -> tuple[Explanation, ...]:
        return tuple(
            Explanation(
                s.route,
                how.weights.get(s.route, 1.0) / (how.k + s.rank),
                f"{how.weights.get(s.route, 1.0)!r} / ({how.k!r} + rank)",
                (Explanation("rank", s.rank, note=f"{s.raw.name} {s.raw.value:.4g}"),),
            )
            for s in seen
        )

    value = sum(how.weights.get(s.route, 1.0) / (how.k + s.rank) for s in seen)
    return Explanation("relevance", value, " + ".join(s.route for s in seen), parts, note="rrf")


def _score_sum(
    by_id: Mapping[str, Sequence[Sighting]], how: ScoreSum, embedder: str | None, coverage: Mapping[str, float]
) -> list[Fused]:
    bounds = _bounds(by_id.values())
    fused = []
    for memory_id, sightings in by_id.items():
        seen = [s for s in _by_route(sightings) if s.route in how.routes]
        shares = [
            _share(s, how.routes[s.route], how.weight(s.route, embedder), coverage.get(s.route, 1.0), *bounds[s.route])
            for s in seen
        ]
        value = sum(share.value for share in shares)
        if how.floor is not None and value < how.floor and not _spared(sightings, how):
            continue
        score = Explanation("relevance", value, " + ".join(s.route for s in seen), tuple(shares))
        fused.append(Fused(memory_id, tuple(sightings), score))
    return fused


def _spared(sightings: Sequence[Sighting], how: ScoreSum) -> bool:
    return how.spare_keyword_only and all(s.raw.name != "cosine" for s in sightings)


def _bounds(all_sightings: Iterable[Sequence[Sighting]]) -> dict[str, tuple[float, float]]:
    raws: dict[str, list[float]] = {}
    for sightings in all_sightings:
        for sighting in sightings:
            raws.setdefault(sighting.route, []).append(sighting.raw.value)
    return {route: (min(values), max(values)) for route, values in raws.items()}


def _share(sighting: Sighting, scaled: Scaled, weight: float, coverage: float, low: float, high: float) -> Explanation:
    raw = sighting.raw.value
    match scaled.scale:
        case "raw":
            value, formula = raw, "raw"
        case "saturate":
            value, formula = raw / (1 + raw), "raw / (1 + raw)"
        case "max":
            value, formula = (raw / high, "raw / high") if high > 0 else (0.0, "0")
        case "minmax":
            value, formula = ((raw - low) / (high - low), "(raw - low) / (high - low)") if high > low else (1.0, "1")
    if scaled.doubt:
        value, formula = coverage**scaled.doubt * value, f"coverage ** {scaled.doubt!r} * ({formula})"
    return Explanation(
        sighting.route,
        weight * value,
        f"{weight!r} * {formula}" if formula.isalnum() else f"{weight!r} * ({formula})",
        lambda: (
            sighting.raw.named("raw") if sighting.raw.parts else Explanation("raw", raw, note=sighting.raw.name),
            Explanation("low", low),
            Explanation("high", high),
            *((Explanation("coverage", coverage),) if scaled.doubt else ()),
        ),
        note=sighting.raw.name,
    )
