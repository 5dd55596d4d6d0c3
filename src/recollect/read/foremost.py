"""Which candidates can be among the hits? A recipe that scores a thousand of them reads only numbers of most.

The scores here are bounds: they are computed for all at once, in numpy, which may round the last digit otherwise than
`rank.py`. Those within a small margin are kept and ranked as always.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ..recipes.recipe import Factor, Lexical, Recency, Recipe, Relevance, Stored
from ..types import Query
from .fuse import Fusion
from .group import size
from .rank import weight
from .signals import EVIDENCE_DEPTH

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_PAYS_FROM = 4
"""So many times as many candidates as are kept."""
_MARGIN = 1e-9
_RELEVANCE = "relevance"
_TIMES = ("last_accessed_at", "last_retrieved_at", "created_at", "occurred_at", "valid_from", "turn")
_DAY_MICROS = 86_400e6


def fields(recipe: Recipe, query: Query, candidates: int) -> list[str]:
    """What has to be read of each. Nothing if there are few, or if the recipe compares candidates with each other or
    needs more than numbers."""
    if candidates < _PAYS_FROM * _count(query) or not _applies(recipe, query):
        return []
    return list(dict.fromkeys(field for factor in recipe.factors.add for field in _fields(factor)))


def foremost(
    recipe: Recipe, query: Query, fused: Fusion, read: Sequence[str], held: Mapping[str, Sequence[float | None]]
) -> Fusion:
    """Those that can be among the hits or the evidence, by the fields that were read. Those not held are left out."""
    import numpy as np

    places = [n for n, id in enumerate(fused.ids) if id in held]
    rows = np.array([held[fused.ids[n]] for n in places], float).reshape(len(places), len(read))  # None becomes NaN
    columns = dict(zip(read, rows.T, strict=True)) | {_RELEVANCE: np.array(fused.values)[places]}
    scores = np.zeros(len(places))
    for factor in recipe.factors.add:
        scores += weight(factor) * _values(factor, columns, query.at)
    kept = np.flatnonzero(scores >= np.sort(scores)[-_count(query) :][0] - _MARGIN) if places else ()
    return fused.only([places[n] for n in kept])


def _count(query: Query) -> int:
    return max(query.limit, EVIDENCE_DEPTH)


def _applies(recipe: Recipe, query: Query) -> bool:
    compares = recipe.spread or recipe.normalise or recipe.conflicts or recipe.diversify or size(query) is not None
    by_words = any(isinstance(route, Lexical) for route in recipe.routes)  # looks for codes in the texts of all
    if compares or by_words or recipe.read or query.sides or recipe.factors.multiply:
        return False
    return all(_is_number(factor) for factor in recipe.factors.add)


def _is_number(factor: Factor) -> bool:
    match factor:
        case Relevance(scale=scale):
            return scale == "raw"
        case Recency(rate_per_day=rate, exempt_undated_documents=exempt):
            return rate is not None and not exempt
    return isinstance(factor, Stored)


def _fields(factor: Factor) -> Sequence[str]:
    """What is read of each memory."""
    match factor:
        case Stored(field=field):
            return (field,)
        case Recency():
            return _TIMES
    return ()


def _values(factor: Factor, columns: Mapping[str, Floats], at: datetime) -> Floats:
    """The values that `rank.value_of` gives."""
    import numpy as np

    match factor:
        case Stored(field=field, floor=floor):
            return floor + (1 - floor) * columns[field]
        case Recency(rate_per_day=rate, since=since) if rate is not None:
            now = at.timestamp() * 1e6
            return np.exp(-rate * np.maximum(0.0, (now - _since(since, columns)) / _DAY_MICROS))
    return columns[_RELEVANCE]


def _since(since: str, columns: Mapping[str, Floats]) -> Floats:
    import numpy as np

    accessed, retrieved, created, occurred, valid, turn = (columns[name] for name in _TIMES)
    happened = _first(occurred, created)
    learned = np.where(np.isnan(turn), created, _first(valid, np.minimum(created, happened)))
    match since:
        case "touched":
            return _first(np.fmax(accessed, retrieved), learned)
        case "retrieved":
            return _first(retrieved, learned)
        case "accessed":
            return _first(accessed, learned)
    return happened if since == "happened" else learned


def _first(one: Floats, other: Floats) -> Floats:
    """The other where the one is missing."""
    import numpy as np

    return np.where(np.isnan(one), other, one)
