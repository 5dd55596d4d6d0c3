"""The PostgreSQL store: one database, several machines."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from contextvars import copy_context
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from psycopg.types.json import set_json_loads

from ...errors import InvalidInput, StoreError, StoreReadOnly, StoreUnreachable
from ...types import Event, Filter, Memory
from .. import call
from ..files import new_file
from ..operated import Server, Upkeep
from ..protocol import Store
from ..recording import WaitingEntries
from ..sql import chain, memories
from ..sql.store import SqlStore
from ..sql.text_query import TextQuery
from ..values import Access, Batch, Counts, Document, Fetched, Finding, Proposed, Put, RecallEntry
from . import check, copy_format, dump, field_counts, indexes, lexicon, log, row_security, schema, writing
from .connections import BUSY_TIMEOUT_SECONDS, MOST_CONNECTIONS, Database, together
from .dialect import PARTITIONED, POSTGRES, PostgresDialect, from_json
from .partitions.direct import DirectReads
from .partitions.layout import is_partitioned
from .places import Places, has_links_across, tenants
from .servers import Servers
from .session import Position

if TYPE_CHECKING:
    from ...types import Vector
    from .vectors import Searches

T = TypeVar("T")
_log = logging.getLogger("recollect")
_MEMORIES = f"SELECT {POSTGRES.selected} FROM memory m {POSTGRES.counters} WHERE m.id = ANY(%s::text[])"
_LINKS = (
    "SELECT a, b, kind, weight, created_at FROM link WHERE a = ANY(%s::text[]) "
    "UNION SELECT a, b, kind, weight, created_at FROM link WHERE b = ANY(%s::text[]) ORDER BY a, b, kind"
)
_LINKS_WITHIN = (
    "SELECT a, b, kind, weight, created_at FROM link "
    "WHERE tenant = ANY(%s) AND (a = ANY(%s::text[]) OR b = ANY(%s::text[])) ORDER BY a, b, kind"
)
_VECTORS = (
    "SELECT v.id, halfvec_send(v.embedding) FROM memory m JOIN view v ON v.tenant = m.tenant AND v.id = m.id "
    "WHERE m.id = ANY(%s::text[]) AND v.name = %s"
)
EF_SEARCH = 200
"""hnsw.ef_search. With 200, a search of 100,000 memories gives the same results as an exact search."""
_OF_PARTITIONS = ("enable_partitionwise_join = on", "plan_cache_mode = force_custom_plan", "enable_sort = off")
"""Joins are made where the partitions are, and each plan knows its tenants. The other servers sort, by an index if they
have one: without statistics of them, the planner would fetch all rows and sort here."""
_INDEX_EVERY = 1_000
"""After this many new vectors, the process checks whether a view is large enough for an index."""


class PostgresStore(SqlStore):
    """`store.protocol` documents the methods."""

    _dialect: PostgresDialect = POSTGRES
    _places: Places | None = None
    """Given if the tables have partitions."""

    def __init__(self, url: str, read_urls: Sequence[str] = ()) -> None:
        self._db = Servers(url, read_urls)
        self._direct = DirectReads(self._db)
        self.url = self._db.primary.url
        self.read_only = False
        self._waiting = WaitingEntries(self._record_late)
        self._unindexed = 0
        self._loading = False
        self._pool: tuple[int, ThreadPoolExecutor] | None = None
        self._is_verified = False
        """Whether the primary has the tables of this version."""
        try:
            self._open()
        except BaseException:
            self._db.close()
            raise

    def _open(self) -> None:
        for connections in self._db.all:
            connections.adapt = _adapt
        try:
            self._verify()
        except StoreUnreachable:
            if not self._db.replicas:
                raise
            with self._db.read() as db:  # nothing was written here yet, so any replica will do
                schema.prepare(db, self.url, read_only=True)
                self._choose_settings(db)

    def _verify(self) -> None:
        with self._db.primary.outside() as db:
            self.read_only = schema.is_replica(db)
            changed = schema.prepare(db, self.url, read_only=self.read_only)
            if not self.read_only:
                row_security.refresh(db, again=changed)
            self._choose_settings(db)
            self._db.primary.settle(db)
            if not self.read_only:
                self._db.follow(db)
        if not self.read_only:
            indexes.build_pending(self._db.primary)
        self._is_verified = True

    def _choose_settings(self, db: Database) -> None:
        """Chooses the settings of every connection: the search path, and how a filtered vector search continues."""
        self._found_in = schema.vector_schema(db, self.url)
        path = f'{schema.SCHEMA}, "{self._found_in}"'
        if is_partitioned(db):
            self._dialect, self._places = PARTITIONED, Places()
        limits = partial(row_security.limits, path) if row_security.is_on(db) else None
        settings = (
            f"search_path = {path}",
            "jit = off",
            # queries are short and tables are cached: parallel workers and long scans only cost time
            "max_parallel_workers_per_gather = 0",
            "random_page_cost = 1.1",
            f"lock_timeout = '{BUSY_TIMEOUT_SECONDS}s'",
            "hnsw.iterative_scan = relaxed_order",
            f"hnsw.ef_search = {EF_SEARCH}",
        )
        self._direct.adapt, self._direct.settings = _adapt, settings
        for connections in self._db.all:
            connections.settings = (*settings, *_OF_PARTITIONS) if self._places else settings
            connections.limits = limits

    def _reading(self) -> AbstractContextManager[Database]:
        return self._db.read()

    def _read_of(self, inside: Sequence[str], work: Callable[[Database], T]) -> T:
        """The result of `work`, which reads rows of these tenants only."""
        if self._places is not None:
            return self._direct.read(inside, work)
        with self._db.read() as db:
            return work(db)

    def _snapshot(self) -> AbstractContextManager[Database]:
        return self._db.snapshot()

    def _is_in_transaction(self) -> bool:
        return self._db.in_transaction

    @contextmanager
    def _writing(self, *, at_once: bool = False) -> Iterator[Database]:
        self._check_writable()
        if not self._is_verified:  # the primary did not answer when the store was opened
            self._verify()
        self._settle()
        with self._db.transaction(at_once=at_once) as db:
            yield db
        if self._unindexed >= _INDEX_EVERY and not self._loading and not self._db.in_transaction:
            try:
                self._build_indexes()
            except StoreError as error:  # the write is done; after as many more vectors it is tried again
                _log.warning("no vector index was built: %s", error)

    def _check_writable(self) -> None:
        if self.read_only:
            raise StoreReadOnly(f"{self.url} is a read-only replica: write to the primary server")

    # Writing --------------------------------------------------------------------------------------

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._writing():
            yield

    def write(self, batch: Batch) -> None:
        with self._writing(at_once=writing.is_small(batch)) as db:
            self._unindexed += writing.write(db, batch, self._places)

    def record(self, entry: RecallEntry | Access) -> None:
        self._check_writable()
        if self._db.in_transaction:
            with self._db.read() as db:
                log.record(db, entry, self._places)
            return
        try:
            with self._db.brief() as db:
                log.record(db, entry, self._places)
        except StoreError:
            self._db.check_open()
            self._waiting.add(entry)

    def _record_late(self, entries: Sequence[RecallEntry | Access]) -> None:
        with call.limited_to(None), self._db.transaction() as db:  # the entries may be of several callers
            for entry in entries:
                log.record_late(db, entry, self._places)

    def purge(self, ids: Iterable[str], event: Event, *, more: bool = False) -> int:
        with self._writing() as db:
            return writing.purge(db, ids, event)

    def drop_vectors(self) -> None:
        from . import vectors

        with self._writing() as db:
            vectors.drop(db, partitioned=self._places is not None)

    # Searching ------------------------------------------------------------------------------------

    def gather(self, reads: Sequence[Callable[[], T]]) -> list[T]:
        if len(reads) < 2 or self._db.in_transaction:  # a transaction has one connection
            return [read() for read in reads]
        self._db.check_open()
        threads = self._threads(self._db.forks)
        started = [threads.submit(copy_context().run, read) for read in reads[1:]]
        return [reads[0](), *(read.result() for read in started)]

    def _threads(self, forks: int) -> ThreadPoolExecutor:
        """The threads of this process. A forked child has none of its parent's."""
        if self._pool is None or self._pool[0] != forks:
            self._pool = forks, ThreadPoolExecutor(MOST_CONNECTIONS, thread_name_prefix="recollect")
        return self._pool[1]

    @cached_property
    def _searches(self) -> Searches:
        from .vectors import Searches  # imports numpy

        return Searches(partitioned=self._places is not None)

    def _search_text(self, asked: TextQuery) -> Proposed:
        search = partial(lexicon.search, partitioned=self._places is not None)
        found = self._read_of(
            tenants(asked.filter), lambda db: field_counts.counted(search(db, asked), asked, partial(search, db))
        )
        if self._places is not None:
            self._places.learn_found([posting.memory_id for posting in found.postings], asked.filter)
        return found

    def search_vector(
        self, vector: Vector, view: str, filter: Filter, *, limit: int, floor: float = -1.0
    ) -> list[tuple[str, float]]:
        found = self._read_of(tenants(filter), lambda db: self._searches.search(db, vector, view, filter, limit, floor))
        if self._places is not None:
            self._places.learn_found([id for id, _ in found], filter)
        return found

    def similar(
        self,
        vectors: Vector,
        view: str,
        filter: Filter,
        *,
        at_least: float,
        limit: int | None = None,
        texts: Sequence[str] | None = None,
    ) -> list[list[tuple[str, float]]]:
        with self._db.read() as db:
            return [found[:limit] for found in self._searches.similar(db, vectors, view, filter, at_least)]

    def fetch(self, ids: Sequence[str], *, links: bool = False, view: str | None = None) -> Fetched:
        if not ids:
            return Fetched({}, [], {})
        if self._places is not None and (among := self._places.of(ids)) is not None:
            found = self._fetch_within(among, ids, links, view)
            if len(found.memories) == len(set(ids)):
                return found
            self._places.forget(ids)  # one of them was purged, or is now elsewhere
        wanted = copy_format.Encoded(copy_format.texts(list(ids)))
        with self._db.read() as db:
            with together(db):
                rows = db.execute(_MEMORIES, (wanted,), binary=True)
                linked = db.execute(_LINKS, (wanted, wanted)) if links else ()
                seen = db.execute(_VECTORS, (wanted, view), binary=True) if view is not None else ()
            return Fetched(
                {row[0]: POSTGRES.memory(row) for row in rows}, [memories.link(row) for row in linked], _unpacked(seen)
            )

    def _fetch_within(self, among: list[str], ids: Sequence[str], links: bool, view: str | None) -> Fetched:
        """Asks only the partitions of these tenants. Links may lead to other tenants if there is one that does."""
        across = False
        if links:
            with self._db.read() as db:
                across = has_links_across(db)
        work = partial(_fetched, among, ids, links, view, across)
        return self._read_of([] if across else among, work)

    def vectors_by_hash(self, hashes: Iterable[bytes]) -> dict[bytes, Vector]:
        from .vectors import by_hash

        with self._db.read() as db:
            return by_hash(db, hashes)

    # Servers --------------------------------------------------------------------------------------

    def servers(self) -> Sequence[Server]:
        from . import upkeep

        return upkeep.states(self._db, self._direct)

    def upkeep(self) -> Sequence[Upkeep]:
        from . import upkeep

        return list(upkeep.advice(self._db))

    @property
    def written(self) -> str:
        """How far the log must have been replayed by a server that this store reads from. Given to `must_have` of a
        store in another process, that one sees what was written here."""
        return "{}/{}".format(*self._db.needed)

    def must_have(self, written: str) -> None:
        timeline, _, lsn = written.partition("/")
        self._db.must_have(Position(int(timeline), int(lsn)))

    def set_row_security(self, on: bool) -> None:
        """Makes the database limit calls of a key to its namespace, or ends that. Programs that have the store open
        notice it when they open it again."""
        if on and self._places is not None:
            raise InvalidInput("this store has partitions, and row security can't be used with them")
        with self._db.transaction() as db:
            (row_security.enable if on else row_security.disable)(db)

    @property
    def has_row_security(self) -> bool:
        with self._db.read() as db:
            return row_security.is_on(db)

    # Maintenance ----------------------------------------------------------------------------------

    def _puts(self, db: Database, after: int, limit: int) -> Sequence[tuple[int, Put]]:
        return dump.puts(db, after, limit)

    def check(
        self, *, chain_head: str | None = None, repair: Callable[[Memory], Document] | None = None
    ) -> list[Finding]:
        if repair is not None:
            from . import repair as repairing  # imports numpy

            with self._writing() as db:
                repairing.repair(db, self.scan(Filter(), order="id"), repair)
        with self._db.snapshot() as db:
            return check.check(db) + chain.verify(db, POSTGRES, chain_head)

    @contextmanager
    def loading(self) -> Iterator[None]:
        """Builds vector indexes once, at the end. That is many times faster than updating them with each row."""
        self._loading = True
        try:
            yield
        finally:
            self._loading = False
        self._build_indexes(loaded=True)

    def _build_indexes(self, *, loaded: bool = False) -> None:
        """Builds the indexes of views that have become large. One process does it while others read and write."""
        self._unindexed = 0
        indexes.build_missing(self._db.primary, self._found_in, loaded=loaded, parted=self._places is not None)

    def backup(self, path: Path) -> None:
        from ..copying import copy, finish
        from ..sqlite.store import SqliteStore

        with new_file(path) as beside:
            target = SqliteStore(str(beside))
            try:
                with self._db.snapshot():
                    copy(self, target, lambda count: None)
                    held = self.counts(())
                finish(target)
                _verify_backup(self.url, target, held)
            finally:
                target.close()

    def close(self) -> None:
        if not self._db.is_closed:
            self._waiting.close()
        if self._pool is not None:
            self._pool[1].shutdown()
        self._direct.close()
        self._db.close()


def _adapt(db: Database) -> None:
    copy_format.prepare(db)
    set_json_loads(from_json, db)


def _verify_backup(url: str, copy: Store, held: Counts) -> None:
    made = copy.counts(())
    same = all(getattr(made, name) == getattr(held, name) for name in ("memories", "links", "events", "recalls"))
    if not same or copy.check():
        raise StoreError(f"the copy of {url} is not whole: no backup was made, run `recollect check` and try again")


def _fetched(
    among: list[str], ids: Sequence[str], links: bool, view: str | None, across: bool, db: Database
) -> Fetched:
    wanted = copy_format.Encoded(copy_format.texts(list(ids)))
    with together(db):
        rows = db.execute(f"{_MEMORIES} AND m.tenant = ANY(%s)", (wanted, among), binary=True)
        linked: Iterable[tuple[Any, ...]] = ()
        if links:
            linked = db.execute(*((_LINKS, (wanted, wanted)) if across else (_LINKS_WITHIN, (among, wanted, wanted))))
        sql = f"{_VECTORS} AND m.tenant = ANY(%s)"
        seen = db.execute(sql, (wanted, view, among), binary=True) if view is not None else ()
    return Fetched(
        {row[0]: POSTGRES.memory(row) for row in rows}, [memories.link(row) for row in linked], _unpacked(seen)
    )


def _unpacked(rows: Iterable[tuple[Any, ...]]) -> dict[str, Vector]:
    if not (listed := list(rows)):
        return {}
    from .vectors import unpacked  # imports numpy

    return unpacked(listed)
