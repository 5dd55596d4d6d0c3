"""Changes of tables that other programs are using: short locks, and indexes built beside them."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from psycopg import errors

from .connections import Database

LOCK_TIMEOUT_MS = 500
_TRIES = 20
_PAUSE_SECONDS = 0.2
_INDEX = re.compile(
    r"CREATE INDEX (?:IF NOT EXISTS )?(?P<name>\w+) ON (?P<table>\w+) (?P<rest>[^;]+?);?\s*$", re.MULTILINE
)


def without_indexes(script: str) -> str:
    return _INDEX.sub("", script).strip() or "SELECT 1"


def patiently(change: Callable[[], None]) -> None:
    """Tries again when a lock was not free. In between, those who wait behind get their turn."""
    for _ in range(_TRIES - 1):
        try:
            return change()
        except errors.LockNotAvailable:
            time.sleep(_PAUSE_SECONDS)
    change()


def build_indexes(db: Database, schema: str, script: str) -> None:
    """Builds the indexes of a script that are missing, and those that an interrupted build has left unfinished."""
    for found in _INDEX.finditer(script):
        name, table, rest = found["name"], found["table"], " ".join(found["rest"].split())
        state = db.execute("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)", (f"{schema}.{name}",))
        if (row := state.fetchone()) == (False,):
            db.execute(f"DROP INDEX CONCURRENTLY {schema}.{name}")
        if row != (True,):
            db.execute(f"CREATE INDEX CONCURRENTLY {name} ON {schema}.{table} {rest}")
