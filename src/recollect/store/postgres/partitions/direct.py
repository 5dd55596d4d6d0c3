"""Reads a tenant on the server that holds it, without a detour through the store's own server.

The catalogue of the store's own server says where a tenant is. It is asked again after each read. The result counts
only if the answer is the same: then no move had switched the tenant before the read, so nothing was written elsewhere.
Otherwise, and after any error, the read is done again through the store's own server, which always knows the way.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from math import inf
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from ....errors import StoreError
from ..connections import Connections, Database
from ..schema import SCHEMA
from ..servers import Doubted, Servers
from ..session import Session, identity
from .layout import HERE, PREFIX, TABLES, Part, bucket_of, buckets, parts
from .servers import address

T = TypeVar("T")
_BELIEVED_FOR_SECONDS = 60.0
_MOST = 10_000
_CONNECT_SECONDS = 2
"""Shorter than elsewhere: there is another way. libpq takes no less."""
_NAMED = re.compile(rf"'(?:[^']|'')*'|\b(FROM|JOIN) ({'|'.join(TABLES)})\b")
"""A literal, or a table's name."""
_INSIDE = f"c.relnamespace = '{SCHEMA}'::regnamespace AND c.relname = ANY(%s::name[])"
_LOCATED = (
    "SELECT c.relname::text, c.oid::int8, s.srvname::text, s.xmin::text FROM pg_class c "
    "LEFT JOIN pg_foreign_table f ON f.ftrelid = c.oid LEFT JOIN pg_foreign_server s ON s.oid = f.ftserver "
    f"WHERE {_INSIDE}"
)
_STATE = (
    "SELECT c.relname::text, c.oid::int8, (SELECT xmin::text FROM pg_foreign_server WHERE srvname = %s::name) "
    f"FROM pg_class c WHERE {_INSIDE}"
)


class Place(NamedTuple):
    """Where a tenant's rows are: in a partition of its own, or in the rest of its bucket."""

    server: str
    suffix: str
    tables: Sequence[str]
    state: Set[tuple[Any, ...]]
    """Name and oid of those tables that are there, and the version of the server. Each move makes a table with another
    oid; each change of a server's address makes another version."""
    version: str


class Holder(Doubted):
    """A server that holds partitions, as this program reaches it."""

    most_doublings = 10


class DirectReads:
    def __init__(self, home: Servers) -> None:
        self._home = home
        self._buckets = 0
        self._placed: dict[str, tuple[Place | None, float]] = {}
        """Tenant → its place, None on the store's own server, and when this entry expires."""
        self._holders: dict[tuple[str, str], Holder] = {}
        """By name and version."""
        self.adapt: Callable[[Database], None] = lambda db: None
        self.settings: Sequence[str] = ()

    def read(self, tenants: Sequence[str], work: Callable[[Database], T]) -> T:
        """The result of `work`, which reads rows of these tenants only."""
        if len(tenants) == 1 and not self._home.in_transaction:
            for found in self._tried(tenants[0], work):
                return found
        with self._home.read() as db:
            return work(db)

    def holder(self, server: str) -> Holder | None:
        """The server at its latest address. None if nothing was read there."""
        found = [holder for (name, _), holder in list(self._holders.items()) if name == server]
        return found[-1] if found else None

    def close(self) -> None:
        for holder in list(self._holders.values()):
            holder.connections.close()

    def _tried(self, tenant: str, work: Callable[[Database], T]) -> list[T]:
        """The result; none if the read has to go through the store's own server."""
        if (place := self._place(tenant)) is None or (holder := self._holder_of(place)).is_avoided:
            return []
        found: list[T] = []
        with suppress(StoreError), holder.connections.read() as db, _naming(db, place.suffix):
            found.append(work(db))
        with self._home.read() as db:
            is_there = _is_there(db, place)
        if not is_there:
            self._placed.pop(tenant, None)
            return []
        (holder.answers if found else holder.avoid)()
        return found

    def _place(self, tenant: str) -> Place | None:
        place, until = self._placed.get(tenant, (None, 0.0))
        if until < monotonic():
            with self._home.read() as db:
                self._buckets = self._buckets or buckets(parts(db))
                place = _place(db, bucket_of(db, tenant, self._buckets), tenant)
            if len(self._placed) >= _MOST:
                self._placed.clear()
            # a place on another server is checked with each read
            self._placed[tenant] = place, inf if place else monotonic() + _BELIEVED_FOR_SECONDS
        return place

    # Connections ----------------------------------------------------------------------------------

    def _holder_of(self, place: Place) -> Holder:
        key = place.server, place.version
        if (held := self._holders.get(key)) is None:  # another thread may make one too: the first stays
            held = self._holders.setdefault(key, Holder(self._connections(place.server)))
        return held

    def _connections(self, server: str) -> Connections:
        with self._home.read() as db:
            made = Connections(f"server {server}", address(db, server) | {"connect_timeout": _CONNECT_SECONDS})
        proven = ""

        def check(db: Session) -> None:
            nonlocal proven
            db.identity = db.identity or identity(db)
            if db.identity != proven:
                self._prove(db, server)
                proven = db.identity

        made.adapt, made.settings, made.check = self.adapt, self.settings, check
        return made

    def _prove(self, there: Database, server: str) -> None:
        """Raises an error if the store's own server does not see a table that is made there: an address may lead this
        program to another server."""
        name = f"seen_{secrets.token_hex(8)}"
        there.execute(f"CREATE TEMPORARY TABLE {name} ()")
        try:
            with self._home.primary.outside() as db, db.transaction(force_rollback=True):
                db.execute(
                    f"CREATE FOREIGN TABLE pg_temp.{name} (relname text) SERVER {PREFIX}{server} "
                    "OPTIONS (schema_name 'pg_catalog', table_name 'pg_class')"
                )
                seen = db.execute(f"SELECT 1 FROM pg_temp.{name} WHERE relname = %s", (name,)).fetchone()
        finally:
            there.execute(f"DROP TABLE {name}")
        if seen is None:
            raise StoreError(f"this program and the store's own server reach two different servers {server}")


def _place(db: Database, bucket: int, tenant: str) -> Place | None:
    """Where the tenant's rows are at this moment; None on the store's own server."""
    own, rest = Part(bucket, tenant, HERE), Part(bucket, None, HERE)
    tables = [part.table("memory") for part in (own, rest)]
    found = {row[0]: row for row in db.execute(_LOCATED, (tables,))}
    part = own if tables[0] in found else rest
    _, _, server, version = found[part.table("memory")]
    if server is None:
        return None
    state = {(table, oid, version) for table, oid, *_ in found.values()}
    return Place(server.removeprefix(PREFIX), part.suffix, tables, state, version)


def _is_there(db: Database, place: Place) -> bool:
    return set(db.execute(_STATE, (f"{PREFIX}{place.server}", place.tables))) == place.state


@contextmanager
def _naming(db: Database, suffix: str) -> Iterator[None]:
    """Statements name the tables of this partition."""
    assert isinstance(db, Session)
    db.rewrite = partial(_of_partition, suffix)
    try:
        yield
    finally:
        db.rewrite = None


@lru_cache(maxsize=256)
def _of_partition(suffix: str, sql: str) -> str:
    return _NAMED.sub(lambda found: f"{found[0]}_{suffix}" if found[1] else found[0], sql)
