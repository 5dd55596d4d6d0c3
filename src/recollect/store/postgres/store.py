"""The PostgreSQL store: one database, several machines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import date, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from psycopg.types.json import set_json_loads

from ...errors import StoreError, StoreReadOnly
from ...types import Event, Filter, Link, Memory, Statistics
from ..protocol import (
    Batch,
    Counts,
    Feedback,
    Fetched,
    Finding,
    Order,
    Proposed,
    Put,
    RecallEntry,
    RecallHit,
    RecallRecord,
)
from . import audit, check, copy_format, dump, lexicon, log, schema, writing
from .connections import BUSY_TIMEOUT_SECONDS, MOST_CONNECTIONS, Connections, Database, together
from .filters import compile_filter, one_or_any
from .rows import FROM, SELECT, from_json, from_micros, to_memory

if TYPE_CHECKING:
    from ...types import Vector
    from .vectors import Searches

T = TypeVar("T")
_ORDERS: dict[Order, tuple[str, str]] = {
    "newest": (
        "m.created_at DESC, m.id DESC",
        "(m.created_at, m.id) < (SELECT created_at, id FROM memory WHERE id = %s)",
    ),
    "oldest": (
        "m.created_at, m.id",
        "(m.created_at, m.id) > (SELECT created_at, id FROM memory WHERE id = %s)",
    ),
    "id": ("m.id", "m.id > %s"),
}
_LINKS = (
    "SELECT a, b, kind, weight, created_at FROM link WHERE a = ANY(%s::text[]) "
    "UNION SELECT a, b, kind, weight, created_at FROM link WHERE b = ANY(%s::text[]) ORDER BY a, b, kind"
)
_VECTORS = (
    "SELECT v.id, v.embedding FROM memory m JOIN view v ON v.tenant = m.tenant AND v.id = m.id "
    "WHERE m.id = ANY(%s::text[]) AND v.name = %s"
)
EF_SEARCH = 200
"""How many neighbours an HNSW search keeps in view: at 100,000 memories it then finds what exact search finds."""
_INDEX_EVERY = 1_000
"""After so many new vectors of this process it is looked whether a view has become large enough for an index."""
_INDEXING = 0x5EC0_11EE


class PostgresStore:
    """See `store.protocol.Store` for what each method promises."""

    def __init__(self, url: str) -> None:
        self._db = Connections(url)
        self.url = self._db.url
        self._unindexed = 0
        self._loading = False
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
        """Settings of every connection: where names are looked up, and how a filtered search goes on."""
        copy_format.prepare(db)
        set_json_loads(from_json, db)
        db.execute(
            f'SET search_path = {schema.SCHEMA}, "{self._found_in}"; SET jit = off; '
            # short questions to tables that are in memory: workers and long scans only cost time
            "SET max_parallel_workers_per_gather = 0; SET random_page_cost = 1.1; "
            f"SET lock_timeout = '{BUSY_TIMEOUT_SECONDS}s'; SET hnsw.iterative_scan = relaxed_order; "
            f"SET hnsw.ef_search = {EF_SEARCH}"
        )

    @cached_property
    def _searches(self) -> Searches:
        from .vectors import Searches  # brings numpy

        return Searches()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._writing():
            yield

    @contextmanager
    def _writing(self, *, at_once: bool = False) -> Iterator[Database]:
        self._check_writable()
        with self._db.transaction(at_once=at_once) as db:
            yield db
        if self._unindexed >= _INDEX_EVERY and not self._loading and not self._db.in_transaction:
            self._build_indexes()

    def _check_writable(self) -> None:
        if self.read_only:
            raise StoreReadOnly(f"{self.url} is a read-only replica: write to the primary server")

    # Writing --------------------------------------------------------------------------------------

    def write(self, batch: Batch) -> None:
        with self._writing(at_once=writing.is_small(batch)) as db:
            self._unindexed += writing.write(db, batch)

    @contextmanager
    def loading(self) -> Iterator[None]:
        """Puts off building vector indexes until much has been written: many times faster than to keep them up."""
        self._loading = True
        try:
            yield
        finally:
            self._loading = False
        self._build_indexes(loaded=True)

    def _build_indexes(self, *, loaded: bool = False) -> None:
        """Of views that have grown large, by one process at a time, while others read and write."""
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

    def record(self, logged: RecallEntry) -> None:
        self._check_writable()
        with self._db.read() as db:
            log.record(db, logged)

    def set_feedback(self, recall_id: str, given: Sequence[Feedback], at: datetime) -> None:
        with self._writing() as db:
            log.set_feedback(db, recall_id, given, at)

    def touch(self, memory_id: str, at: datetime) -> None:
        self._check_writable()
        with self._db.read() as db:
            log.touch(db, memory_id, at)

    def mark_undone(self, event_id: str, by: str | None) -> None:
        with self._writing() as db:
            db.execute("UPDATE event SET undone_by = %s WHERE id = %s", (by, event_id))

    def purge(self, ids: Iterable[str], event: Event) -> int:
        with self._writing() as db:
            found = db.execute(
                "DELETE FROM memory WHERE id = ANY(%s) RETURNING tenant, id, granularity", (sorted(set(ids)),)
            ).fetchall()
            gone = [id for _, id, _ in found]
            words = lexicon.Lexicon(db)
            words.remove({(tenant, id): granularity for tenant, id, granularity in found})
            words.flush()
            _forget(db, [(tenant, id) for tenant, id, _ in found])
            db.execute("UPDATE revision SET before = NULL WHERE memory_id = ANY(%s)", (gone,))
            db.execute(
                "UPDATE recall SET query = '' WHERE id IN (SELECT recall FROM recalled WHERE memory_id = ANY(%s))",
                (gone,),
            )
            db.execute("DELETE FROM link WHERE a = ANY(%s) OR b = ANY(%s)", (gone, gone))
            log.append(db, [event])
        return len(found)

    def drop_vectors(self) -> None:
        from . import vectors

        with self._writing() as db:
            vectors.drop(db)

    def set_setting(self, key: str, value: str) -> None:
        with self._writing() as db:
            db.execute(
                "INSERT INTO setting VALUES (%s, %s) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                (key, value),
            )

    # Reading --------------------------------------------------------------------------------------

    def together(self, asks: Sequence[Callable[[], T]]) -> list[T]:
        if len(asks) < 2 or self._db.in_transaction:  # which has one connection
            return [ask() for ask in asks]
        self._db.check_open()
        started = [self._threads.submit(ask) for ask in asks[1:]]
        return [asks[0](), *(ask.result() for ask in started)]

    @cached_property
    def _threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(MOST_CONNECTIONS, thread_name_prefix="recollect")

    def get(self, ids: Iterable[str], filter: Filter | None = None) -> dict[str, Memory]:
        if not (wanted := list(ids)):
            return {}
        where = compile_filter(filter or Filter())
        with self._db.read() as db:
            rows = db.execute(
                f"SELECT {SELECT} FROM {FROM} WHERE m.id = ANY(%s) AND {where.sql}", (wanted, *where.bindings)
            )
            return {row[0]: to_memory(row) for row in rows}

    def fetch(self, ids: Sequence[str], *, links: bool, view: str | None) -> Fetched:
        if not ids:
            return Fetched({}, [], {})
        wanted = copy_format.Encoded(copy_format.texts(ids))
        with self._db.read() as db:
            with together(db):
                rows = db.execute(f"SELECT {SELECT} FROM {FROM} WHERE m.id = ANY(%s::text[])", (wanted,), binary=True)
                linked = db.execute(_LINKS, (wanted, wanted)) if links else ()
                seen = db.execute(_VECTORS, (wanted, view), binary=True) if view is not None else ()
            return Fetched({row[0]: to_memory(row) for row in rows}, _links(linked), _unpacked(seen))

    def scan(
        self, filter: Filter, *, order: Order = "newest", limit: int | None = None, after: str | None = None
    ) -> list[Memory]:
        where = compile_filter(filter)
        by, beyond = _ORDERS[order]
        if after is not None:
            where.add(beyond, after)
        with self._db.read() as db:
            rows = db.execute(
                f"SELECT {SELECT} FROM {FROM} WHERE {where.sql} ORDER BY {by} LIMIT %s", (*where.bindings, limit)
            )
            return [to_memory(row) for row in rows]

    def find_same(self, namespace: str, digests: Iterable[bytes], filter: Filter) -> dict[bytes, str]:
        where = compile_filter(filter)
        among, wanted = one_or_any(digests)
        with self._db.read() as db:
            rows = db.execute(
                "SELECT DISTINCT ON (m.digest) m.digest, m.id FROM memory m WHERE m.tenant = %s "
                f"AND m.digest {among} AND m.namespace = %s AND {where.sql} ORDER BY m.digest, m.created_at, m.id",
                (namespace.partition("/")[0], wanted, namespace, *where.bindings),
            )
            return dict(rows.fetchall())

    def find_about(self, namespace: str, about: Iterable[str]) -> dict[str, list[Memory]]:
        found: dict[str, list[Memory]] = {}
        with self._db.read() as db:
            rows = db.execute(
                f"SELECT m.about, {SELECT} FROM {FROM} WHERE m.tenant = %s AND m.about = ANY(%s) "
                "AND m.namespace = %s AND m.status = 'active' ORDER BY m.created_at, m.id",
                (namespace.partition("/")[0], list(about), namespace),
            )
            for key, *row in rows:
                found.setdefault(key, []).append(to_memory(row))
        return found

    def search_text(
        self,
        content: Sequence[str],
        stop: Sequence[str],
        filter: Filter,
        *,
        match: Literal["any", "all"],
        fields: Mapping[str, float],
        limit: int,
    ) -> Proposed:
        with self._db.read() as db:
            return lexicon.search(db, content, stop, filter, match, fields, limit)

    def statistics(self, tenants: Iterable[str], terms: Iterable[str]) -> Statistics:
        with self._db.read() as db:
            return lexicon.statistics(db, tenants, terms)

    def search_vector(
        self, vector: Vector, view: str, filter: Filter, *, limit: int, floor: float = -1.0
    ) -> list[tuple[str, float]]:
        with self._db.read() as db:
            return self._searches.search(db, vector, view, filter, limit, floor)

    def similar(self, vectors: Vector, view: str, filter: Filter, *, at_least: float) -> list[list[tuple[str, float]]]:
        with self._db.read() as db:
            return self._searches.similar(db, vectors, view, filter, at_least)

    def vectors(self, ids: Iterable[str], view: str) -> dict[str, Vector]:
        with self._db.read() as db:
            return _unpacked(db.execute(_VECTORS, (list(ids), view), binary=True))

    def vectors_by_hash(self, hashes: Iterable[bytes]) -> dict[bytes, Vector]:
        from .vectors import by_hash

        with self._db.read() as db:
            return by_hash(db, hashes)

    def links(self, ids: Iterable[str]) -> list[Link]:
        wanted = list(ids)
        with self._db.read() as db:
            return _links(db.execute(_LINKS, (wanted, wanted)))

    def turns_near(self, ids: Iterable[str], distance: int, filter: Filter) -> dict[str, list[Memory]]:
        where = compile_filter(filter)
        found: dict[str, list[Memory]] = {}
        with self._db.read() as db:
            rows = db.execute(
                f"SELECT o.id, {SELECT} FROM memory o JOIN {FROM} ON m.tenant = o.tenant "
                "AND m.session_id = o.session_id AND m.turn BETWEEN o.turn - %s AND o.turn + %s "
                "AND m.namespace = o.namespace AND m.granularity = o.granularity AND m.id <> o.id "
                f"WHERE o.id = ANY(%s) AND {where.sql} ORDER BY m.turn, m.id",
                (distance, distance, list(ids), *where.bindings),
            )
            for memory_id, *row in rows:
                found.setdefault(memory_id, []).append(to_memory(row))
        return found

    def events(self, *, memory_id: str | None = None, event_id: str | None = None) -> list[Event]:
        with self._db.read() as db:
            return log.events(db, memory_id, event_id)

    def recalled(self, recall_id: str) -> list[str] | None:
        with self._db.read() as db:
            return log.recalled(db, recall_id)

    def feedback(self, recall_id: str) -> list[Feedback]:
        with self._db.read() as db:
            return log.feedback(db, recall_id)

    def recalls_of(self, memory_id: str, namespaces: Sequence[str], *, limit: int) -> list[RecallHit]:
        with self._db.read() as db:
            return audit.recalls_of(db, memory_id, namespaces, limit)

    def asked(self, namespaces: Sequence[str], *, limit: int, before: str | None = None) -> list[RecallRecord]:
        with self._db.snapshot() as db:
            return audit.recalls(db, namespaces, limit, before)

    def log(self, namespaces: Sequence[str], *, limit: int, before: str | None = None) -> list[Event]:
        with self._db.snapshot() as db:
            return audit.events(db, namespaces, limit, before)

    def logged(self, recall_id: str) -> RecallRecord | None:
        with self._db.snapshot() as db:
            return audit.logged(db, recall_id)

    def growth(self, namespaces: Sequence[str]) -> list[tuple[date, int]]:
        with self._db.read() as db:
            return audit.growth(db, namespaces)

    def edited_at(self, ids: Iterable[str], *, until: datetime) -> dict[str, datetime]:
        with self._db.read() as db:
            return log.edited_at(db, ids, until)

    def namespaces(self) -> dict[str, int]:
        with self._db.read() as db:
            rows = db.execute(
                "SELECT namespace, count(*) FROM memory WHERE status <> 'forgotten' GROUP BY 1 ORDER BY 1"
            )
            return dict(rows.fetchall())

    def without_vectors(self, view: str, limit: int) -> list[Memory]:
        with self._db.read() as db:
            rows = db.execute(
                f"SELECT {SELECT} FROM {FROM} WHERE NOT EXISTS "
                "(SELECT 1 FROM view v WHERE v.tenant = m.tenant AND v.id = m.id AND v.name = %s) "
                "ORDER BY m.seq LIMIT %s",
                (view, limit),
            )
            return [to_memory(row) for row in rows]

    def setting(self, key: str) -> str | None:
        with self._db.read() as db:
            row = db.execute("SELECT value FROM setting WHERE key = %s", (key,)).fetchone()
            return None if row is None else str(row[0])

    def settings(self, prefix: str) -> dict[str, str]:
        with self._db.read() as db:
            sql = "SELECT key, value FROM setting WHERE starts_with(key, %s) ORDER BY key"
            return dict(db.execute(sql, (prefix,)).fetchall())

    # Keeping --------------------------------------------------------------------------------------

    def counts(self, namespaces: Sequence[str]) -> Counts:
        where = compile_filter(Filter(namespaces=tuple(namespaces)))
        inside = f"FROM memory m WHERE {where.sql}"
        with self._db.snapshot() as db:

            def number(sql: str, bindings: Sequence[Any] = ()) -> int:
                row = db.execute(sql, bindings).fetchone()
                return int(row[0] or 0) if row else 0

            def grouped(column: str) -> dict[str, int]:
                sql = f'SELECT {column} COLLATE "C", count(*) {inside} GROUP BY 1 ORDER BY 1'
                return dict(db.execute(sql, where.bindings).fetchall())

            unseen = (
                "AND NOT EXISTS (SELECT 1 FROM view v WHERE v.tenant = m.tenant AND v.id = m.id AND v.name = 'full')"
            )
            texts = f"SELECT sum(octet_length(m.text)) {inside}"
            tables = (
                "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c "
                "WHERE c.relkind = 'r' AND c.relnamespace = current_schema::regnamespace"
            )
            # one that leads out would tell that there is something
            ends = f"a IN (SELECT m.id {inside}) AND b IN (SELECT m.id {inside})"
            return Counts(
                memories=number(f"SELECT count(*) {inside}", where.bindings),
                by_status=grouped("m.status"),
                by_kind=grouped("m.kind"),
                by_tier=grouped("m.tier"),
                by_granularity=grouped("m.granularity"),
                without_vector=number(f"SELECT count(*) {inside} {unseen}", where.bindings),
                links=number(f"SELECT count(*) FROM link WHERE {ends}", (*where.bindings, *where.bindings)),
                events=number(f"SELECT count(*) FROM event m WHERE {where.sql}", where.bindings),
                recalls=number(f"SELECT count(*) FROM recall m WHERE {where.sql}", where.bindings),
                bytes=number(texts, where.bindings) if namespaces else number(tables),
                extra=log.usage(db, where),
            )

    def check(self) -> list[Finding]:
        with self._db.snapshot() as db:
            return check.check(db)

    def all_puts(self, *, after: int, limit: int) -> list[tuple[int, Put]]:
        with self._db.snapshot() as db:
            return dump.puts(db, after, limit)

    def all_events(self, *, after: int, limit: int) -> list[tuple[int, Event]]:
        with self._db.read() as db:
            return dump.events(db, after, limit)

    def all_recalls(self, *, after: str, limit: int) -> list[RecallRecord]:
        with self._db.snapshot() as db:
            return dump.recalls(db, after, limit)

    def backup(self, path: Path) -> None:
        if path.exists():
            raise StoreError(f"{path} exists already: a backup never overwrites, choose another name")
        from ..copying import copy
        from ..sqlite.store import SqliteStore

        target = SqliteStore(str(path))
        try:
            with self._db.snapshot():
                copy(self, target, lambda count: None)
        finally:
            target.close()

    def close(self) -> None:
        self._threads.shutdown()
        self._db.close()


def _links(rows: Iterable[Sequence[Any]]) -> list[Link]:
    return [Link(a=a, b=b, kind=kind, weight=weight, created_at=from_micros(at)) for a, b, kind, weight, at in rows]


def _unpacked(rows: Iterable[tuple[Any, ...]]) -> dict[str, Vector]:
    if not (listed := list(rows)):
        return {}
    from .vectors import unpacked  # brings numpy

    return unpacked(listed)


def _forget(db: Database, keys: Sequence[tuple[str, str]]) -> None:
    from . import vectors

    vectors.remove(db, keys)


def _has_outgrown_its_statistics(db: Database) -> bool:
    """Whether the planner still believes that there is little; the server looks only once a minute."""
    row = db.execute(
        "SELECT n_mod_since_analyze > n_live_tup / 2 FROM pg_stat_user_tables WHERE relid = 'memory'::regclass"
    ).fetchone()
    return bool(row and row[0])
