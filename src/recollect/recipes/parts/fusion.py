"""Fusion: the results of several routes become one relevance per memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypeAlias

from .checked import Part, Range, Share, Weight
from .routes import Depth


@dataclass(frozen=True, slots=True, kw_only=True)
class ReciprocalRank(Part):
    """Σ weight / (k + rank) over the routes (Cormack et al. 2009)."""

    k: Annotated[float, Range(0, 10_000)] = 60.0
    weights: Mapping[str, Weight] = field(default_factory=dict)
    keep: Depth | None = None
    """How many candidates to keep; None keeps all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaled(Part):
    """How one route counts in a score sum: its weight, and how its raw scores are scaled.

    raw: unchanged · max: divided by the best · minmax: worst 0, best 1 · saturate: r / (1 + r)
    """

    weight: Weight = 1.0
    scale: Literal["raw", "max", "minmax", "saturate"] = "minmax"
    coverage_exponent: Share = 0.0
    """The weight is multiplied by coverage ** this. A lexical route counts less if its best memory contains few of
    the question's words. 0 switches this off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSum(Part):
    """Σ weight × scaled score over the routes. Candidates below `floor` are dropped."""

    routes: Mapping[str, Scaled]
    floor: Annotated[float, Range(-1000, 1000)] | None = None
    exempt_keyword_only: bool = False
    """Repair: the floor does not apply to candidates that no vector route found."""
    keep: Depth | None = None
    by_embedder: Mapping[str, Mapping[str, Weight]] = field(default_factory=dict)
    """Weights that replace those above for one embedder: its name → route → weight."""
    rank_fusion_below_range: Mapping[str, Share] = field(default_factory=dict)
    """Embedder → a difference of cosines. If the highest and the lowest cosine differ by less, cosines tell little.
    The routes then count by rank: weight × (1 + k) / (rank + k)."""
    rank_fusion_k: Annotated[float, Range(0, 1000)] = 15.0
    """The k of that formula."""

    def weight(self, route: str, embedder: str | None) -> float:
        return self.by_embedder.get(embedder or "", {}).get(route, self.routes[route].weight)


Fuse: TypeAlias = ReciprocalRank | ScoreSum
