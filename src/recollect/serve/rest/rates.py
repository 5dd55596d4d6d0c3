"""Limits the requests of each key with a token bucket."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from time import monotonic

MOST_BUCKETS = 10_000


class Rates:
    """One bucket per key. A full bucket allows `burst` requests at once; it refills by `per_second`."""

    def __init__(self, per_second: float, burst: int, clock: Callable[[], float] = monotonic) -> None:
        self._per_second, self._burst, self._clock = per_second, burst, clock
        self._buckets: dict[str, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def wait(self, key: str) -> int:
        """Takes one token from the key's bucket. Returns 0, or the seconds to wait when it is empty."""
        with self._lock:
            now = self._clock()
            level = self._level(key, now)
            if level < 1:
                return max(1, math.ceil((1 - level) / self._per_second))
            self._buckets[key] = level - 1, now
            return 0

    def _level(self, key: str, now: float) -> float:
        if len(self._buckets) >= MOST_BUCKETS:
            self._buckets = {
                name: held for name, held in self._buckets.items() if self._filled(held, now) < self._burst
            }
        return self._filled(self._buckets[key], now) if key in self._buckets else float(self._burst)

    def _filled(self, held: tuple[float, float], now: float) -> float:
        level, at = held
        return min(self._burst, level + (now - at) * self._per_second)
