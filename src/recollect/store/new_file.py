"""A new file that appears under its name only when it is whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import StoreError


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """Gives a path beside `path` to write to. It is renamed at the end; after an error nothing is left."""
    if path.exists():
        raise StoreError(f"{path} exists already: a backup never overwrites, choose another name")
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield beside
        os.rename(beside, path)
    finally:
        for suffix in ("", "-wal", "-shm", "-journal"):
            Path(f"{beside}{suffix}").unlink(missing_ok=True)
