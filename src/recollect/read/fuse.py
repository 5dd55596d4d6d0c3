"""Many routes, one number per memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..explanation import Explanation
from ..recipes.recipe import Fuse, ReciprocalRank, Scaled, ScoreSum
from ..types import Candidate, Memory, Sighting

NOTHING = Explanation("score", 0.0)


def gather(sightings: Iterable[Sighting], memories: Mapping[str, Memory]) -> list[Candidate]:
    """The sightings of each memory together, in order of id."""
    by_id: dict[str, list[Sighting]] = {}
    for sighting in sightings:
        if sighting.memory_id in memories:
            by_id.setdefault(sighting.memory_id, []).append(sighting)
    return [Candidate(memories[id], tuple(by_id[id]), NOTHING) for id in sorted(by_id)]


def fuse(candidates: Sequence[Candidate], how: Fuse, *, limit: int, embedder: str | None) -> list[Candidate]:
    match how:
        case ReciprocalRank():
            fused = best_first(c.scored(_reciprocal_rank(c, how)) for c in candidates)
            return fused[: how.keep.of(limit)] if how.keep else fused
        case ScoreSum():
            return best_first(_score_sum(candidates, how, embedder))


def best_first(candidates: Iterable[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda c: (-c.score.value, c.memory.id))


def _by_route(sightings: Iterable[Sighting]) -> list[Sighting]:
    return sorted(sightings, key=lambda s: s.route)


def _reciprocal_rank(candidate: Candidate, how: ReciprocalRank) -> Explanation:
    """Σ weight / (k + rank), Cormack, Clarke and Büttcher 2009."""
    seen = _by_route(candidate.sightings)

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


def _score_sum(candidates: Sequence[Candidate], how: ScoreSum, embedder: str | None) -> list[Candidate]:
    bounds = _bounds(candidates)
    scored = []
    for candidate in candidates:
        seen = [s for s in _by_route(candidate.sightings) if s.route in how.routes]
        shares = [_share(s, how.routes[s.route], how.weight(s.route, embedder), *bounds[s.route]) for s in seen]
        value = sum(share.value for share in shares)
        if how.floor is not None and value < how.floor and not _spared(candidate, how):
            continue
        formula = " + ".join(s.route for s in seen)
        scored.append(candidate.scored(Explanation("relevance", value, formula, tuple(shares))))
    return scored


def _spared(candidate: Candidate, how: ScoreSum) -> bool:
    return how.spare_keyword_only and all(s.raw.name != "cosine" for s in candidate.sightings)


def _bounds(candidates: Sequence[Candidate]) -> dict[str, tuple[float, float]]:
    raws: dict[str, list[float]] = {}
    for candidate in candidates:
        for sighting in candidate.sightings:
            raws.setdefault(sighting.route, []).append(sighting.raw.value)
    return {route: (min(values), max(values)) for route, values in raws.items()}


def _share(sighting: Sighting, scaled: Scaled, weight: float, low: float, high: float) -> Explanation:
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
    return Explanation(
        sighting.route,
        weight * value,
        f"{weight!r} * {formula}" if formula.isalnum() else f"{weight!r} * ({formula})",
        lambda: (
            sighting.raw.named("raw") if sighting.raw.parts else Explanation("raw", raw, note=sighting.raw.name),
            Explanation("low", low),
            Explanation("high", high),
        ),
        note=sighting.raw.name,
    )
