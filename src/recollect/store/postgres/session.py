"""One connection, what we know about it, and how long its statements take."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from time import perf_counter
from typing import Any, NamedTuple

import psycopg
from psycopg.abc import Params, Query

SLOW_SECONDS = 1.0
"""Statements that take longer are counted and logged."""
_SHOWN_CHARS = 300

_log = logging.getLogger("recollect")


class Position(NamedTuple):
    """A position in the write-ahead log. A promoted replica begins a new timeline: there, a position means something
    else."""

    timeline: int
    lsn: int


NOTHING = Position(0, 0)


class Statements:
    """Counts statements and those that were slow."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.count = self.slow = 0
        self.seconds = 0.0

    def took(self, query: Query, seconds: float) -> None:
        with self._lock:
            self.count += 1
            self.seconds += seconds
            self.slow += seconds >= SLOW_SECONDS
        if seconds >= SLOW_SECONDS:  # the statement's values are not in its text
            _log.warning("a statement took %.1f s: %.*s", seconds, _SHOWN_CHARS, " ".join(str(query).split()))


class _TimedCursor(psycopg.Cursor[tuple[Any, ...]]):
    """Times a statement until its result is there. In a pipeline, that is when the statement is sent."""

    def execute(
        self, query: Query, params: Params | None = None, *, prepare: bool | None = None, binary: bool | None = None
    ) -> _TimedCursor:
        assert isinstance(self.connection, Session)
        if self.connection.rewrite is not None and isinstance(query, str):
            query = self.connection.rewrite(query)
        started = perf_counter()
        try:
            return super().execute(query, params, prepare=prepare, binary=binary)  # type: ignore[arg-type,misc]
        finally:
            self.connection.statements.took(query, perf_counter() - started)


class Session(psycopg.Connection[tuple[Any, ...]]):
    statements: Statements
    has_replayed: Position = NOTHING
    """What the server had replayed when it was asked on this connection. A restart ends the connection, and may set a
    replica back."""
    identity: str = ""
    """Which cluster and database it is connected with."""
    scope: str | None = None
    """The namespace that row security limits the running transaction to."""
    limits: Callable[[str | None], list[str]] | None = None
    """The statements that limit it to another one."""
    rewrite: Callable[[str], str] | None = None
    """What makes of a statement about the whole tables one about a partition."""

    @classmethod
    def open(cls, conninfo: str, statements: Statements) -> Session:
        made = cls.connect(conninfo, autocommit=True, cursor_factory=_TimedCursor)
        assert isinstance(made, Session)
        made.statements = statements
        return made


def written(db: psycopg.Connection[tuple[Any, ...]]) -> Position:
    """How far the log of a primary server goes."""
    return position(db.execute(WRITTEN, prepare=False).fetchone())


WRITTEN = (
    "SELECT left(pg_walfile_name(pg_current_wal_insert_lsn()), 8), "
    "pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text"
)
_REPLAYED = (
    "SELECT to_hex(greatest((SELECT timeline_id FROM pg_control_checkpoint()), "
    "(SELECT min_recovery_end_timeline FROM pg_control_recovery()), "
    # others than members of pg_monitor get NULL here
    "(SELECT received_tli FROM pg_stat_wal_receiver))), pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::text"
)


_IDENTITY = "SELECT system_identifier::text || '/' || current_database() FROM pg_control_system()"


def identity(db: psycopg.Connection[tuple[Any, ...]]) -> str:
    """The cluster and the database; replicas have those of their primary."""
    row = db.execute(_IDENTITY, prepare=False).fetchone()
    return str(row[0]) if row else ""


def position(row: tuple[Any, ...] | None) -> Position:
    return NOTHING if row is None else Position(int(row[0], 16), int(row[1] or 0))


def replayed(db: psycopg.Connection[tuple[Any, ...]]) -> Position:
    """How far a replica has got. A replica that was promoted is a primary server with a timeline of its own."""
    is_replica = db.execute("SELECT pg_is_in_recovery()", prepare=False).fetchone() == (True,)
    return position(db.execute(_REPLAYED if is_replica else WRITTEN, prepare=False).fetchone())
