"""Removes what is left of purged text: copies of cells in the file, and the write-ahead log.

A reader in the middle of a read keeps the log, and a full disk prevents copying it into the file. The purge itself is
committed by then. So a setting notes that traces are left, and the store finishes later: a thread tries again, and so
do closing and the next opening, also by another process.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from weakref import WeakMethod

import apsw

from ...errors import StoreError
from ..sql import tables
from ..tables import TRACES, Setting
from .connections import Connections, Database
from .dialect import SQLITE

_SHORTEST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 0.1, 5.0
_WARNING = (
    "the memories are purged, but traces of their text stay in %s until %s. "
    "They are removed then, or when the store is opened the next time"
)


def note(db: Database) -> None:
    """Notes that traces are left. Part of the transaction of the purge."""
    tables.write(db, SQLITE, [Setting(key=TRACES, value="1")])


class Eraser:
    """Erases the traces of one store. The thread runs only while something prevents that."""

    def __init__(self, connections: Connections) -> None:
        self._db = connections
        self._own = WeakMethod(self.erase)
        self._lock = threading.Lock()
        self._is_vacuumed = False
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()

    def begin(self) -> None:
        """Text was purged."""
        self._is_vacuumed = False

    def resume(self) -> None:
        """Finishes what another process left, in a thread: opening must not wait."""
        with self._db.read() as db:
            left = is_noted(db)
        if left:
            self._start()

    def erase_now(self) -> None:
        """Erases. If that is not possible now, says so and goes on in a thread."""
        why = self._why_not()
        if why is not None:
            logging.getLogger("recollect").warning(_WARNING, self._db.path, why)
            self._start()

    def erase(self) -> bool:
        return self._why_not() is None

    def _why_not(self) -> str | None:
        """Erases. Returns what must happen first, or None if nothing is left."""
        with self._lock:
            try:
                self._is_vacuumed = self._is_vacuumed or self._db.vacuum()
                if not (self._is_vacuumed and self._db.truncate_log()):
                    return "another program has finished reading"
                with self._db.transaction() as db:
                    db.execute("DELETE FROM setting WHERE key = ?", (TRACES,))
            except StoreError as error:
                return (
                    "the disk has room" if isinstance(error.__cause__, apsw.FullError) else f"this is solved: {error}"
                )
        return None

    def _start(self) -> None:
        with self._lock:
            if self._thread is None and not self._closed.is_set():
                arguments = (self._own, self._closed)
                self._thread = threading.Thread(target=_run, args=arguments, name="recollect-erase", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Tries a last time, also for another process that could not."""
        self._closed.set()
        try:
            with self._db.read() as db:
                left = is_noted(db)
        except StoreError:
            return
        if left:
            self.erase()


def is_noted(db: Database) -> bool:
    return db.execute("SELECT 1 FROM setting WHERE key = ?", (TRACES,)).fetchone() is not None


def _run(erase: Callable[[], Callable[[], bool] | None], closed: threading.Event) -> None:
    pause = _SHORTEST_PAUSE_SECONDS
    while not closed.wait(pause):
        own = erase()
        if own is None or own():
            return
        del own
        pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
