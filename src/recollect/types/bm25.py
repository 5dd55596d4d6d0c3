"""The constants and the IDF of BM25. `read/bm25.py` computes the scores; stores rank by the same formula."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """The constants of a search by words."""

    k1: float = 1.2
    b: float = 0.75
    stopword_weight: float = 1.0
    """Multiplies the IDF of stop-words if the question also has content words."""


@lru_cache(maxsize=4096)
def idf(documents: int, containing: int) -> float:
    """ln((N − n + 0.5) / (n + 0.5) + 1): near 0 for a word in every document, never negative."""
    return math.log((documents - containing + 0.5) / (containing + 0.5) + 1)
