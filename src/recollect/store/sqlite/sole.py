"""The only user of a store's file: nobody else has it open, and everything is in the one file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from ...errors import StoreLocked
from .translated import translated


@contextmanager
def sole_user(path: Path) -> Iterator[None]:
    """Writes the write-ahead log into the file and keeps everybody else out until the end of the block."""
    with translated(str(path)):
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)  # a damaged store stays as it is
    try:
        with translated(str(path)):
            _take(connection, path)
        if os.name == "nt":  # an open file can't be renamed there
            connection.close()
        yield
    finally:
        connection.close()


def _take(connection: apsw.Connection, path: Path) -> None:
    try:
        connection.pragma("locking_mode", "exclusive")  # keeps the lock after the statements below
        connection.execute("BEGIN EXCLUSIVE; COMMIT")
        connection.pragma("journal_mode", "delete")
    except apsw.BusyError:
        raise StoreLocked(f"{path} is open in another process: stop it first (nothing was replaced)") from None
