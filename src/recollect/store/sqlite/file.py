"""The store's file on disk: who may read it, and whether a path still names the file that was opened."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from ...errors import StoreError
from ...ids import new_id
from ..files import OWNER_ONLY

BESIDE = ("-wal", "-shm", "-journal")
"""The endings of the files that SQLite keeps next to a store."""
WAL = BESIDE[0]

Identity: TypeAlias = tuple[int, int] | None
"""Device and inode of a file, or None if there is none."""


def beside(path: str | Path, ending: str) -> str:
    """The path of such a file. If the path of the store is a link, it is next to what the link leads to."""
    return f"{os.path.realpath(path)}{ending}"


def identity(path: str) -> Identity:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def state(path: str) -> tuple[int, ...]:
    """Changes when the file is written or replaced, or when a write-ahead log appears next to it."""
    with suppress(OSError):
        found = os.stat(path)
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, os.path.exists(beside(path, WAL))
    return ()


def check_path(path: str) -> None:
    if "\0" in path:
        raise StoreError(f"the path {path!r} contains a null character: give the path of a file")
    if not _is_utf8(path):
        raise StoreError(f"the path {path!a} is not UTF-8 text, which SQLite needs: choose another name")
    try:
        _check_kind(Path(path))
    except OSError as error:
        raise StoreError(f"{path} can't be opened: {error.strerror}: check the path and its permissions") from None


def _is_utf8(path: str) -> bool:
    try:
        return bool(path.encode())
    except UnicodeEncodeError:
        return False


def _check_kind(path: Path) -> None:
    if path.is_dir():
        raise StoreError(f"{path} is a directory: give the path of a file, such as {path / 'agent.db'}")
    if not path.parent.is_dir():
        raise StoreError(f"the folder {path.parent} does not exist: make it first")
    if os.path.lexists(path) and path.exists() and not path.is_file():
        raise StoreError(f"{path} is not a regular file: give the path of a file")


def make_private(path: str) -> None:
    """Makes an empty file that only its owner can read. SQLite itself would let others read it.

    It is made under another name and then linked: closing a file that SQLite has open would end SQLite's locks on it.
    """
    path = os.path.realpath(path)  # a link may lead to a file that is still to be made
    if os.path.lexists(path):
        return
    beside = Path(path).with_name(f".{new_id()}.partial")
    with suppress(OSError):  # SQLite then makes the file, or says why it can't
        os.close(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, OWNER_ONLY))
        try:
            os.link(beside, path)
        finally:
            beside.unlink()


def folder_is_writable(path: str) -> bool:
    folder = Path(path).resolve().parent
    return os.access(folder, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
