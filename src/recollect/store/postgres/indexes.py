"""Builds vector indexes and brings statistics up to date while others read and write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .connections import BUSY_TIMEOUT_SECONDS, Connections, Database
from .online import build_indexes
from .schema import INDEXES_MISSING, MIGRATIONS, SCHEMA

_INDEXING = 0x5EC0_11EE
_ANALYSED = ("memory", "lexicon", "view", "term", "link")


def build_missing(primary: Connections, found_in: str, *, loaded: bool = False, parted: bool = False) -> None:
    """Builds the indexes of views that have become large. One process does it at a time."""
    with _alone(primary) as is_mine:
        if not is_mine:
            return
        from . import vectors  # imports numpy

        if parted:
            from .partitions import hnsw

            with primary.read() as db:
                dim = vectors.dimensions(db)
            if dim is not None:
                with primary.outside() as db, patient(primary, db):
                    hnsw.build(db, dim)
            return
        with primary.read() as db:
            missing, outgrown = vectors.unindexed(db), _has_outgrown_its_statistics(db)
        with primary.outside() as db, patient(primary, db):
            for view in missing:
                vectors.build_index(db, view, found_in)
            if missing or loaded or outgrown:
                db.execute(f"ANALYZE {', '.join(f'{SCHEMA}.{table}' for table in _ANALYSED)}")


def build_pending(primary: Connections) -> None:
    """Builds the indexes that an upgrade of the tables has left for later, if there are any."""
    with primary.outside() as db:
        if db.execute(f"SELECT 1 FROM {SCHEMA}.setting WHERE key = %s", (INDEXES_MISSING,)).fetchone() is None:
            return
    with _alone(primary) as is_mine, primary.outside() as db, patient(primary, db):
        if is_mine:
            _build_pending(db)
            db.execute(f"DELETE FROM {SCHEMA}.setting WHERE key = %s", (INDEXES_MISSING,))


def _build_pending(db: Database) -> None:
    from .partitions import layout, upgrade

    if layout.is_partitioned(db):
        upgrade.build_indexes(db)
        return
    for script in MIGRATIONS:
        build_indexes(db, SCHEMA, script)


@contextmanager
def _alone(primary: Connections) -> Iterator[bool]:
    """Whether no other process builds indexes now."""
    with primary.outside() as lock, lock.transaction():
        # A pooler keeps no lock of a session, so a transaction holds it. It does not delay the build, because it has no
        # snapshot: a statement with values would keep its own until the next one.
        yield lock.execute(f"SELECT pg_try_advisory_xact_lock({_INDEXING})").fetchone() == (True,)


@contextmanager
def patient(connections: Connections, db: Database) -> Iterator[None]:
    """Lets statements wait for others as long as it takes. Behind a pooler, they do that anyway."""
    if connections.has_pooler:
        yield
        return
    db.execute("SET lock_timeout = 0")
    try:
        yield
    finally:
        db.execute(f"SET lock_timeout = '{BUSY_TIMEOUT_SECONDS}s'")


def _has_outgrown_its_statistics(db: Database) -> bool:
    """Whether the planner's statistics are outdated. The server updates them only once a minute."""
    row = db.execute(
        "SELECT n_mod_since_analyze > n_live_tup / 2 FROM pg_stat_user_tables WHERE relid = 'memory'::regclass"
    ).fetchone()
    return bool(row and row[0])
