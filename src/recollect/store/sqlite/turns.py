"""Who held the write lock for long leaves it free for a moment, so that others get it between two pages.

SQLite's lock has no queue. A waiting process looks again after a nap, and a thread waits in no order. Whoever releases
the lock and takes it again at once would keep it.
"""

from __future__ import annotations

import threading
import time

LONG_SECONDS = 0.05
"""Locks held for less are not counted: single writes must not get slower."""
REST_SECONDS = 0.06
"""Longer than the longest nap of a waiting process."""


class Turns:
    def __init__(self) -> None:
        self._began = 0.0
        self._last_holder: int | None = None
        self._free_until = 0.0

    def begin(self) -> None:
        """The lock was taken."""
        self._began = time.monotonic()

    def end(self) -> None:
        """The lock is released."""
        now = time.monotonic()
        self._last_holder = threading.get_ident()
        self._free_until = now + REST_SECONDS if now - self._began >= LONG_SECONDS else 0.0

    def wait(self) -> None:
        """Waits if this thread held the lock for long and released it just now."""
        left = self._free_until - time.monotonic()
        if left > 0 and self._last_holder == threading.get_ident():
            time.sleep(left)
