"""Replaces a store by a backup and keeps both.

A kill at any moment leaves the old store or the new one at its path. The old store's log is first written into its
file, so that no log is left that SQLite would replay into the new one. Then one rename replaces the file.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from ..errors import InvalidInput, NotFound, StoreDamaged, StoreError
from ..store import open_store
from ..store.files import OWNER_ONLY
from ..store.sqlite.cut_log import copies
from ..store.sqlite.file import BESIDE, WAL, beside, check_path
from ..store.sqlite.schema import APPLICATION_ID
from ..store.sqlite.sole import sole_user

_MAGIC = b"SQLite format 3\x00"
_APPLICATION_ID_AT = slice(68, 72)
_OLD = "old.db"
"""The name of the old store in the working folder, until the new one is in place."""


def replace_store(target: Path, backup: Path, *, force: bool) -> Path | None:
    """Checks a copy of the backup, then puts it in the store's place; returns where the old store is kept.

    If the store's path is a link, it stays, and what it leads to is replaced."""
    _refuse(target, backup, force)
    target = Path(os.path.realpath(target))
    _recognise(backup)
    with _working_folder(target) as folder:
        copy = _copied(backup, folder)
        _prove(copy, backup)
        _make_durable(copy, target)
        return _exchange(target, copy, folder)


def _refuse(target: Path, backup: Path, force: bool) -> None:
    check_path(str(target))
    if not backup.is_file():
        raise NotFound(f"there is no backup at {backup}")
    if target.exists() and target.samefile(backup):
        raise InvalidInput(f"{backup} is the store itself: name a copy of it")
    if target.exists() and not force:
        raise InvalidInput(f"{target} exists already: --force replaces it and keeps the old store under another name")


def _recognise(backup: Path) -> None:
    with backup.open("rb") as file:
        head = file.read(100)
    if not head.startswith(_MAGIC) or head[_APPLICATION_ID_AT] != APPLICATION_ID.to_bytes(4, "big"):
        raise StoreDamaged(f"{backup} is not a recollect store: nothing was replaced, choose another backup")


@contextmanager
def _working_folder(target: Path) -> Iterator[Path]:
    """In the same folder as the store, so that the last step is a rename."""
    with tempfile.TemporaryDirectory(prefix=_prefix(target), dir=target.parent) as folder:
        yield Path(folder)


def _prefix(target: Path) -> str:
    return f".restore-{target.name}-"


def _copied(backup: Path, folder: Path) -> Path:
    copy = folder / "store.db"
    shutil.copyfile(backup, copy)
    wal = Path(beside(backup, WAL))  # there when the backup is a plain copy of a store in use
    if wal.exists():
        shutil.copyfile(wal, beside(copy, WAL))
    return copy


def _prove(copy: Path, backup: Path) -> None:
    try:
        store = open_store(str(copy))
        try:
            findings = store.check()
        finally:
            store.close()
        with sole_user(copy):  # leaves one file, without a log
            pass
    except StoreError as error:
        raise type(error)(str(error).replace(str(copy), str(backup)) + " (nothing was replaced)") from None
    if findings:
        raise StoreDamaged(f"{backup} is damaged ({findings[0].what}): nothing was replaced, choose another backup")


def _make_durable(copy: Path, target: Path) -> None:
    copy.chmod(target.stat().st_mode & 0o777 if target.exists() else OWNER_ONLY)
    with copy.open("rb+") as file:
        os.fsync(file.fileno())


def _exchange(target: Path, copy: Path, folder: Path) -> Path | None:
    """Puts the copy in place while nobody else can open the store. A damaged store is moved away with its log."""
    if not target.exists():
        _rename(target, copy, folder, log=True)
        return None
    try:
        with sole_user(target):
            return _rename(target, copy, folder, log=False)
    except StoreDamaged:
        return _rename(target, copy, folder, log=True)


def _rename(target: Path, copy: Path, folder: Path, *, log: bool) -> Path:
    _tidy(target, folder)
    aside, old = _aside(target), folder / _OLD
    if log:
        _move_log(target, aside)
    if target.exists():
        _link(target, old)
    os.replace(copy, target)
    if old.exists():
        os.replace(old, aside)
    for kept in copies(str(target)):
        os.replace(kept, f"{aside}{kept.name.removeprefix(target.name)}")
    _sync_folder(target.parent)
    return aside


def _aside(target: Path) -> Path:
    return target.with_name(f"{target.name}.replaced-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}")


def _move_log(target: Path, aside: Path) -> None:
    for suffix in BESIDE:
        with suppress(FileNotFoundError):
            os.replace(f"{target}{suffix}", f"{aside}{suffix}")


def _link(target: Path, old: Path) -> None:
    """Gives the old store a second name, because the new store takes the first one."""
    try:
        os.link(target, old)
    except OSError:  # a file system without links: for a moment, no store is at its path
        os.replace(target, old)


def _tidy(target: Path, ours: Path) -> None:
    """Removes the folders of restores that were killed. An old store that one of them holds is kept."""
    for folder in target.parent.glob(f"{_prefix(target)}*"):
        old = folder / _OLD
        if folder == ours:
            continue
        if old.exists() and not (target.exists() and old.samefile(target)):
            os.replace(old, _aside(target))
        shutil.rmtree(folder, ignore_errors=True)


def _sync_folder(folder: Path) -> None:
    with suppress(OSError):  # not possible on Windows
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
