"""Times calls, beside one exact scan of all vectors on the same machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from ..statistics import mean, quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .vectors import Counted

SCANS = 15
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Took:
    """Milliseconds of one call, by the clock on the wall and by the processor."""

    wall: float
    cpu: float

    def less(self, wall_ms: float) -> Took:
        """Without a part that was timed by the wall only."""
        return Took(max(0.0, self.wall - wall_ms), max(0.0, self.cpu - wall_ms))


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Middle and slow calls, in milliseconds."""

    calls: int
    mean: float
    p50: float
    p95: float
    cpu_mean: float
    cpu_p50: float
    cpu_p95: float

    @classmethod
    def of(cls, took: Sequence[Took]) -> Spread:
        walls, cpus = [one.wall for one in took], [one.cpu for one in took]
        return cls(
            calls=len(took),
            mean=mean(walls),
            p50=quantile(walls, 0.5),
            p95=quantile(walls, 0.95),
            cpu_mean=mean(cpus),
            cpu_p50=quantile(cpus, 0.5),
            cpu_p95=quantile(cpus, 0.95),
        )


class Clock:
    """Times calls without the embedder's share."""

    def __init__(self, embedder: Counted) -> None:
        self._embedder = embedder

    def run(self, call: Callable[[], T]) -> tuple[T, Took]:
        embedded, embedded_cpu = self._embedder.seconds, self._embedder.cpu_seconds
        wall, cpu = time.perf_counter(), time.process_time()
        result = call()
        spent, spent_cpu = time.perf_counter() - wall, time.process_time() - cpu
        spent -= self._embedder.seconds - embedded
        spent_cpu -= self._embedder.cpu_seconds - embedded_cpu
        return result, Took(spent * 1000, spent_cpu * 1000)

    def each(self, calls: Iterable[Callable[[], object]]) -> list[Took]:
        return [self.run(call)[1] for call in calls]


class Scan:
    """One exact scan: the product of all vectors, as float32, with the vector of a question."""

    def __init__(self, vectors: NDArray) -> None:  # type: ignore[type-arg]
        self._vectors = vectors

    def spread(self, size: int, scans: int = SCANS) -> Spread:
        """For a store of this size. If there are fewer vectors here, the time is multiplied: it grows in proportion."""
        times = size / len(self._vectors)
        took = [self._once(n) for n in range(scans)]
        return Spread.of([Took(one.wall * times, one.cpu * times) for one in took])

    def _once(self, number: int) -> Took:
        asked = self._vectors[number]
        wall, cpu = time.perf_counter(), time.process_time()
        self._vectors @ asked
        return Took((time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000)

    def nearest(self, asked: NDArray, count: int) -> list[float]:  # type: ignore[type-arg]
        """The highest cosines, best first."""
        import numpy as np

        found: list[float] = np.sort(self._vectors @ asked)[::-1][:count].tolist()
        return found
