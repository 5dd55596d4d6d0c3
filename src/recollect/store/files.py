"""Files that appear under their names only when they are whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import StoreError
from ..ids import new_id

OWNER_ONLY = 0o600


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Gives a path in the same folder to write to. It is renamed at the end; after a failure it is deleted.

    The file there is empty, and only its owner can read it."""
    beside = path.with_name(f".{new_id()}.partial")
    try:
        with suppress(OSError):  # whoever writes to it says what is wrong
            os.close(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, OWNER_ONLY))
        yield beside
        os.replace(beside, path)
    except BaseException:
        for suffix in ("", "-journal", "-wal", "-shm"):  # SQLite's own files too
            with suppress(OSError):
                Path(f"{beside}{suffix}").unlink(missing_ok=True)
        raise


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """Like `replacing`, but refuses a name that is taken."""
    if path.exists():
        raise StoreError(f"{path} exists already: a backup never overwrites, choose another name")
    with replacing(path) as beside:
        yield beside
