"""Searches by meaning: the cosine between the question and one view of the memories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...recipes.recipe import Vector
from ...store.protocol import Store
from ...types import Query
from . import BACKGROUND_DEPTH, SIGNAL_DEPTH, Sighted, ranked

if TYPE_CHECKING:
    from ...types import Vector as Floats


def search(store: Store, route: Vector, query: Query, asked: Floats | None) -> Sighted:
    if asked is None:
        return Sighted(note="no embedder")
    limit = route.depth.of(query.limit)
    found = store.search_vector(asked, route.view, query.filter, limit=limit, floor=route.floor)
    cosines = [cosine for _, cosine in found]
    return Sighted(
        sightings=ranked(route.name, "cosine", [id for id, _ in found], cosines, limit),
        top_similarity=cosines[0] if found else None,
        background=_background(cosines),
        note="" if found else "no memory has a vector in this view, or none is near enough",
    )


def _background(cosines: Sequence[float]) -> float | None:
    """The mean cosine behind the nearest ten. None for fewer than ten: a few memories may all be relevant."""
    behind = cosines[SIGNAL_DEPTH:BACKGROUND_DEPTH]
    return sum(behind) / len(behind) if len(behind) >= SIGNAL_DEPTH else None
