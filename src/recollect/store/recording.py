"""Entries of the recall log that could not be written at once.

A recall must not wait for a writer or fail on a full disk. So a store tries once to write the entry of a recall. If it
can't, the entry waits here, and a thread writes it as soon as that is possible.
"""

from __future__ import annotations

import atexit
import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from weakref import WeakMethod, WeakSet

from .. import forks
from ..errors import StoreDamaged, StoreError, StoreReadOnly, StoreReplaced
from .values import Access, RecallEntry

MOST_WAITING = 10_000
"""Entries beyond this many are not kept, so that a full disk can't fill the memory of the process."""
_SHORTEST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 0.02, 2.0
_HOPELESS = (StoreDamaged, StoreReadOnly, StoreReplaced)

Entry = RecallEntry | Access
_open: WeakSet[WaitingEntries] = WeakSet()


class WaitingEntries:
    """A bounded queue and the thread that empties it. The thread runs only while something waits."""

    def __init__(self, write: Callable[[Sequence[Entry]], None]) -> None:
        self._writer = WeakMethod(write)
        """Weak, so that a store that nobody uses any more is collected at once."""
        self._start()
        _open.add(self)

    def _start(self) -> None:
        self._entries: deque[Entry] = deque()
        self._kept: Callable[[Sequence[Entry]], None] | None = None
        """Keeps the store while something waits."""
        self._lost = 0
        self._writing = threading.Lock()
        """Held while entries are written, so that none is written twice."""
        self._state = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()
        forks.watch(self, self._state)

    def disown(self) -> None:
        """The parent writes what waited when the process forked."""
        self._start()

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, entry: Entry) -> None:
        with self._state:
            if len(self._entries) >= MOST_WAITING or self._closed.is_set():
                self._lost += 1
                return
            self._entries.append(entry)
            self._kept = self._writer()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="recollect-recall-log", daemon=True)
                self._thread.start()

    def flush(self) -> bool:
        """Writes all that waits. False if that is not possible now."""
        try:
            with self._writing:
                self._write_all()
        except StoreError:
            return False
        return True

    def _write_all(self) -> None:
        write = self._writer()
        if write is None or not (some := list(self._entries)):
            return
        try:
            write(some)
        except _HOPELESS:
            self._lost += len(some)
            self._drop(len(some))
            raise
        self._drop(len(some))

    def _drop(self, count: int) -> None:
        for _ in range(count):
            self._entries.popleft()

    def _run(self) -> None:
        pause = _SHORTEST_PAUSE_SECONDS
        while not self._closed.wait(pause):
            pause = _SHORTEST_PAUSE_SECONDS if self.flush() else min(2 * pause, _LONGEST_PAUSE_SECONDS)
            with self._state:
                if not self._entries:
                    self._thread = self._kept = None
                    return

    def close(self) -> None:
        """Writes what waits, and says so if that is not possible."""
        with self._state:
            self._closed.set()
        self.flush()
        if lost := self._lost + len(self._entries):
            logging.getLogger("recollect").warning("%d entries of the recall log could not be written", lost)
        self._entries.clear()
        self._kept = None
        self._lost = 0
        _open.discard(self)


@atexit.register
def _flush_all() -> None:
    """A program that ends without closing its stores loses nothing either."""
    forks.notice()
    for waiting in list(_open):
        waiting.flush()
