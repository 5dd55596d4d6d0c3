"""Replaces a store by a backup and keeps both."""

from __future__ import annotations

import os
import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from ..errors import InvalidInput, NotFound, StoreDamaged, StoreError
from ..store import open_store
from ..store.sqlite.schema import APPLICATION_ID

_MAGIC = b"SQLite format 3\x00"
_APPLICATION_ID_AT = slice(68, 72)
_BESIDE = ("-wal", "-shm")


def replace_store(target: Path, backup: Path, *, force: bool) -> Path | None:
    """Checks a copy of the backup, then puts it in the store's place; returns where the old store is kept."""
    if not backup.is_file():
        raise NotFound(f"there is no backup at {backup}")
    if target.exists() and target.samefile(backup):
        raise InvalidInput(f"{backup} is the store itself: name a copy of it")
    if target.exists() and not force:
        raise InvalidInput(f"{target} exists already: --force replaces it and keeps the old store under another name")
    if not target.parent.is_dir():
        raise StoreError(f"the folder {target.parent} does not exist: make it first")
    _recognise(backup)
    # in the same folder, so that the last step is a rename
    with tempfile.TemporaryDirectory(prefix=".restore-", dir=target.parent) as folder:
        copy = _copied(backup, Path(folder))
        _prove(copy, backup)
        aside = _put_aside(target) if target.exists() else None
        os.replace(copy, target)
    return aside


def _recognise(backup: Path) -> None:
    with backup.open("rb") as file:
        head = file.read(100)
    if not head.startswith(_MAGIC) or head[_APPLICATION_ID_AT] != APPLICATION_ID.to_bytes(4, "big"):
        raise StoreDamaged(f"{backup} is not a recollect store: nothing was replaced, choose another backup")


def _copied(backup: Path, folder: Path) -> Path:
    copy = folder / "store.db"
    shutil.copyfile(backup, copy)
    wal = Path(f"{backup}-wal")  # there when the backup is a plain copy of a store in use
    if wal.exists():
        shutil.copyfile(wal, f"{copy}-wal")
    return copy


def _prove(copy: Path, backup: Path) -> None:
    try:
        store = open_store(str(copy))
        try:
            findings = store.check()
        finally:
            store.close()
    except StoreError as error:
        raise type(error)(str(error).replace(str(copy), str(backup)) + " (nothing was replaced)") from None
    if findings:
        raise StoreDamaged(f"{backup} is damaged ({findings[0].what}): nothing was replaced, choose another backup")


def _put_aside(target: Path) -> Path:
    aside = target.with_name(f"{target.name}.replaced-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}")
    os.replace(target, aside)
    for suffix in _BESIDE:
        if (beside := Path(f"{target}{suffix}")).exists():
            os.replace(beside, f"{aside}{suffix}")
    return aside
