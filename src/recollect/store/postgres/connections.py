"""Connections to one PostgreSQL database: a small pool, one transaction per thread, errors that tell what to do.

A connection is opened when one is needed and none is idle. So a server that is down is reported at once, in the
caller's own thread, and is used again as soon as it is back. `psycopg_pool` can't do that: see docs/dependencies.md.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any, TypeAlias

import psycopg
from psycopg.conninfo import make_conninfo

from ... import forks
from ...errors import StoreError, StoreLocked
from .. import call
from .failures import is_lost, translated
from .session import WRITTEN, Position, Session, Statements, position
from .urls import parameters, shown

BUSY_TIMEOUT_SECONDS = 5.0
MOST_CONNECTIONS = 16
NETWORK = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
}
"""Limits for a server that is gone without a word, as after a power cut. Otherwise the system waits for minutes."""
_TRUSTED_FOR_SECONDS = 1.0
"""A connection that was idle for longer is tested before it is used."""
WRITER = 0x5EC0_11EC
"""The advisory lock of the writer."""
_SHORT_WALK = "SET LOCAL hnsw.ef_search = 100"
"""Writers search only for near duplicates, and a smaller ef_search is enough to find those."""
_ALONE = (f"SELECT pg_advisory_xact_lock({WRITER})", _SHORT_WALK)
_BRIEFLY = ("SET LOCAL lock_timeout = '50ms'",)
_READING = "BEGIN READ ONLY"
_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_NESTED = (("SAVEPOINT nested",), ("RELEASE nested",), ("ROLLBACK TO nested", "RELEASE nested"))
"""The statements that begin, commit and roll back a nested transaction."""

# without a handler, psycopg would print errors on stderr that are raised anyway
logging.getLogger("psycopg").addHandler(logging.NullHandler())

Database: TypeAlias = "psycopg.Connection[tuple[Any, ...]]"


class Connections:
    """A pool of connections to one server. It opens none before the first is needed.

    Behind a pooler, the next transaction may be on another connection of the server. So there nothing is kept from one
    transaction to the next: settings are made in each of them, and no statement is prepared.
    """

    def __init__(self, url: str, address: Mapping[str, Any] | None = None) -> None:
        """`address`: the parameters of libpq. Without them, those of the URL, which messages show in both cases."""
        self.url = shown(url)
        given: dict[str, Any] = {"application_name": "recollect", **NETWORK}
        self._conninfo = make_conninfo("", **given | (parameters(url) if address is None else dict(address)))
        self.adapt: Callable[[Database], None] = lambda db: None
        """Called with every new connection."""
        self.settings: Sequence[str] = ()
        """Settings of the server, such as `jit = off`."""
        self.limits: Callable[[str | None], list[str]] | None = None
        """With row security: the statements that limit a transaction to a namespace, or lift the limit (None)."""
        self.check: Callable[[Session], None] = lambda db: None
        """Called with a connection before it is used for a call."""
        self.committed: Callable[[Position], None] | None = None
        """Called after each commit, with the position of the log."""
        self.has_pooler: bool | None = None
        """Whether there is a pooler in front of the server. None before the first connection."""
        self.statements = Statements()
        self._closed = False
        self.forks = 0
        """How many forks lie between the process that opened the store and this one."""
        self._start()

    def _start(self) -> None:
        """The state of a process that has opened nothing yet."""
        self._idle: list[tuple[float, Session]] = []  # append and pop are safe between threads
        self._used: set[Session] = set()
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
    def _mine(self) -> Session | None:
        forks.notice()
        found: Session | None = getattr(self._local, "db", None)
        return found

    @property
    def counts(self) -> tuple[int, int]:
        """How many connections are in use, and how many are idle."""
        return len(self._used), len(self._idle)

    @contextmanager
    def read(self) -> Iterator[Database]:
        """A connection for reading, in autocommit mode where possible. Inside a transaction of this thread, it is the
        transaction's connection."""
        mine = self._mine
        with translated(self.url):
            if mine is not None:
                with limited(mine, self._scope):
                    yield mine
                return
            with self._borrowed() as db:
                opening = self._opening()
                with self._atomic(db, _READING, *opening) if opening else nullcontext():
                    yield db

    @contextmanager
    def outside(self) -> Iterator[Database]:
        """A connection outside of a transaction, without the settings behind a pooler."""
        with translated(self.url), self._borrowed(check=False) as db:
            yield db

    @contextmanager
    def snapshot(self) -> Iterator[Database]:
        """A connection for several reads that must see one state while others write."""
        if self.in_transaction:
            with self.read() as db:
                yield db
            return
        with translated(self.url), self._borrowed() as db:
            with self._kept(db), self._atomic(db, _SNAPSHOT, *self._opening()):
                yield db

    @contextmanager
    def brief(self) -> Iterator[Database]:
        """A transaction without the writer's lock that waits for no lock of a row. Sent in one round trip."""
        with translated(self.url), self._borrowed() as db:
            with self._atomic(db, "BEGIN", *self._opening(), *_BRIEFLY, at_once=True):
                yield db

    @contextmanager
    def transaction(self, *, at_once: bool = False) -> Iterator[Database]:
        """Holds the writer's lock from the beginning to COMMIT. Nested transactions are savepoints. `at_once` sends
        statements without waiting for the results of earlier ones; COPY is not possible then."""
        mine = self._mine
        with translated(self.url):
            if mine is not None:
                with _done_or_undone(mine, *_NESTED, at_once), limited(mine, self._scope):
                    yield mine
                return
            with self._borrowed() as db, self._kept(db):
                with self._atomic(db, "BEGIN", *self._opening(), *_ALONE, at_once=at_once):
                    yield db

    @contextmanager
    def _atomic(self, db: Session, *begin: str, at_once: bool = False) -> Iterator[None]:
        follow = self.committed is not None and begin[0] == "BEGIN"
        end = ("COMMIT", WRITTEN) if follow else ("COMMIT",)
        db.scope, db.limits = self._scope, self.limits
        last: list[psycopg.Cursor[tuple[Any, ...]]] = []
        with _done_or_undone(db, begin, end, ("ROLLBACK",), at_once, last):
            yield
        if follow and self.committed is not None:
            self.committed(position(last[0].fetchone()))

    # What holds inside a transaction --------------------------------------------------------------

    @property
    def _scope(self) -> str | None:
        return call.scope() if self.limits is not None else None

    def _opening(self) -> list[str]:
        """The statements after BEGIN. None are needed where the connection has its settings and nothing is limited."""
        local = [f"SET LOCAL {each}" for each in self.settings] if self.has_pooler else []
        return local if self.limits is None or self._scope is None else [*local, *self.limits(self._scope)]

    @contextmanager
    def _kept(self, db: Session) -> Iterator[None]:
        """Makes this thread use this connection for everything inside the block."""
        self._local.db = db
        try:
            yield
        finally:
            self._local.db = None

    # The pool -------------------------------------------------------------------------------------

    @contextmanager
    def _borrowed(self, *, check: bool = True) -> Iterator[Session]:
        self.check_open()
        if not self._free.acquire(timeout=BUSY_TIMEOUT_SECONDS):
            raise StoreLocked(
                f"all {MOST_CONNECTIONS} connections to {self.url} are in use (waited {BUSY_TIMEOUT_SECONDS:g} s): "
                "try again, or use fewer threads"
            )
        db, free, used, pid = None, self._free, self._used, os.getpid()
        try:
            db = self._living() or self._connect()
            used.add(db)
            if check:
                self.check(db)
            yield db
        except psycopg.Error as error:
            if is_lost(error):
                self._close_idle()
            raise
        finally:
            if db is not None and pid == os.getpid():
                used.discard(db)
                self._give_back(db)
            elif db is not None:
                forks.abandon(db)
            free.release()

    def _living(self) -> Session | None:
        """The idle connection that was used last and is still open, or None."""
        with suppress(IndexError):
            while True:
                since, db = self._idle.pop()
                if time.monotonic() - since < _TRUSTED_FOR_SECONDS or _answers(db):
                    return db
                db.close()
        return None

    def _connect(self) -> Session:
        db = Session.open(self._conninfo, self.statements)
        try:
            self.adapt(db)
            if self.has_pooler is None:
                self.has_pooler = is_pooled(db)
            if self.has_pooler:
                db.prepare_threshold = None
            self.settle(db)
        except BaseException:
            db.close()
            raise
        return db

    def settle(self, db: Database) -> None:
        """Applies the settings to a connection, which keeps them. Behind a pooler, each transaction applies them."""
        if self.settings and not self.has_pooler:
            send(db, [f"SET {each}" for each in self.settings])

    def _give_back(self, db: Session) -> None:
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
def _done_or_undone(
    db: Session,
    begin: Sequence[str],
    end: Sequence[str],
    undo: Sequence[str],
    at_once: bool,
    last: list[psycopg.Cursor[tuple[Any, ...]]] | None = None,
) -> Iterator[None]:
    """A transaction. `last` gets the cursor of the last statement of its end."""
    pid = os.getpid()
    try:
        with together(db) if at_once else nullcontext():
            send(db, begin)
            yield
            if pid != os.getpid():  # the transaction is the parent's, which goes on with it
                raise StoreError("this process was forked inside a transaction: nothing was written here")
            ended = send(db, end)
        if last is not None:
            last.append(ended)
    except BaseException:
        with suppress(psycopg.Error):  # the server rolls back when a connection is lost
            if pid == os.getpid():
                send(db, undo)
        raise


def send(db: Database, statements: Sequence[str]) -> psycopg.Cursor[tuple[Any, ...]]:
    """Sends the statements in one round trip. Returns the cursor of the last one."""
    if is_piped(db):
        return [db.execute(statement, prepare=False) for statement in statements][-1]
    found = db.execute("; ".join(statements), prepare=False)
    while found.nextset():
        pass
    return found


@contextmanager
def limited(db: Database, scope: str | None) -> Iterator[None]:
    """Changes the namespace that row security limits the running transaction to. None lifts the limit."""
    if not isinstance(db, Session) or db.limits is None or db.scope == scope:
        yield
        return
    before, db.scope = db.scope, scope
    send(db, db.limits(scope))
    try:
        yield
    except BaseException:
        with suppress(psycopg.Error):
            if db.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS:
                send(db, db.limits(before))
        raise
    else:
        send(db, db.limits(before))
    finally:
        db.scope = before


def is_limited(db: Database) -> bool:
    return isinstance(db, Session) and db.scope is not None


def is_pooled(db: Database) -> bool:
    """A pooler gives its clients other numbers than those of the server's processes."""
    return db.execute("SELECT pg_backend_pid()", prepare=False).fetchone() != (db.info.backend_pid,)


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
