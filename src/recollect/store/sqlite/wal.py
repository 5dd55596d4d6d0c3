"""Keeps the write-ahead log small.

SQLite reuses the log from its beginning once all of it is in the file and nobody reads from it. A slow reader, or many
readers of which one is always busy, prevent that, and the log grows. It also never gets smaller by itself.
"""

from __future__ import annotations

import os

import apsw

from .file import WAL, beside

LIMIT_BYTES = 16 * 2**20
"""Above this size, the log is copied into the file and cut."""
PATIENCE_SECONDS = 0.25
"""How long a writer waits for readers before it lets the log grow."""


def size(log: str) -> int:
    """The size of a log; 0 if there is none."""
    try:
        return os.stat(log).st_size
    except OSError:
        return 0


def truncate(connection: apsw.Connection) -> bool:
    """Copies the log into the file and cuts it. False if a reader or another writer prevents that."""
    try:
        [(busy, _, _)] = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    except (apsw.BusyError, apsw.LockedError):
        return False
    return not busy


class Bound:
    """Truncates the log of one connection when it is large. While a reader prevents it, it tries again at twice the
    size, so that writers do not wait for the reader each time."""

    def __init__(self, path: str) -> None:
        self._log = beside(path, WAL)
        self._limit = LIMIT_BYTES

    def is_exceeded(self) -> bool:
        return size(self._log) > self._limit

    def enforce(self, connection: apsw.Connection) -> None:
        """Called after a commit, so an error of the disk is not an error of the write."""
        try:
            done = truncate(connection)
        except (apsw.FullError, apsw.IOError):
            done = False
        self._limit = LIMIT_BYTES if done else 2 * size(self._log)
