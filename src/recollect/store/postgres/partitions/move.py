"""Moves a partition to another server while others read and write.

1. Tables are made on the target, and triggers on the source note what changes.
2. The rows are copied page by page. What changed meanwhile is copied again until little is left.
3. Counts and checksums of all rows are compared at one moment of the source.
4. Writers wait while the last changes are copied and the partition is switched, in one transaction of the store's
   server.
5. What is left on the source is deleted.

The state is a row of `partition_move`. An interrupted move continues when the same command is run again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo

from ....errors import Conflict, InvalidInput, StoreLocked
from ..connections import WRITER, Database
from ..schema import SCHEMA
from ..urls import parameters, shown
from ..vectors import dimensions
from . import changes, copying, hnsw, tree
from .copying import Copy
from .layout import HERE, TABLES, Part, bucket_named, part_of, require_partitions
from .servers import connected, names, session
from .shape import Shape, shapes

_MOVING = 0x5EC0_11EF
_FEW = 500
"""So few changes are copied while writers wait."""
_ROUNDS = 50
_TRIES = 30
_STATE = f"{SCHEMA}.partition_move"
Advance = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """The result of a move. The counts were verified with checksums."""

    what: str
    source: str
    target: str
    rows: dict[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return {"what": self.what, "source": self.source, "target": self.target, "rows": self.rows}


def move(
    url: str,
    to: str,
    *,
    tenant: str | None = None,
    bucket: int | None = None,
    afresh: bool = False,
    advance: Advance = lambda count: None,
) -> Moved:
    """Moves a tenant or a bucket to a server. `afresh` drops what an interrupted move has copied."""
    with connected(make_conninfo("", **parameters(url)), shown(url)) as db, _alone(db):
        source, goal = _planned(db, to, tenant, bucket)
        if source.suffix == goal.suffix and source.server == goal.server:
            return Moved(what=goal.name, source=source.server, target=goal.server)
        with ExitStack() as stack:
            there = stack.enter_context(session(db, source.server))
            other = url_session(url) if to == HERE else session(db, to)
            work = _Move(db, there, stack.enter_context(other), source, goal, advance)
            if work.phase() != "clean":
                if afresh:
                    work.drop_copy()
                rows = work.copy_and_switch()
            else:
                rows = {}
            work.clean()
        return Moved(what=goal.name, source=source.server, target=goal.server, rows=rows)


@contextmanager
def _alone(db: Database) -> Iterator[None]:
    """One move at a time."""
    require_partitions(db)
    db.execute(
        f"CREATE TABLE IF NOT EXISTS {_STATE} (suffix text PRIMARY KEY, bucket integer NOT NULL, tenant text, "
        "source text NOT NULL, target text NOT NULL, origin text NOT NULL, phase text NOT NULL)"
    )
    if db.execute("SELECT pg_try_advisory_lock(%s)", (_MOVING,)).fetchone() != (True,):
        raise StoreLocked("another `recollect partitions` command is running: wait for it")
    yield
    # after an error, the lock goes with the connection; that may take a moment, in which the next command would fail
    db.execute("SELECT pg_advisory_unlock(%s)", (_MOVING,))


def url_session(url: str) -> Any:  # noqa: ANN401 - a context manager
    return connected(make_conninfo("", **parameters(url)), shown(url))


def _planned(db: Database, to: str, tenant: str | None, bucket: int | None) -> tuple[Part, Part]:
    """The partition to move, and what it will be."""
    found = require_partitions(db)
    if to != HERE and to not in names(db):
        raise InvalidInput(f"there is no server {to!r}: there are {', '.join([HERE, *names(db)])}")
    if (tenant is None) == (bucket is None):
        raise InvalidInput("name a tenant or a bucket to move, one of them")
    if tenant is not None:
        source = part_of(db, found, tenant)
        goal = Part(source.bucket, tenant, to)
    else:
        source = bucket_named(found, bucket or 0)
        goal = replace(source, server=to)
    for _, _, held_tenant, origin, target, origin_suffix, phase in unfinished(db):
        if (held_tenant, origin_suffix) == (goal.tenant, source.suffix) or phase == "clean":
            if target != to and held_tenant == goal.tenant:
                raise Conflict(f"a move of {goal.name} to {target} was interrupted: finish that first")
            if phase == "clean" and held_tenant == goal.tenant:
                return Part(source.bucket, None if origin_suffix.endswith("_rest") else tenant, origin), goal
    return source, goal


def unfinished(db: Database) -> list[tuple[Any, ...]]:
    if db.execute("SELECT to_regclass(%s)", (_STATE,)).fetchone() == (None,):
        return []
    return db.execute(
        f"SELECT suffix, bucket, tenant, source, target, origin, phase FROM {_STATE} ORDER BY suffix"
    ).fetchall()


@dataclass(slots=True)
class _Move:
    db: Database
    source: Database
    target: Database
    origin: Part
    goal: Part
    advance: Advance
    _shapes: dict[str, Shape] | None = None

    @property
    def shapes(self) -> dict[str, Shape]:
        if self._shapes is None:
            self._shapes = shapes(self.db)
        return self._shapes

    @property
    def only(self) -> str | None:
        """The tenant that is taken out of a bucket. None if the whole partition moves."""
        return self.goal.tenant if self.origin.suffix != self.goal.suffix else None

    def name(self, table: str) -> str:
        """The target's table until the switch. On the store's own server the final name may be taken."""
        return f"{self.goal.table(table)}{'_new' if self.goal.server == HERE else ''}"

    @property
    def copies(self) -> dict[str, Copy]:
        return {
            table: Copy(self.source, self.target, shape, self.origin.table(table), self.name(table), self.only)
            for table, shape in self.shapes.items()
        }

    def phase(self) -> str | None:
        row = self.db.execute(f"SELECT phase FROM {_STATE} WHERE suffix = %s", (self.goal.suffix,)).fetchone()
        return None if row is None else str(row[0])

    def drop_copy(self) -> None:
        for table in TABLES:
            self.target.execute(f"DROP TABLE IF EXISTS {self.name(table)}")
        copying.forget(self.target, [self.name(table) for table in TABLES])

    def copy_and_switch(self) -> dict[str, int]:
        self.db.execute(
            f"INSERT INTO {_STATE} VALUES (%s, %s, %s, %s, %s, %s, 'copy') ON CONFLICT (suffix) DO NOTHING",
            (
                *(self.goal.suffix, self.goal.bucket, self.goal.tenant),
                *(self.origin.server, self.goal.server, self.origin.suffix),
            ),
        )
        self._prepare()
        for one in self.copies.values():
            one.run(self.advance)
        self._catch_up()
        dim = dimensions(self.db)
        if dim is not None:
            hnsw.build_part(self.target, self.name("view"), dim)
        rows = self._verify()
        self._catch_up()
        self._switch()
        return rows

    def _prepare(self) -> None:
        made = {name: self.name(name) for name in TABLES}
        tree.make_tables(self.target, made, self.shapes, dimensions(self.db))
        changes.watch(self.source, self.origin, self.shapes, self.only)

    def _catch_up(self) -> None:
        """Copies changes until few are left."""
        for _ in range(_ROUNDS):
            if len(self._follow().numbers) < _FEW:
                return

    def _follow(self, *, verify: bool = False) -> changes.Changes:
        noted = changes.noted(self.source, self.origin)
        if noted.emptied:
            self.drop_copy()
            changes.forget(self.source, noted)
            raise Conflict("a table was emptied during the move, which begins again: run the same command again")
        copying.replay(self.copies, noted, verify=verify)
        changes.forget(self.source, noted)
        return noted

    def _verify(self) -> dict[str, int]:
        """Compares all rows at one moment of the source. Changes after it are compared when they are copied."""
        with self.source.transaction():
            self.source.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            noted = changes.noted(self.source, self.origin, None)
            copying.replay(self.copies, noted)
            rows = {table: one.verify() for table, one in self.copies.items()}
        changes.forget(self.source, noted)
        return rows

    # The switch -----------------------------------------------------------------------------------

    def _switch(self) -> None:
        for left in reversed(range(_TRIES)):
            try:
                with self.db.transaction():
                    self._lock()
                    while self._follow(verify=True).numbers:
                        pass
                    self._exchange()
                return
            except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected):
                if not left:
                    raise
                self._catch_up()

    def _lock(self) -> None:
        """Keeps out writers of the store, and everyone from this bucket."""
        self.db.execute("SET LOCAL lock_timeout = '2s'")
        self.db.execute("SELECT pg_advisory_xact_lock(%s)", (WRITER,))
        nodes = ", ".join(self.origin.node(table) for table in TABLES)
        self.db.execute(f"LOCK TABLE {nodes} IN ACCESS EXCLUSIVE MODE")

    def _exchange(self) -> None:
        if self.only is None:
            tree.detach(self.db, self.origin)
        elif self.origin.server == HERE:
            changes.unwatch(self.db, self.origin, TABLES)
            for table in TABLES:
                self.db.execute(f"DELETE FROM {self.origin.table(table)} WHERE tenant = %s", (self.only,))
        if self.goal.server == HERE:
            for table in TABLES:
                self.db.execute(f"ALTER TABLE {self.name(table)} RENAME TO {self.goal.table(table)}")
        tree.attach(self.db, self.goal)
        self.db.execute(f"UPDATE {_STATE} SET phase = 'clean' WHERE suffix = %s", (self.goal.suffix,))

    def clean(self) -> None:
        """Deletes what is left on the source. The rows there are no longer part of the store."""
        changes.unwatch(self.source, self.origin, TABLES)
        if self.only is not None and self.origin.server != HERE:
            for table in TABLES:
                self.source.execute(f"DELETE FROM {self.origin.table(table)} WHERE tenant = %s", (self.only,))
        elif self.only is None and self.origin.server != HERE:
            tree.drop_tables(self.source, self.origin)
        copying.forget(self.target, [self.name(table) for table in TABLES])
        self.db.execute(f"DELETE FROM {_STATE} WHERE suffix = %s", (self.goal.suffix,))
