"""Connections to one SQLite file: one writer, and one reader per thread."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote
from weakref import WeakSet

import apsw

from ... import forks
from ...errors import StoreError, StoreLocked
from ..checksums import row_checksum, vector_checksum
from . import file, wal
from .covered import intact
from .translated import BUSY_TIMEOUT_SECONDS, closed, forked, replaced, suspected, translated
from .turns import Turns

VACUUM_UP_TO_BYTES = 64 * 2**20
_LONGEST_NAP_SECONDS = 0.05


class Database(Protocol):
    """A connection with untyped rows. The schema defines the types of the columns."""

    @property
    def in_transaction(self) -> bool: ...
    def execute(self, sql: str, bindings: Sequence[Any] = ...) -> Any: ...  # noqa: ANN401
    def executemany(self, sql: str, rows: Sequence[Sequence[Any]]) -> Any: ...  # noqa: ANN401
    def last_insert_rowid(self) -> int: ...
    def total_changes(self) -> int: ...
    def pragma(self, name: str, value: Any = ...) -> Any: ...  # noqa: ANN401


class Connections:
    """Opens the file. Does not change it before `prepare`, because it may belong to another program."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.in_memory = path == ":memory:"
        self._file = path if self.in_memory else os.path.abspath(path)
        """The working directory may change while the store is open."""
        self.forks = 0
        """How many forks lie between the process that opened the store and this one."""
        self._synchronous = "full"
        self._closed = self._unusable = False
        self._log = wal.Bound(self._file)
        self._start()
        if not self.in_memory:
            file.check_path(path)
            file.make_private(path)
        self._connect()

    def _start(self) -> None:
        """The state of a process that has opened nothing yet."""
        self._lock = threading.RLock()
        self._patience = _Patience()
        """How long the writer waits for other processes."""
        self._turns = Turns()
        self._owner: int | None = None
        self._depth = 0
        """How many blocks use the connection of a read-only store."""
        self._local = threading.local()
        self._readers: WeakSet[apsw.Connection] = WeakSet()
        """The readers of all threads. A reader is closed when its thread ends."""
        self._readers_lock = threading.Lock()
        """A lock of its own, so that the first read of a thread does not wait for a writer."""
        self._inherited = False
        """Whether the parent's connections were given up and none was opened yet."""
        forks.watch(self, self._lock)

    def _connect(self) -> None:
        with translated(self.path):
            self._identity = file.identity(self._file)
            self._writer = self._open(self._file, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE, self._patience)
            if self._identity is None:  # SQLite has made the file
                self._identity = file.identity(self._file)
            self.read_only = self._writer.readonly("main")
            self._state = file.state(self._file)
            self._fixed = self.read_only and not self._state[-1] and not file.folder_is_writable(self._file)
            if self._fixed:
                self._writer = self._reopened_as_fixed()

    def prepare(self, *, synchronous: str) -> None:
        """Applies the settings for writing."""
        self._synchronous = synchronous
        if self.read_only:
            return
        with translated(self.path):
            _retry_busy(lambda: self._writer.pragma("journal_mode", "wal"))
            self._writer.pragma("synchronous", synchronous)
            self._writer.pragma("secure_delete", True)
            self._writer.pragma("journal_size_limit", wal.LIMIT_BYTES)
            self._writer.pragma("temp_store", "memory")  # otherwise each nested write copies its pages to a file

    def _reopened_as_fixed(self) -> apsw.Connection:
        """Opens the file as immutable. Otherwise SQLite creates a file next to a WAL database, which is not possible
        in a read-only folder. `_refresh` opens it again when somebody has written."""
        self._writer.close()
        url = f"file:{quote(str(Path(self._file).resolve()))}?immutable=1"
        return self._open(url, apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)

    def _refresh(self) -> None:
        if self._fixed and self._depth == 0 and file.state(self._file) != self._state:
            self._writer.close()
            self._connect()

    def _open(self, path: str, flags: int, patience: _Patience | None = None) -> apsw.Connection:
        connection = apsw.Connection(path, flags=flags, statementcachesize=200)
        connection.set_busy_handler(patience or _Patience())
        connection.create_scalar_function("folded", _folded, 1, deterministic=True)
        connection.create_scalar_function("intact", intact)
        connection.create_scalar_function("row_checksum", _row_checksum, deterministic=True)
        connection.create_scalar_function("vector_checksum", _vector_checksum, 1, deterministic=True)
        return connection

    def read(self) -> AbstractContextManager[Database]:
        """A connection for reading. Inside a transaction of this thread, it is the transaction's connection."""
        self._check_open()
        return nullcontext(self._writer) if self.in_transaction else self._reading()

    @contextmanager
    def _reading(self) -> Iterator[Database]:
        if self.in_memory or self.read_only:
            with self._lock, translated(self.path), self._shared(), suspected(self.path, self._writer):
                yield self._writer
        else:
            with translated(self.path):
                reader = self._reader()
                with suspected(self.path, reader):
                    yield reader

    @contextmanager
    def _shared(self) -> Iterator[None]:
        """One connection for all threads. It is not opened again while a block uses it."""
        self._refresh()
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def snapshot(self) -> AbstractContextManager[Database]:
        """A connection for several reads that must see one state while others write. A transaction sees one anyway."""
        return self.read() if self.in_transaction else self._snapshot()

    @contextmanager
    def _snapshot(self) -> Iterator[Database]:
        with self.read() as db:
            assert isinstance(db, apsw.Connection)
            with _snapshot(db):
                yield db

    def _reader(self) -> apsw.Connection:
        reader: apsw.Connection | None = getattr(self._local, "reader", None)
        if reader is None:
            reader = self._open(self._file, apsw.SQLITE_OPEN_READONLY)
            self._local.reader = reader
            with self._readers_lock:
                self._readers.add(reader)
        return reader

    @contextmanager
    def transaction(self, *, synced: bool = True) -> Iterator[Database]:
        """Holds the write lock from BEGIN IMMEDIATE to COMMIT. Nested transactions are savepoints. What is not `synced`
        reaches the disk with the next commit that is, whatever the setting."""
        if not self.in_transaction:
            self._turns.wait()
        with self._lock:
            self._check_open()
            nested = self.in_transaction
            with translated(self.path), self._nested() if nested else self._immediate(synced):
                with nullcontext() if nested else suspected(self.path, self._writer):
                    yield self._writer
            if not nested and self._log.is_exceeded():
                with self.waiting_at_most(min(self._patience.seconds, wal.PATIENCE_SECONDS)):
                    self._log.enforce(self._writer)

    @contextmanager
    def transaction_now(self) -> Iterator[Database]:
        """The same without a sync, but raises StoreLocked at once if another thread or process is writing."""
        if not self._lock.acquire(blocking=False):
            raise StoreLocked(f"{self.path} is being written by another thread: try again")
        try:
            with self.waiting_at_most(0.0), self.transaction(synced=False) as db:
                yield db
        finally:
            self._lock.release()

    @contextmanager
    def waiting_at_most(self, seconds: float) -> Iterator[None]:
        """Called under the lock of the writer."""
        before, self._patience.seconds = self._patience.seconds, seconds
        try:
            yield
        finally:
            self._patience.seconds = before

    @contextmanager
    def _nested(self) -> Iterator[None]:
        self._check_not_undone()
        with _savepoint(self._writer):
            yield

    def _check_not_undone(self) -> None:
        """After an error of the disk, SQLite has rolled back the whole transaction, not only the nested one."""
        if not self._writer.in_transaction:
            raise StoreError(f"{self.path}: the write was undone, because a part of it failed")

    @contextmanager
    def _immediate(self, synced: bool) -> Iterator[None]:
        with nullcontext() if synced or self._synchronous != "full" else self._unsynced(), self._locked():
            yield

    @contextmanager
    def _unsynced(self) -> Iterator[None]:
        writer = self._writer
        writer.pragma("synchronous", "normal")
        try:
            yield
        finally:
            writer.pragma("synchronous", self._synchronous)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        writer, pid = self._writer, os.getpid()
        try:
            writer.execute("BEGIN IMMEDIATE")
            self._turns.begin()
            self._owner = threading.get_ident()
            self._check_identity()
            yield
            self._check_parent(pid)
            self._check_not_undone()
            writer.execute("COMMIT")
        except BaseException:  # includes Ctrl-C: the transaction must not stay open
            if pid == os.getpid() and writer.in_transaction:
                with suppress(apsw.IOError, apsw.FullError):  # the error above says it
                    writer.execute("ROLLBACK")
            raise
        finally:
            if self._owner is not None:
                self._turns.end()
            self._owner = None

    def _check_identity(self) -> None:
        """Called under the write lock, so that `restore-backup` can't replace the file between this and the write."""
        if not self.in_memory and file.identity(self._file) != self._identity:
            raise replaced(self.path)

    def _check_parent(self, pid: int) -> None:
        if pid != os.getpid():  # the transaction is the parent's, which goes on with it
            raise forked(self.path)

    @contextmanager
    def with_temporary_files(self) -> Iterator[None]:
        """For work on the whole file, whose copies are too large for the memory."""
        self._writer.pragma("temp_store", "default")
        try:
            yield
        finally:
            self._writer.pragma("temp_store", "memory")

    def vacuum(self) -> bool:
        """Removes copies of deleted text from the file. False if another process prevents it.

        `secure_delete` overwrites deleted cells, but not the copies that stay in the unused part of a page when SQLite
        moves cells to another page. Only VACUUM removes these; in a large file it would take too long.
        """
        with self._lock, translated(self.path):
            self._check_open()
            if os.path.getsize(self._file) <= VACUUM_UP_TO_BYTES:
                try:
                    with self.with_temporary_files():
                        self._writer.execute("VACUUM").fetchall()
                except (apsw.BusyError, apsw.LockedError):
                    return False
        return True

    def truncate_log(self) -> bool:
        """Copies the write-ahead log into the file and cuts it. False if a reader prevents it."""
        with self._lock, translated(self.path), self.waiting_at_most(wal.PATIENCE_SECONDS):
            self._check_open()
            return wal.truncate(self._writer)
        return False

    def _check_open(self) -> None:
        forks.notice()
        if self._closed:
            raise closed(self.path)
        if self._unusable:
            raise forked(self.path)
        if self._inherited:
            self._reconnect()

    def _reconnect(self) -> None:
        with self._lock:
            if self._inherited:
                self._connect()
                self.prepare(synchronous=self._synchronous)
                self._inherited = False

    def disown(self) -> None:
        """Closes the inherited connections so that only this process forgets them: no checkpoint, nothing written."""
        if self._closed or self._inherited:
            return
        held = [*self._readers, self._writer]
        owner = self._owner
        self._start()
        self.forks += 1
        if self.in_memory:  # a child has its own copy
            self._unusable = owner is not None
            return
        self._inherited = True
        self._unusable = not all([_disowned(connection) for connection in held])

    @property
    def is_closed(self) -> bool:
        return self._closed

    @property
    def in_transaction(self) -> bool:
        return self._owner == threading.get_ident()

    def close(self) -> None:
        forks.notice()
        self._closed = True
        if self._inherited or self._unusable:
            return
        with self._lock, self._readers_lock:
            for connection in [*self._readers, self._writer]:
                # in use by its thread, and closed when that ends; or the disk has no room for the last checkpoint,
                # then everything stays in the log
                with suppress(apsw.ThreadingViolationError, apsw.IOError, apsw.FullError):
                    connection.close()
            self._readers.clear()


@contextmanager
def _savepoint(db: apsw.Connection) -> Iterator[None]:
    """A nested transaction, or one for reading. apsw's own hides an error after which SQLite has rolled back."""
    db.execute("SAVEPOINT nested")
    try:
        yield
    except BaseException:
        with suppress(apsw.Error):
            if db.in_transaction:
                db.execute("ROLLBACK TO nested")
                db.execute("RELEASE nested")
        raise
    db.execute("RELEASE nested")


@contextmanager
def _snapshot(db: apsw.Connection) -> Iterator[None]:
    """A transaction for reading. An error of the disk ends it at once; `check` goes on after one."""
    db.execute("SAVEPOINT reading")
    try:
        yield
    finally:
        try:
            db.execute("RELEASE reading")
        except apsw.ConnectionClosedError:
            pass  # closing the store ended it
        except apsw.Error:
            if db.in_transaction:
                db.execute("ROLLBACK")


def _disowned(connection: apsw.Connection) -> bool:
    """Closes an inherited connection. False if the parent was in the middle of something with it."""
    try:
        if not connection.in_transaction:
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            connection.close()
            return True
    except apsw.ThreadingViolationError:
        pass
    forks.abandon(connection)  # collecting it would roll back the parent's transaction
    return False


def _folded(*values: Any) -> Any:  # noqa: ANN401 - what a column holds
    """Folds the case of text. SQLite's own lower() handles only ASCII."""
    (value,) = values
    return value.casefold() if isinstance(value, str) else value


def _row_checksum(*values: Any) -> int:  # noqa: ANN401 - what columns hold
    return row_checksum(values)


def _vector_checksum(*values: Any) -> int:  # noqa: ANN401 - what a column holds
    return vector_checksum(values[0])


class _Patience:
    """A busy handler that sleeps for short random times, so that waiting processes do not retry at the same time."""

    def __init__(self) -> None:
        self.seconds = BUSY_TIMEOUT_SECONDS
        self._since = 0.0

    def __call__(self, attempt: int) -> bool:
        now = time.monotonic()
        if attempt == 0:
            self._since = now
        if now - self._since >= self.seconds:
            return False
        time.sleep(random.uniform(0.0005, min(_LONGEST_NAP_SECONDS, 0.001 * 2 ** min(attempt, 6))))
        return True


def _retry_busy(action: Callable[[], object], attempts: int = 50) -> None:
    """Retries while the file is locked. Switching to WAL ignores the busy handler, and two processes may create the
    file at the same time."""
    for attempt in range(attempts):
        try:
            action()
            return
        except apsw.BusyError:
            if attempt == attempts - 1:
                raise
            time.sleep(random.uniform(0.01, 0.1))
