"""AUROC and calibration error: how well confidence separates answerable questions from others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

BINS = 10


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def quantile(values: Sequence[float], share: float) -> float:
    """The quantile, interpolated linearly between the two nearest values."""
    if not values:
        return math.nan
    ordered, place = sorted(values), share * (len(values) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def auroc(positives: Sequence[float], negatives: Sequence[float]) -> float:
    """The share of pairs in which the positive is above the negative; ties count half. NaN if there are no pairs."""
    if not positives or not negatives:
        return math.nan
    ranks = _ranks([*positives, *negatives])
    above = sum(ranks[: len(positives)]) - len(positives) * (len(positives) + 1) / 2
    return above / (len(positives) * len(negatives))


def _ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1. Equal values share the mean of their ranks."""
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
    """Answers of about the same confidence: their mean confidence, and the share whose answer was in memory."""

    said: float
    true: float
    count: int


def equal_mass_bins(said: Sequence[float], true: Sequence[float], bins: int = BINS) -> list[Bin]:
    """Bins by confidence, with (nearly) the same number of answers each. Answers with equal confidence all get the mean
    of their outcomes; otherwise the result would depend on their order."""
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
