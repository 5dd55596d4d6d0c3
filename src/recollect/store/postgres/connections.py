"""Connections to one PostgreSQL database: a small pool, one transaction per thread, errors that tell what to do.

A connection is opened when one is needed and none is idle. So a server that is down is reported at once, in the
caller's own thread, and is used again as soon as it is back. `psycopg_pool` can't do that: see docs/dependencies.md.
"""

from __future__ import annotations

import logging
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any, TypeAlias

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ... import forks
from ...errors import StoreError, StoreLocked
from .failures import is_lost, translated

BUSY_TIMEOUT_SECONDS = 5.0
MOST_CONNECTIONS = 16
_CONNECT_TIMEOUT_SECONDS = 5
_TRUSTED_FOR_SECONDS = 1.0
"""A connection that was idle for longer is tested before it is used."""
_WRITER = 0x5EC0_11EC
"""The advisory lock of the writer."""
_SHORT_WALK = "SET LOCAL hnsw.ef_search = 100"
"""Writers search only for near duplicates, and a smaller ef_search is enough to find those."""
_OUTER = (("BEGIN", f"SELECT pg_advisory_xact_lock({_WRITER})", _SHORT_WALK), "COMMIT", ("ROLLBACK",))
_BRIEF = (("BEGIN", "SET LOCAL lock_timeout = '50ms'"), "COMMIT", ("ROLLBACK",))
_NESTED = (("SAVEPOINT nested",), "RELEASE nested", ("ROLLBACK TO nested", "RELEASE nested"))
"""The statements that begin, commit and roll back a transaction."""

_PASSWORD = re.compile(r"[?&][^=&]*pass", re.IGNORECASE)

# without a handler, psycopg would print errors on stderr that are raised anyway
logging.getLogger("psycopg").addHandler(logging.NullHandler())

Database: TypeAlias = "psycopg.Connection[tuple[Any, ...]]"


class Connections:
    """A pool of connections. It opens none before the first is needed."""

    def __init__(self, url: str) -> None:
        self.url = shown(url)
        given: dict[str, Any] = {"application_name": "recollect", "connect_timeout": _CONNECT_TIMEOUT_SECONDS}
        self._conninfo = make_conninfo("", **given | _read(url))
        self.prepare: Callable[[Database], None] = lambda db: None
        """Called with every new connection."""
        self._closed = False
        self.forks = 0
        """How many forks lie between the process that opened the store and this one."""
        self._start()

    def _start(self) -> None:
        """The state of a process that has opened nothing yet."""
        self._idle: list[tuple[float, Database]] = []  # append and pop are safe between threads
        self._free = threading.BoundedSemaphore(MOST_CONNECTIONS)
        self._local = threading.local()
        forks.watch(self)

    def disown(self) -> None:
        """Leaves the inherited connections to the parent. Closing one would end the parent's session."""
        for _, db in self._idle:
            forks.abandon(db)
        self._start()
        self.forks += 1

    @property
    def in_transaction(self) -> bool:
        return self._mine is not None

    @property
    def _mine(self) -> Database | None:
        forks.notice()
        found: Database | None = getattr(self._local, "db", None)
        return found

    @contextmanager
    def read(self) -> Iterator[Database]:
        """A connection in autocommit mode. Inside a transaction of this thread, it is the transaction's connection."""
        mine = self._mine
        with translated(self.url):
            if mine is not None:
                yield mine
            else:
                with self._borrowed() as db:
                    yield db

    @contextmanager
    def snapshot(self) -> Iterator[Database]:
        """A connection for several reads that must see one state while others write."""
        with self.read() as db:
            if self.in_transaction:
                yield db
                return
            with db.transaction(), self._kept(db):
                db.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
                yield db

    @contextmanager
    def brief(self) -> Iterator[Database]:
        """A transaction without the writer's lock that waits for no lock of a row. Sent in one round trip."""
        with translated(self.url), self._borrowed() as db, _atomic(db, _BRIEF, at_once=True):
            yield db

    @contextmanager
    def transaction(self, *, at_once: bool = False) -> Iterator[Database]:
        """Holds the writer's lock from the beginning to COMMIT. Nested transactions are savepoints. `at_once` sends
        statements without waiting for the results of earlier ones; COPY is not possible then."""
        mine = self._mine
        with translated(self.url):
            if mine is not None:
                with _atomic(mine, _NESTED, at_once):
                    yield mine
            else:
                with self._borrowed() as db, self._kept(db), _atomic(db, _OUTER, at_once):
                    yield db

    @contextmanager
    def _kept(self, db: Database) -> Iterator[None]:
        """Makes this thread use this connection for everything inside the block."""
        self._local.db = db
        try:
            yield
        finally:
            self._local.db = None

    @contextmanager
    def _borrowed(self) -> Iterator[Database]:
        self.check_open()
        if not self._free.acquire(timeout=BUSY_TIMEOUT_SECONDS):
            raise StoreLocked(
                f"all {MOST_CONNECTIONS} connections to {self.url} are in use (waited {BUSY_TIMEOUT_SECONDS:g} s): "
                "try again, or use fewer threads"
            )
        db, free, pid = None, self._free, os.getpid()
        try:
            db = self._living() or self._connect()
            yield db
        except psycopg.Error as error:
            if is_lost(error):
                self._close_idle()
            raise
        finally:
            if db is not None and pid == os.getpid():
                self._give_back(db)
            elif db is not None:
                forks.abandon(db)
            free.release()

    def _living(self) -> Database | None:
        """The idle connection that was used last and is still open, or None."""
        with suppress(IndexError):
            while True:
                since, db = self._idle.pop()
                if time.monotonic() - since < _TRUSTED_FOR_SECONDS or _answers(db):
                    return db
                db.close()
        return None

    def _connect(self) -> Database:
        db = psycopg.connect(self._conninfo, autocommit=True)
        try:
            self.prepare(db)
        except BaseException:
            db.close()
            raise
        return db

    def _give_back(self, db: Database) -> None:
        if db.info.transaction_status == psycopg.pq.TransactionStatus.IDLE:
            self._idle.append((time.monotonic(), db))
        else:
            db.close()
        if self._closed:  # closed while the connection was in use
            self._close_idle()

    def _close_idle(self) -> None:
        with suppress(IndexError):
            while True:
                self._idle.pop()[1].close()

    @property
    def is_closed(self) -> bool:
        return self._closed

    def check_open(self) -> None:
        forks.notice()
        if self._closed:
            raise StoreError(f"{self.url} was closed: open it again")

    def close(self) -> None:
        self._closed = True
        self._close_idle()


@contextmanager
def _atomic(db: Database, how: tuple[Sequence[str], str, Sequence[str]], at_once: bool) -> Iterator[None]:
    begin, end, undo = how
    pid = os.getpid()
    try:
        with together(db) if at_once else nullcontext():
            _send(db, begin)
            yield
            if pid != os.getpid():  # the transaction is the parent's, which goes on with it
                raise StoreError("this process was forked inside a transaction: nothing was written here")
            db.execute(end)
    except BaseException:
        with suppress(psycopg.Error):  # the server rolls back when a connection is lost
            if pid == os.getpid():
                _send(db, undo)
        raise


def _send(db: Database, statements: Sequence[str]) -> None:
    """Sends the statements in one round trip."""
    for statement in statements if is_piped(db) else ["; ".join(statements)]:
        db.execute(statement, prepare=False)


def together(db: Database) -> AbstractContextManager[object]:
    """Sends the statements inside without waiting for their results. Only reading a result waits."""
    return nullcontext() if is_piped(db) else db.pipeline()


def is_piped(db: Database) -> bool:
    return db.info.pipeline_status != psycopg.pq.PipelineStatus.OFF


def _answers(db: Database) -> bool:
    try:
        db.execute("")
    except psycopg.Error:
        return False
    return True


def _read(url: str) -> dict[str, Any]:
    scheme, _, rest = url.partition("://")
    try:
        found = dict(conninfo_to_dict(f"{scheme.lower()}://{rest}"))
    except psycopg.Error:  # its message repeats parts of the URL, which may be the password
        found = {"host": "@"}
    if "@" in str(found.get("host")):  # an @ in the password: its end is taken for the host
        raise StoreError(
            f"{shown(url)} is not a URL such as postgresql://user:password@host:5432/database: correct it; special "
            "characters of a password are written as %40 for @, %2F for /, %25 for %"
        )
    return found


def shown(url: str) -> str:
    """The URL without its password and options, for messages."""
    plain = url.partition("?")[0] if _PASSWORD.search(url) else url
    head, at, tail = plain.rpartition("@")
    scheme, slashes, user = head.partition("://")
    name = user.partition(":")[0]
    return f"{scheme}{slashes}{name}@{tail}" if at and slashes else plain
