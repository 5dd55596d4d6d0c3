"""Intervals, calibration and paired tests. The random seed is fixed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from ..keep.measures import BINS
from ..keep.measures import Bin as Bin
from ..keep.measures import auroc as auroc
from ..keep.measures import calibration_error as calibration_error
from ..keep.measures import equal_mass_bins as equal_mass_bins
from ..keep.measures import mean as mean
from ..keep.measures import quantile as quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Z_95 = 1.96
"""As the MemX paper rounds it."""
SEED = 20260301
ROUNDS = 2000


def wilson(successes: float, trials: int) -> tuple[float, float]:
    """The 95% interval of a share (Wilson 1927)."""
    if not trials:
        return 0.0, 1.0
    share, z2 = successes / trials, Z_95**2
    half = Z_95 * math.sqrt(share * (1 - share) / trials + z2 / (4 * trials**2))
    centre, scale = share + z2 / (2 * trials), 1 + z2 / trials
    return max(0.0, (centre - half) / scale), min(1.0, (centre + half) / scale)


# Calibration --------------------------------------------------------------------------------------


def calibration_interval(said: Sequence[float], true: Sequence[float], bins: int = BINS) -> tuple[float, float]:
    """The 95% interval by bootstrap. It is biased upwards, because noise within a bin never cancels out."""
    import numpy as np

    if not said:
        return math.nan, math.nan
    claims, facts = np.asarray(said, float), np.asarray(true, float)
    return interval([_error_of(claims[p], facts[p], bins) for p in _samples(len(said), ROUNDS // 4)])


def _error_of(said: NDArray[np.float64], true: NDArray[np.float64], bins: int) -> float:
    import numpy as np

    order = np.argsort(said, kind="stable")
    gaps = (said - true)[order]
    return float(sum(abs(part.sum()) for part in np.array_split(gaps, bins))) / len(said)


@lru_cache(maxsize=8)
def _samples(count: int, rounds: int) -> NDArray[np.int64]:
    import numpy as np

    return np.random.default_rng(SEED).integers(0, count, (rounds, count))


def auroc_interval(positives: Sequence[float], negatives: Sequence[float]) -> tuple[float, float]:
    """The 95% interval of the AUROC by bootstrap: both sides are drawn again, each on its own."""
    import numpy as np

    if not positives or not negatives:
        return math.nan, math.nan
    above = np.asarray(positives, float)[:, None] - np.asarray(negatives, float)[None]
    wins = (np.sign(above) + 1) / 2
    drawn, others = _draws(len(positives)), _draws(len(negatives))[::-1]  # as many of both must not be the same draws
    return interval([float(value) for value in ((drawn @ wins) * others).sum(axis=1) / wins.size])


def _draws(count: int) -> NDArray[np.int64]:
    """How often each of the values is drawn, one row for each bootstrap sample."""
    import numpy as np

    return np.stack([np.bincount(sample, minlength=count) for sample in _samples(count, ROUNDS // 4)])


def mean_interval(values: Sequence[float]) -> tuple[float, float]:
    """The 95% interval of a mean, by bootstrap."""
    import numpy as np

    if not values:
        return math.nan, math.nan
    means = np.asarray(values, float)[_samples(len(values), ROUNDS // 4)].mean(axis=1)
    return interval([float(m) for m in means])


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The central 95% of the values."""
    import numpy as np

    low, high = np.percentile(values, (2.5, 97.5))
    return float(low), float(high)


# Comparisons --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference between two runs over the same questions, and whether it is more than noise."""

    questions: int
    before: float
    after: float
    low: float
    high: float
    p: float
    better: int
    worse: int

    @property
    def change(self) -> float:
        return self.after - self.before

    @property
    def verdict(self) -> str:
        if self.p >= 0.05:
            return "within noise"
        return "better" if self.change > 0 else "worse"


def paired(before: Sequence[float], after: Sequence[float]) -> Difference:
    """McNemar's exact test for binary values, a paired bootstrap otherwise."""
    changes = [b - a for a, b in zip(before, after, strict=True)]
    better, worse = sum(c > 0 for c in changes), sum(c < 0 for c in changes)
    low, high, chance = paired_bootstrap(changes)
    p = mcnemar(better, worse) if {*before, *after} <= {0.0, 1.0} else chance
    return Difference(len(changes), mean(before), mean(after), low, high, p, better, worse)


def mcnemar(better: int, worse: int) -> float:
    """The two-sided exact p of McNemar's test: a binomial test on the changed answers (McNemar 1947)."""
    changed = better + worse
    tail = sum(math.comb(changed, n) for n in range(min(better, worse) + 1))
    return min(1.0, 2.0 * tail / math.pow(2, changed))


def paired_bootstrap(changes: Sequence[float], rounds: int = ROUNDS) -> tuple[float, float, float]:
    """The 95% interval of the mean change, and its two-sided p."""
    import numpy as np

    if not changes or not any(changes):
        return 0.0, 0.0, 1.0
    means = np.asarray(changes, float)[_samples(len(changes), rounds)].mean(axis=1)
    low, high = interval([float(m) for m in means])
    one_sided = min(float((means <= 0).mean()), float((means >= 0).mean()))
    return low, high, min(1.0, 2 * max(one_sided, 1 / rounds))


# Latency ------------------------------------------------------------------------------------------


def latency(values_ms: Sequence[float]) -> dict[str, float]:
    return {"mean": mean(values_ms), "p50": quantile(values_ms, 0.5), "p95": quantile(values_ms, 0.95)}
