"""Metrics of one ranked answer, one formula per function.

`ranked` holds the returned keys (sessions, turns or topics), best first. If a key occurs more than once, its first
place counts. `gold` holds the keys that answer the question.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet


def hit(ranked: Sequence[str], gold: AbstractSet[str], k: int) -> float:
    """1 if some gold is among the first k."""
    return float(any(key in gold for key in ranked[:k]))


def all_gold(ranked: Sequence[str], gold: AbstractSet[str], k: int) -> float:
    """1 if all gold is among the first k."""
    return float(bool(gold) and gold <= set(ranked[:k]))


def recall(ranked: Sequence[str], gold: AbstractSet[str], k: int) -> float:
    """The share of the gold that is among the first k."""
    return len(gold & set(ranked[:k])) / len(gold) if gold else 0.0


def topic_coverage(topics: Sequence[str], expected: AbstractSet[str], k: int) -> float:
    """The share of the expected topics among those of the first k hits (MemX, Table 2)."""
    return recall(topics, expected, k)


def reciprocal_rank(ranked: Sequence[str], gold: AbstractSet[str]) -> float:
    """1 / the rank of the first gold; 0 if there is none."""
    return next((1 / place for place, key in enumerate(ranked, start=1) if key in gold), 0.0)


def misled(ranked: Sequence[str], gold: AbstractSet[str], stale: AbstractSet[str]) -> float:
    """1 if a stale key stands above all gold, or is there without gold."""
    return float(next((key in stale for key in ranked if key in stale or key in gold), False))


def ndcg(ranked: Sequence[str], gold: AbstractSet[str], k: int) -> float:
    """Discounted gain divided by that of the best possible answer (Järvelin & Kekäläinen 2002).

    The best possible answer has all gold, not only the gold that was found, which would favour a poor search.
    """
    first = {key: place for place, key in reversed(list(enumerate(ranked[:k], start=1)))}
    gained = sum(_discount(place) for key, place in first.items() if key in gold)
    ideal = sum(_discount(place) for place in range(1, min(k, len(gold)) + 1))
    return gained / ideal if ideal else 0.0


def _discount(place: int) -> float:
    return 1 / math.log2(place + 1)


def miss_empty(returned: int) -> float:
    """1 if nothing was returned for a question without an answer (MemX, Table 2)."""
    return float(returned == 0)


def miss_strict(top_similarity: float | None, threshold: float) -> float:
    """1 if the best cosine is below the miss threshold, whatever the gate decided (MemX, Table 2)."""
    return float(top_similarity is None or top_similarity < threshold)
