"""How well do confidences tell what is there from what is not?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

BINS = 10


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def quantile(values: Sequence[float], share: float) -> float:
    """Between the two nearest values, by distance."""
    if not values:
        return math.nan
    ordered, place = sorted(values), share * (len(values) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def auroc(positives: Sequence[float], negatives: Sequence[float]) -> float:
    """How often a positive is above a negative; ties count half. Nothing to compare gives NaN."""
    if not positives or not negatives:
        return math.nan
    ranks = _ranks([*positives, *negatives])
    above = sum(ranks[: len(positives)]) - len(positives) * (len(positives) + 1) / 2
    return above / (len(positives) * len(negatives))


def _ranks(values: Sequence[float]) -> list[float]:
    """From 1, equal values share the mean of their places."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks, start = [0.0] * len(values), 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for n in order[start:end]:
            ranks[n] = (start + 1 + end) / 2
        start = end
    return ranks


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers of about the same confidence: what was said, and what came true."""

    said: float
    true: float
    count: int


def equal_mass_bins(said: Sequence[float], true: Sequence[float], bins: int = BINS) -> list[Bin]:
    """By confidence, each with (nearly) the same number of answers. Answers of the very same confidence share what came
    true of them, whichever bin they fall into: else the order they are listed in would count."""
    came: dict[float, list[float]] = {}
    for value, fact in zip(said, true, strict=True):
        came.setdefault(value, []).append(fact)
    shared = {value: mean(facts) for value, facts in came.items()}
    order = sorted(range(len(said)), key=lambda n: (said[n], n))
    edges = [round(n * len(order) / bins) for n in range(bins + 1)]
    groups = [order[start:end] for start, end in zip(edges, edges[1:], strict=False) if end > start]
    return [Bin(mean([said[n] for n in g]), mean([shared[said[n]] for n in g]), len(g)) for g in groups]


def calibration_error(said: Sequence[float], true: Sequence[float], bins: int = BINS) -> float:
    """The mean gap between confidence and truth over equal-mass bins (Nixon et al. 2019)."""
    found = equal_mass_bins(said, true, bins)
    return sum(b.count * abs(b.said - b.true) for b in found) / len(said) if found else math.nan
