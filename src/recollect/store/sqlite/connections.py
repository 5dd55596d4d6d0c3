"""Connections to one SQLite file: one writer, one reader per thread, and errors that tell what to do."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote
from weakref import WeakSet

import apsw

from ... import forks
from ...errors import StoreDamaged, StoreError, StoreLocked, StoreReadOnly, StoreReplaced
from ..checksums import row_checksum, vector_checksum
from . import file

BUSY_TIMEOUT_SECONDS = 5.0
VACUUM_UP_TO_BYTES = 64 * 2**20
_LONGEST_NAP_SECONDS = 0.05
_SCHEMA_IS_DAMAGED = ("no such table", "no such column", "malformed", "unknown tokenizer", "duplicate column")
"""How SQLite's messages begin when the file does not have the tables that its version must have."""


class Database(Protocol):
    """A connection with untyped rows. The schema defines the types of the columns."""

    @property
    def in_transaction(self) -> bool: ...
    def execute(self, sql: str, bindings: Sequence[Any] = ...) -> Any: ...  # noqa: ANN401
    def executemany(self, sql: str, rows: Sequence[Sequence[Any]]) -> Any: ...  # noqa: ANN401
    def last_insert_rowid(self) -> int: ...
    def total_changes(self) -> int: ...
    def pragma(self, name: str, value: Any = ...) -> Any: ...  # noqa: ANN401


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Raises SQLite's errors as errors of recollect."""
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise StoreLocked(
            f"{path} is locked by another process (waited {BUSY_TIMEOUT_SECONDS:g} s): try again"
        ) from error
    except (apsw.NotADBError, apsw.CorruptError, apsw.FormatError, UnicodeDecodeError, apsw.SQLError) as error:
        if isinstance(error, apsw.SQLError) and not str(error).startswith(_SCHEMA_IS_DAMAGED):
            raise
        raise damaged(path, error) from error
    except (apsw.ReadOnlyError, apsw.PermissionsError) as error:
        raise _not_writable(path, error) from error
    except (apsw.ConnectionClosedError, apsw.CursorClosedError, apsw.ThreadingViolationError) as error:
        if not isinstance(error.__context__, GeneratorExit):  # Ctrl-C can leave a block open; closing has undone it
            raise _closed(path) from error
    except apsw.FullError as error:
        raise StoreError(f"the disk that holds {path} is full: the write was undone, make room") from error
    except UnicodeEncodeError:
        raise StoreError(f"the path {path!a} is not UTF-8 text, which SQLite needs: choose another name") from None
    except (apsw.CantOpenError, apsw.IOError) as error:
        raise StoreError(
            f"{path} can't be opened ({error}): check the path, its permissions, and that the disk has room"
        ) from error


def damaged(path: str, why: object) -> StoreDamaged:
    return StoreDamaged(
        f"{path} is not a recollect store or is damaged ({why}): restore a copy with `recollect restore-backup`, "
        f"save what can be read with `recollect recover {path} NEW`, or choose another file with --db"
    )


def _closed(path: str) -> StoreError:
    return StoreError(f"{path} was closed: open it again")


def _not_writable(path: str, error: apsw.Error) -> StoreError:
    if getattr(error, "extendedresult", 0) == apsw.SQLITE_READONLY_DBMOVED:
        return _replaced(path)
    return StoreReadOnly(f"{path} is read-only: make the file and its folder writable to store")


def _replaced(path: str) -> StoreReplaced:
    what = "replaced by another file" if Path(path).exists() else "removed"
    return StoreReplaced(f"{path} was {what} while it was open: nothing was written, open it again")


def _forked(path: str) -> StoreError:
    return StoreError(
        f"{path} was in use by another thread or a transaction when this process was forked: open it again here"
    )


class Connections:
    """Opens the file. Does not change it before `prepare`, because it may belong to another program."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.in_memory = path == ":memory:"
        self._file = path if self.in_memory else os.path.abspath(path)
        """The working directory may change while the store is open."""
        self.forks = 0
        """How many forks lie between the process that opened the store and this one."""
        self._synchronous: str | None = None
        self._closed = self._unusable = False
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
        connection.create_scalar_function("row_checksum", _row_checksum, deterministic=True)
        connection.create_scalar_function("vector_checksum", _vector_checksum, 1, deterministic=True)
        return connection

    @contextmanager
    def read(self) -> Iterator[Database]:
        """A connection for reading. Inside a transaction of this thread, it is the transaction's connection."""
        self._check_open()
        if self.in_transaction:
            yield self._writer
        elif self.in_memory or self.read_only:
            with self._lock, translated(self.path), self._shared():
                yield self._writer
        else:
            with translated(self.path):
                yield self._reader()

    @contextmanager
    def _shared(self) -> Iterator[None]:
        """One connection for all threads. It is not opened again while a block uses it."""
        self._refresh()
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    @contextmanager
    def snapshot(self) -> Iterator[Database]:
        """A connection for several reads that must see one state while others write."""
        with self.read() as db:
            assert isinstance(db, apsw.Connection)
            with db:
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
    def transaction(self) -> Iterator[Database]:
        """Holds the write lock from BEGIN IMMEDIATE to COMMIT. Nested transactions are savepoints."""
        with self._lock:
            self._check_open()
            nested = self.in_transaction
            with translated(self.path), self._writer if nested else self._immediate():
                yield self._writer

    @contextmanager
    def transaction_now(self) -> Iterator[Database]:
        """The same, but raises StoreLocked at once if another thread or process is writing."""
        if not self._lock.acquire(blocking=False):
            raise StoreLocked(f"{self.path} is being written by another thread: try again")
        try:
            with self.waiting_at_most(0.0), self.transaction() as db:
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
    def _immediate(self) -> Iterator[None]:
        writer, pid = self._writer, os.getpid()
        try:
            writer.execute("BEGIN IMMEDIATE")
            self._owner = threading.get_ident()
            self._check_identity()
            yield
            self._check_parent(pid)
            writer.execute("COMMIT")
        except BaseException:  # includes Ctrl-C: the transaction must not stay open
            if pid == os.getpid() and writer.in_transaction:
                writer.execute("ROLLBACK")
            raise
        finally:
            self._owner = None

    def _check_identity(self) -> None:
        """Called under the write lock, so that `restore-backup` can't replace the file between this and the write."""
        if not self.in_memory and file.identity(self._file) != self._identity:
            raise _replaced(self.path)

    def _check_parent(self, pid: int) -> None:
        if pid != os.getpid():  # the transaction is the parent's, which goes on with it
            raise _forked(self.path)

    def erase_deleted(self) -> None:
        """Removes deleted text from the file and from the write-ahead log. Not possible inside a transaction.

        `secure_delete` overwrites deleted cells, but not the copies that stay in the unused part of a page when SQLite
        moves cells to another page. Only VACUUM removes these; in a large file it would take too long.
        """
        with self._lock, translated(self.path):
            if os.path.getsize(self._file) <= VACUUM_UP_TO_BYTES:
                with suppress(apsw.BusyError, apsw.FullError):  # the next purge tries again
                    self._writer.execute("VACUUM").fetchall()
            self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def _check_open(self) -> None:
        forks.notice()
        if self._closed:
            raise _closed(self.path)
        if self._unusable:
            raise _forked(self.path)
        if self._inherited:
            self._reconnect()

    def _reconnect(self) -> None:
        with self._lock:
            if self._inherited:
                self._connect()
                self.prepare(synchronous=self._synchronous or "normal")
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
                with suppress(apsw.ThreadingViolationError):  # in use by its thread; closed when that ends
                    connection.close()
            self._readers.clear()


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
