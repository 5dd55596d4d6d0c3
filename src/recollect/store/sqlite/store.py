"""The SQLite store: one file, several processes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import apsw

from ...errors import StoreError, StoreReadOnly
from ...types import Event, Filter, Link, Memory, Statistics
from ..protocol import (
    Batch,
    Counts,
    Embedded,
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
from . import audit, check, dump, feedback, lexicon, log, schema
from .connections import Connections, Database, translated
from .filters import compile_filter
from .rows import COLUMNS, COUNTERS, SELECT, from_micros, to_memory, to_micros, to_row

if TYPE_CHECKING:
    from ...types import Vector
    from .vectors import VectorIndex

T = TypeVar("T")

_ORDERS: dict[Order, tuple[str, str]] = {
    "newest": (
        "m.created_at DESC, m.id DESC",
        "(m.created_at, m.id) < (SELECT created_at, id FROM memory WHERE id = ?)",
    ),
    "oldest": (
        "m.created_at, m.id",
        "(m.created_at, m.id) > (SELECT created_at, id FROM memory WHERE id = ?)",
    ),
    "id": ("m.id", "m.id > ?"),
}
_STORED = (*COLUMNS, "tenant", "digest", "about")
_INSERT = f"INSERT INTO memory ({', '.join(_STORED)}) VALUES ({', '.join('?' * len(_STORED))})"
_REPLACED = [name for name in COLUMNS if name not in COUNTERS]
_UPDATE = (
    f"UPDATE memory SET {', '.join(f'{name} = ?' for name in _REPLACED)}, tenant = ?, "
    "digest = coalesce(?, digest), about = iif(?, ?, about) WHERE row = ?"
)


class SqliteStore:
    """See `store.protocol.Store` for what each method promises."""

    def __init__(self, path: str, *, synchronous: str = "normal") -> None:
        self.url = path
        self._db = Connections(path)
        self.read_only = self._db.read_only
        self._vectors: VectorIndex | None = None
        try:
            self._prepare(synchronous)
        except BaseException:
            self._db.close()
            raise

    def _prepare(self, synchronous: str) -> None:
        with self._db.read() as db:
            schema.verify(db, self.url)
            current = schema.version(db) == len(schema.MIGRATIONS)
        self._db.prepare(synchronous=synchronous)
        if current:
            return
        if self.read_only:
            raise StoreReadOnly(f"{self.url} is read-only and needs an upgrade: make it writable once")
        with self._db.transaction() as db:
            schema.migrate(db, self.url)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._writing():
            yield

    @contextmanager
    def _writing(self) -> Iterator[Database]:
        if self.read_only:
            raise StoreReadOnly(f"{self.url} is read-only: make the file and its folder writable to store")
        try:
            with self._db.transaction() as db:
                yield db
        except BaseException:
            if self._vectors is not None:  # it may have copied rows that are now undone
                self._vectors.clear()
            raise

    # Writing --------------------------------------------------------------------------------------

    def write(self, batch: Batch) -> None:
        with self._writing() as db:
            words = lexicon.Lexicon(db)
            for put in batch.puts:
                self._put(db, put, words)
            words.flush()
            self._write_links(db, batch)
            for event in batch.events:
                log.append(db, event)

    def _put(self, db: Database, put: Put, words: lexicon.Lexicon) -> None:
        memory = put.memory
        known = db.execute("SELECT row, namespace, granularity FROM memory WHERE id = ?", (memory.id,)).fetchone()
        values = to_row(memory)
        if known is None:
            db.execute(_INSERT, (*values, memory.tenant, put.digest, put.about))
            row = db.last_insert_rowid()
        else:
            row, namespace, granularity = known
            kept = [value for name, value in zip(COLUMNS, values, strict=True) if name not in COUNTERS]
            anew = put.digest is not None
            db.execute(_UPDATE, (*kept, memory.tenant, put.digest, anew, put.about, row))
            if put.document is not None:
                words.remove(row, namespace, granularity)
            elif (namespace, granularity) != (memory.namespace, memory.granularity):
                words.move(row, namespace, granularity, memory)
        if put.document is not None:
            words.add(row, memory, put.document)
        if put.vectors is not None:
            if known is not None:
                _drop_views(db, row)
            _add_views(db, row, put.vectors)

    def _write_links(self, db: Database, batch: Batch) -> None:
        db.executemany(
            "INSERT INTO link VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET weight = excluded.weight",
            [(link.a, link.b, link.kind, link.weight, to_micros(link.created_at)) for link in batch.links],
        )
        db.executemany("DELETE FROM link WHERE a = ? AND b = ? AND kind = ?", list(batch.unlinks))

    def record(self, logged: RecallEntry) -> None:
        with self._writing() as db:
            log.record(db, logged)

    def set_feedback(self, recall_id: str, given: Sequence[Feedback], at: datetime) -> None:
        with self._writing() as db:
            feedback.replace(db, recall_id, given, at)

    def touch(self, memory_id: str, at: datetime) -> None:
        with self._writing() as db:
            db.execute(
                "UPDATE memory SET access_count = access_count + 1, "
                "last_accessed_at = max(coalesce(last_accessed_at, ?1), ?1) WHERE id = ?2",
                (to_micros(at), memory_id),
            )

    def mark_undone(self, event_id: str, by: str | None) -> None:
        with self._writing() as db:
            db.execute("UPDATE event SET undone_by = ? WHERE id = ?", (by, event_id))

    def purge(self, ids: Iterable[str], event: Event) -> int:
        wanted = json.dumps(list(ids))
        with self._writing() as db:
            rows = db.execute(
                "SELECT row, id, namespace, granularity FROM memory WHERE id IN (SELECT value FROM json_each(?))",
                (wanted,),
            ).fetchall()
            words = lexicon.Lexicon(db)
            for row, memory_id, namespace, granularity in rows:
                words.remove(row, namespace, granularity)
                _drop_views(db, row)
                db.execute("UPDATE revision SET before = NULL WHERE memory_id = ?", (memory_id,))
                db.execute(
                    "UPDATE recall SET query = '' WHERE id IN (SELECT recall FROM recalled WHERE memory_id = ?)",
                    (memory_id,),
                )
                db.execute("DELETE FROM link WHERE a = ?1 OR b = ?1", (memory_id,))
                db.execute("DELETE FROM memory WHERE row = ?", (row,))
            words.flush()
            log.append(db, event)
        if rows:
            self._scrub()
        return len(rows)

    def _scrub(self) -> None:
        """FTS5 and SQLite wipe what they delete; the write-ahead log still holds it until it is emptied."""
        if not (self._db.in_transaction or self._db.in_memory):
            self._db.empty_log()

    def drop_vectors(self) -> None:
        with self._writing() as db:
            db.execute("DELETE FROM view")
            db.execute("DELETE FROM vector")
            _next_generation(db)

    def set_setting(self, key: str, value: str) -> None:
        with self._writing() as db:
            db.execute(
                "INSERT INTO setting VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
                (key, value),
            )

    # Reading --------------------------------------------------------------------------------------

    def together(self, asks: Sequence[Callable[[], T]]) -> list[T]:
        return [ask() for ask in asks]

    def get(self, ids: Iterable[str], filter: Filter | None = None) -> dict[str, Memory]:
        where = compile_filter(filter or Filter())
        with self._db.read() as db:
            rows = db.execute(
                f"SELECT {SELECT} FROM json_each(?) j CROSS JOIN memory m ON m.id = j.value WHERE {where.sql}",
                (json.dumps(list(ids)), *where.bindings),
            )
            return {row[0]: to_memory(row) for row in rows}

    def fetch(self, ids: Sequence[str], *, links: bool, view: str | None) -> Fetched:
        return Fetched(self.get(ids), self.links(ids) if links else [], {} if view is None else self.vectors(ids, view))

    def scan(
        self, filter: Filter, *, order: Order = "newest", limit: int | None = None, after: str | None = None
    ) -> list[Memory]:
        where = compile_filter(filter)
        by, beyond = _ORDERS[order]
        if after is not None:
            where.add(beyond, after)
        with self._db.read() as db:
            rows = db.execute(
                f"SELECT {SELECT} FROM memory m WHERE {where.sql} ORDER BY {by} LIMIT ?",
                (*where.bindings, -1 if limit is None else limit),
            )
            return [to_memory(row) for row in rows]

    def find_same(self, namespace: str, digests: Iterable[bytes], filter: Filter) -> dict[bytes, str]:
        where = compile_filter(filter)
        # the index is named, because the planner prefers the namespace's, which is in the order asked for
        sql = (
            "SELECT j.value, m.id FROM json_each(?) j CROSS JOIN memory m INDEXED BY memory_by_digest "
            f"ON m.digest = unhex(j.value) AND m.namespace = ? WHERE {where.sql} ORDER BY m.created_at DESC, m.id DESC"
        )
        asked = json.dumps([digest.hex() for digest in digests])
        with self._db.read() as db:  # the oldest comes last and stays
            return {bytes.fromhex(digest): id for digest, id in db.execute(sql, (asked, namespace, *where.bindings))}

    def find_about(self, namespace: str, about: Iterable[str]) -> dict[str, list[Memory]]:
        found: dict[str, list[Memory]] = {}
        with self._db.read() as db:
            rows = db.execute(
                f"SELECT m.about, {SELECT} FROM json_each(?) j CROSS JOIN memory m ON m.about = j.value "
                "WHERE m.namespace = ? AND m.status = 'active' ORDER BY m.created_at, m.id",
                (json.dumps(list(about)), namespace),
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

    @property
    def _index(self) -> VectorIndex:
        if self._vectors is None:
            from .vectors import VectorIndex  # brings numpy

            self._vectors = VectorIndex()
        return self._vectors

    def search_vector(
        self, vector: Vector, view: str, filter: Filter, *, limit: int, floor: float = -1.0
    ) -> list[tuple[str, float]]:
        with self._db.snapshot() as db:
            return self._index.search(db, vector, view, filter, limit, floor)

    def similar(self, vectors: Vector, view: str, filter: Filter, *, at_least: float) -> list[list[tuple[str, float]]]:
        with self._db.snapshot() as db:
            return self._index.similar(db, vectors, view, filter, at_least)

    def vectors(self, ids: Iterable[str], view: str) -> dict[str, Vector]:
        import numpy as np

        with self._db.read() as db:
            rows = db.execute(
                "SELECT m.id, v.data FROM json_each(?) j CROSS JOIN memory m ON m.id = j.value "
                "JOIN view w ON w.row = m.row AND w.name = ? JOIN vector v ON v.number = w.vector",
                (json.dumps(list(ids)), view),
            )
            return {memory_id: np.frombuffer(data, np.float16).astype(np.float32) for memory_id, data in rows}

    def vectors_by_hash(self, hashes: Iterable[bytes]) -> dict[bytes, Vector]:
        import numpy as np

        found: dict[bytes, Vector] = {}
        with self._db.read() as db:
            for hash in hashes:
                data = db.execute("SELECT data FROM vector WHERE hash = ?", (hash,)).get
                if data is not None:
                    found[hash] = np.frombuffer(data, np.float16).astype(np.float32)
        return found

    def links(self, ids: Iterable[str]) -> list[Link]:
        wanted = json.dumps(list(ids))
        with self._db.read() as db:
            rows = db.execute(
                "SELECT a, b, kind, weight, created_at FROM link WHERE a IN (SELECT value FROM json_each(?1)) "
                "UNION SELECT a, b, kind, weight, created_at FROM link WHERE b IN (SELECT value FROM json_each(?1)) "
                "ORDER BY a, b, kind",
                (wanted,),
            )
            return [
                Link(a=a, b=b, kind=kind, weight=weight, created_at=from_micros(at)) for a, b, kind, weight, at in rows
            ]

    def turns_near(self, ids: Iterable[str], distance: int, filter: Filter) -> dict[str, list[Memory]]:
        where = compile_filter(filter)
        found: dict[str, list[Memory]] = {}
        with self._db.read() as db:
            rows = db.execute(
                f"SELECT o.id, {SELECT} FROM json_each(?) j CROSS JOIN memory o ON o.id = j.value "
                "JOIN memory m ON m.session_id = o.session_id AND m.turn BETWEEN o.turn - ? AND o.turn + ? "
                "AND m.namespace = o.namespace AND m.granularity = o.granularity AND m.id <> o.id "
                f"WHERE {where.sql} ORDER BY m.turn, m.id",
                (json.dumps(list(ids)), distance, distance, *where.bindings),
            )
            for memory_id, *row in rows:
                found.setdefault(memory_id, []).append(to_memory(row))
        return found

    def events(self, *, memory_id: str | None = None, event_id: str | None = None) -> list[Event]:
        with self._db.read() as db:
            return log.events(db, memory_id, event_id)

    def namespaces(self) -> dict[str, int]:
        with self._db.read() as db:
            rows = db.execute(
                "SELECT namespace, count(*) FROM memory WHERE status <> 'forgotten' GROUP BY 1 ORDER BY 1"
            )
            return dict(rows.fetchall())

    def without_vectors(self, view: str, limit: int) -> list[Memory]:
        with self._db.read() as db:
            rows = db.execute(
                f"SELECT {SELECT} FROM memory m "
                "WHERE NOT EXISTS (SELECT 1 FROM view w WHERE w.row = m.row AND w.name = ?) ORDER BY m.row LIMIT ?",
                (view, limit),
            )
            return [to_memory(row) for row in rows]

    def setting(self, key: str) -> str | None:
        with self._db.read() as db:
            value: str | None = db.execute("SELECT value FROM setting WHERE key = ?", (key,)).get
            return value

    def settings(self, prefix: str) -> dict[str, str]:
        with self._db.read() as db:
            sql = "SELECT key, value FROM setting WHERE substr(key, 1, ?) = ? ORDER BY key"
            return dict(db.execute(sql, (len(prefix), prefix)).fetchall())

    def recalled(self, recall_id: str) -> list[str] | None:
        with self._db.read() as db:
            return feedback.recalled(db, recall_id)

    def feedback(self, recall_id: str) -> list[Feedback]:
        with self._db.read() as db:
            return feedback.read(db, recall_id)

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
            return feedback.edited_at(db, ids, until)

    # Keeping --------------------------------------------------------------------------------------

    def counts(self, namespaces: Sequence[str]) -> Counts:
        where = compile_filter(Filter(namespaces=tuple(namespaces)))
        inside = f"FROM memory m WHERE {where.sql}"
        with self._db.read() as db:

            def number(sql: str, bindings: Sequence[Any] = ()) -> int:
                return int(db.execute(sql, bindings).get or 0)

            def grouped(column: str) -> dict[str, int]:
                sql = f"SELECT {column}, count(*) {inside} GROUP BY 1 ORDER BY 1"
                return dict(db.execute(sql, where.bindings).fetchall())

            pages = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
            texts = f"SELECT sum(length(CAST(m.text AS BLOB))) {inside}"
            unseen = "AND m.row NOT IN (SELECT row FROM view WHERE name = 'full')"
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
                bytes=number(texts, where.bindings) if namespaces else number(pages),
                extra=feedback.usage(db, where),
            )

    def check(self) -> list[Finding]:
        with self._db.snapshot() as db:
            findings = check.check(db)
        if not self.read_only:
            with self._writing() as db:
                findings += check.check_lexicon(db)
        return findings

    def all_puts(self, *, after: int, limit: int) -> list[tuple[int, Put]]:
        with self._db.snapshot() as db:
            return dump.puts(db, after, limit)

    def all_events(self, *, after: int, limit: int) -> list[tuple[int, Event]]:
        with self._db.snapshot() as db:
            return dump.events(db, after, limit)

    def all_recalls(self, *, after: str, limit: int) -> list[RecallRecord]:
        with self._db.snapshot() as db:
            return dump.recalls(db, after, limit)

    def backup(self, path: Path) -> None:
        if path.exists():
            raise StoreError(f"{path} exists already: a backup never overwrites, choose another name")
        with self._db.read() as db, translated(str(path)):
            assert isinstance(db, apsw.Connection)
            target = apsw.Connection(str(path))
            try:
                with target.backup("main", db, "main") as copying:
                    copying.step()
                target.pragma("journal_mode", "delete")  # one file, nothing beside it
            finally:
                target.close()

    def close(self) -> None:
        self._vectors = None
        self._db.close()


def _add_views(db: Database, row: int, views: Mapping[str, Embedded]) -> None:
    import numpy as np

    for name, embedded in views.items():
        # two statements: together in one with RETURNING they take three times as long
        number = db.execute("SELECT number FROM vector WHERE hash = ?", (embedded.hash,)).get
        if number is None:
            data = np.asarray(embedded.vector, np.float16).tobytes()
            db.execute("INSERT INTO vector (hash, data) VALUES (?, ?)", (embedded.hash, data))
            number = db.last_insert_rowid()
        db.execute("INSERT INTO view (row, name, vector) VALUES (?, ?, ?)", (row, name, number))


def _drop_views(db: Database, row: int) -> None:
    numbers = db.execute("SELECT vector FROM view WHERE row = ?", (row,)).fetchall()
    if not numbers:
        return
    db.execute("DELETE FROM view WHERE row = ?", (row,))
    db.executemany(
        "DELETE FROM vector WHERE number = ?1 AND NOT EXISTS (SELECT 1 FROM view WHERE vector = ?1)", numbers
    )
    _next_generation(db)


def _next_generation(db: Database) -> None:
    db.execute("UPDATE setting SET value = CAST(value AS INTEGER) + 1 WHERE key = 'vector_generation'")
