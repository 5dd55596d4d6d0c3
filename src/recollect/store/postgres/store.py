"""The PostgreSQL store: one database, several machines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from psycopg.types.json import set_json_loads

from ...errors import StoreError, StoreReadOnly
from ...types import Event, Filter, Memory
from ..files import new_file
from ..protocol import Store
from ..recording import WaitingEntries
from ..sql import chain, memories
from ..sql.store import SqlStore
from ..sql.text_query import TextQuery
from ..values import Access, Batch, Counts, Document, Fetched, Finding, Proposed, Put, RecallEntry
from . import check, copy_format, dump, field_counts, lexicon, log, schema, writing
from .connections import BUSY_TIMEOUT_SECONDS, MOST_CONNECTIONS, Connections, Database, together
from .dialect import POSTGRES, from_json

if TYPE_CHECKING:
    from ...types import Vector
    from .vectors import Searches

T = TypeVar("T")
_MEMORIES = f"SELECT {POSTGRES.selected} FROM memory m {POSTGRES.counters} WHERE m.id = ANY(%s::text[])"
_LINKS = (
    "SELECT a, b, kind, weight, created_at FROM link WHERE a = ANY(%s::text[]) "
    "UNION SELECT a, b, kind, weight, created_at FROM link WHERE b = ANY(%s::text[]) ORDER BY a, b, kind"
)
_VECTORS = (
    "SELECT v.id, halfvec_send(v.embedding) FROM memory m JOIN view v ON v.tenant = m.tenant AND v.id = m.id "
    "WHERE m.id = ANY(%s::text[]) AND v.name = %s"
)
EF_SEARCH = 200
"""hnsw.ef_search. With 200, a search of 100,000 memories gives the same results as an exact search."""
_INDEX_EVERY = 1_000
"""After this many new vectors, the process checks whether a view is large enough for an index."""
_INDEXING = 0x5EC0_11EE


class PostgresStore(SqlStore):
    """`store.protocol` documents the methods."""

    _dialect = POSTGRES

    def __init__(self, url: str) -> None:
        self._db = Connections(url)
        self.url = self._db.url
        self._waiting = WaitingEntries(self._record_late)
        self._unindexed = 0
        self._loading = False
        self._pool: tuple[int, ThreadPoolExecutor] | None = None
        try:
            with self._db.read() as db:
                self.read_only = schema.is_replica(db)
                schema.prepare(db, self.url, read_only=self.read_only)
                self._found_in = schema.vector_schema(db, self.url)
                self._prepare(db)
            self._db.prepare = self._prepare
        except BaseException:
            self._db.close()
            raise

    def _prepare(self, db: Database) -> None:
        """Applies the settings of every connection: the search path, and how a filtered vector search continues."""
        copy_format.prepare(db)
        set_json_loads(from_json, db)
        db.execute(
            f'SET search_path = {schema.SCHEMA}, "{self._found_in}"; SET jit = off; '
            # queries are short and tables are cached: parallel workers and long scans only cost time
            "SET max_parallel_workers_per_gather = 0; SET random_page_cost = 1.1; "
            f"SET lock_timeout = '{BUSY_TIMEOUT_SECONDS}s'; SET hnsw.iterative_scan = relaxed_order; "
            f"SET hnsw.ef_search = {EF_SEARCH}"
        )

    def _reading(self) -> AbstractContextManager[Database]:
        return self._db.read()

    def _snapshot(self) -> AbstractContextManager[Database]:
        return self._db.snapshot()

    def _is_in_transaction(self) -> bool:
        return self._db.in_transaction

    @contextmanager
    def _writing(self, *, at_once: bool = False) -> Iterator[Database]:
        self._check_writable()
        self._settle()
        with self._db.transaction(at_once=at_once) as db:
            yield db
        if self._unindexed >= _INDEX_EVERY and not self._loading and not self._db.in_transaction:
            self._build_indexes()

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
            self._unindexed += writing.write(db, batch)

    def record(self, entry: RecallEntry | Access) -> None:
        self._check_writable()
        if self._db.in_transaction:
            with self._db.read() as db:
                log.record(db, entry)
            return
        try:
            with self._db.brief() as db:
                log.record(db, entry)
        except StoreError:
            self._db.check_open()
            self._waiting.add(entry)

    def _record_late(self, entries: Sequence[RecallEntry | Access]) -> None:
        with self._db.transaction() as db:
            for entry in entries:
                log.record_late(db, entry)

    def purge(self, ids: Iterable[str], event: Event, *, more: bool = False) -> int:
        with self._writing() as db:
            return writing.purge(db, ids, event)

    def drop_vectors(self) -> None:
        from . import vectors

        with self._writing() as db:
            vectors.drop(db)

    # Searching ------------------------------------------------------------------------------------

    def gather(self, reads: Sequence[Callable[[], T]]) -> list[T]:
        if len(reads) < 2 or self._db.in_transaction:  # a transaction has one connection
            return [read() for read in reads]
        self._db.check_open()
        started = [self._threads(self._db.forks).submit(read) for read in reads[1:]]
        return [reads[0](), *(read.result() for read in started)]

    def _threads(self, forks: int) -> ThreadPoolExecutor:
        """The threads of this process. A forked child has none of its parent's."""
        if self._pool is None or self._pool[0] != forks:
            self._pool = forks, ThreadPoolExecutor(MOST_CONNECTIONS, thread_name_prefix="recollect")
        return self._pool[1]

    @cached_property
    def _searches(self) -> Searches:
        from .vectors import Searches  # imports numpy

        return Searches()

    def _search_text(self, asked: TextQuery) -> Proposed:
        with self._db.read() as db:
            return field_counts.counted(lexicon.search(db, asked), asked, partial(lexicon.search, db))

    def search_vector(
        self, vector: Vector, view: str, filter: Filter, *, limit: int, floor: float = -1.0
    ) -> list[tuple[str, float]]:
        with self._db.read() as db:
            return self._searches.search(db, vector, view, filter, limit, floor)

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
        wanted = copy_format.Encoded(copy_format.texts(list(ids)))
        with self._db.read() as db:
            with together(db):
                rows = db.execute(_MEMORIES, (wanted,), binary=True)
                linked = db.execute(_LINKS, (wanted, wanted)) if links else ()
                seen = db.execute(_VECTORS, (wanted, view), binary=True) if view is not None else ()
            return Fetched(
                {row[0]: POSTGRES.memory(row) for row in rows}, [memories.link(row) for row in linked], _unpacked(seen)
            )

    def vectors_by_hash(self, hashes: Iterable[bytes]) -> dict[bytes, Vector]:
        from .vectors import by_hash

        with self._db.read() as db:
            return by_hash(db, hashes)

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
        from . import vectors

        self._unindexed = 0
        with self._db.read() as db:
            row = db.execute("SELECT pg_try_advisory_lock(%s)", (_INDEXING,)).fetchone()
            if row == (False,):
                return
            try:
                db.execute("SET lock_timeout = 0")
                for view in (missing := vectors.unindexed(db)):
                    vectors.build_index(db, view)
                if missing or loaded or _has_outgrown_its_statistics(db):
                    db.execute("ANALYZE memory, lexicon, view, term, link")
            finally:
                db.execute(f"SET lock_timeout = '{BUSY_TIMEOUT_SECONDS}s'")
                db.execute("SELECT pg_advisory_unlock(%s)", (_INDEXING,))

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
        self._db.close()


def _verify_backup(url: str, copy: Store, held: Counts) -> None:
    made = copy.counts(())
    same = all(getattr(made, name) == getattr(held, name) for name in ("memories", "links", "events", "recalls"))
    if not same or copy.check():
        raise StoreError(f"the copy of {url} is not whole: no backup was made, run `recollect check` and try again")


def _unpacked(rows: Iterable[tuple[Any, ...]]) -> dict[str, Vector]:
    if not (listed := list(rows)):
        return {}
    from .vectors import unpacked  # imports numpy

    return unpacked(listed)


def _has_outgrown_its_statistics(db: Database) -> bool:
    """Whether the planner's statistics are outdated. The server updates them only once a minute."""
    row = db.execute(
        "SELECT n_mod_since_analyze > n_live_tup / 2 FROM pg_stat_user_tables WHERE relid = 'memory'::regclass"
    ).fetchone()
    return bool(row and row[0])
