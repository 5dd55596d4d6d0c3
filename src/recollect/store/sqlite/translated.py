"""SQLite's errors as errors of recollect, which tell what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from ...errors import RecollectError, StoreDamaged, StoreError, StoreLocked, StoreReadOnly, StoreReplaced

BUSY_TIMEOUT_SECONDS = 5.0
_SCHEMA_IS_DAMAGED = (
    "no such table",
    "no such column",
    "malformed",
    "unknown tokenizer",
    "duplicate column",
    "already exists",
    "unsupported file format",
)
"""In SQLite's messages when the file does not have the tables that its version must have."""


class translated:  # noqa: N801 - used as a function
    """Raises SQLite's errors as errors of recollect. A generator would take several times as long, on every read."""

    __slots__ = ("_path",)

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        return error is not None and _is_dropped(self._path, error)


def _is_dropped(path: str, error: BaseException) -> bool:
    """Raises the error of recollect that stands for one of SQLite. Whether the error is to be dropped."""
    match error:
        case apsw.BusyError() | apsw.LockedError():
            raise StoreLocked(
                f"{path} is locked by another process (waited {BUSY_TIMEOUT_SECONDS:g} s): try again"
            ) from error
        case apsw.SQLError() if not any(part in str(error) for part in _SCHEMA_IS_DAMAGED):
            return False
        case apsw.NotADBError() | apsw.CorruptError() | apsw.FormatError() | UnicodeDecodeError() | apsw.SQLError():
            raise damaged(path, error) from error
        case apsw.ReadOnlyError() | apsw.PermissionsError():
            raise _not_writable(path, error) from error
        case apsw.ConnectionClosedError() | apsw.CursorClosedError() | apsw.ThreadingViolationError():
            if isinstance(error.__context__, GeneratorExit):  # Ctrl-C can leave a block open; closing has undone it
                return True
            raise closed(path) from error
        case apsw.FullError():
            raise StoreError(f"the disk that holds {path} is full: the write was undone, make room") from error
        case UnicodeEncodeError():
            what = f"the path {path!a} is not UTF-8 text, which SQLite needs: choose another name"
            raise StoreError(what) from None
        case apsw.CantOpenError() | apsw.IOError():
            raise _unreachable(path, error) from error
    return False


def _unreachable(path: str, error: apsw.Error) -> StoreError:
    if isinstance(error, apsw.IOError):
        return StoreError(f"the disk that holds {path} reports an error ({error}): check that the disk has room")
    return StoreError(f"{path} can't be opened ({error}): check the path, its permissions, and that the disk has room")


def damaged(path: str, why: object) -> StoreDamaged:
    return StoreDamaged(
        f"{path} is not a recollect store or is damaged ({why}): restore a copy with `recollect restore-backup`, "
        f"save what can be read with `recollect recover {path} NEW`, or choose another file with --db"
    )


def closed(path: str) -> StoreError:
    return StoreError(f"{path} was closed: open it again")


def _not_writable(path: str, error: apsw.Error) -> StoreError:
    if getattr(error, "extendedresult", 0) == apsw.SQLITE_READONLY_DBMOVED:
        return replaced(path)
    return StoreReadOnly(f"{path} is read-only: make the file and its folder writable to store")


def replaced(path: str) -> StoreReplaced:
    what = "replaced by another file" if Path(path).exists() else "removed"
    return StoreReplaced(f"{path} was {what} while it was open: nothing was written, open it again")


def forked(path: str) -> StoreError:
    return StoreError(
        f"{path} was in use by another thread or a transaction when this process was forked: open it again here"
    )


@contextmanager
def suspected(path: str, db: apsw.Connection) -> Iterator[None]:
    """If values of a strange type or length end a read, the file may be damaged. SQLite then says whether it is."""
    try:
        yield
    except RecollectError:
        raise
    except (TypeError, ValueError, LookupError, OverflowError, AttributeError) as error:
        found = db.execute("PRAGMA integrity_check(1)").get
        if found == "ok":
            raise
        raise damaged(path, found) from error
