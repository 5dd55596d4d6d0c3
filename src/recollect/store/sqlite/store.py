"""The SQLite store: one file, several processes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import apsw

from ...errors import StoreDamaged, StoreError, StoreReadOnly, StoreReplaced
from ...namespaces import is_within
from ...types import Event, Filter, Memory
from ..files import new_file
from ..protocol import Order
from ..recording import WaitingEntries
from ..sql.store import Keys, SqlStore
from ..sql.text_query import TextQuery
from ..values import Access, Batch, Document, Fetched, Finding, Proposed, Put, RecallEntry
from . import check, cut_log, dump, erasing, log, schema, writing
from . import repair as repairing
from .connections import Connections, Database
from .dialect import SQLITE
from .erasing import Eraser
from .newest import newest
from .translated import translated

if TYPE_CHECKING:
    from ...types import Vector
    from .admitted import Admitted
    from .having import Having
    from .vectors import VectorIndex
    from .words import WordIndex

T = TypeVar("T")
_MANY = 16


class SqliteStore(SqlStore):
    """`store.protocol` documents the methods."""

    _dialect = SQLITE

    def __init__(self, path: str, *, synchronous: str = "full") -> None:
        self.url = path
        self._db = Connections(path)
        self.read_only = self._db.read_only
        self._vectors: VectorIndex | None = None
        self._words: WordIndex | None = None
        self._admitted_rows: Admitted | None = None
        self._few: Having | None = None
        self._forks = 0
        self._waiting = WaitingEntries(self._record_late)
        self._eraser = Eraser(self._db)
        self._purged = False
        """Whether text was purged in the transaction."""
        try:
            self._prepare(synchronous)
            if not (self.read_only or self._db.in_memory):
                self._eraser.resume()
        except BaseException:
            self._db.close()
            raise

    def _prepare(self, synchronous: str) -> None:
        with self._db.read() as db:
            schema.verify(db, self.url)
            current = schema.version(db) == len(schema.MIGRATIONS)
            if not (self.read_only or self._db.in_memory):
                cut_log.set_aside(self.url, db)
        self._db.prepare(synchronous=synchronous)
        if current:
            return
        if self.read_only:
            raise StoreReadOnly(f"{self.url} is read-only and needs an upgrade: make it writable once")
        with self._db.with_temporary_files(), self._db.transaction() as db:
            schema.migrate(db, self.url)

    def _reading(self) -> AbstractContextManager[Database]:
        return self._db.read()

    def _snapshot(self) -> AbstractContextManager[Database]:
        return self._db.snapshot()

    def _is_in_transaction(self) -> bool:
        return self._db.in_transaction

    @contextmanager
    def _writing(self) -> Iterator[Database]:
        self._check_writable()
        self._settle()
        try:
            with self._db.transaction() as db:
                try:
                    yield db
                except BaseException:
                    self._forget_indexes()  # they may contain rows that are rolled back now
                    raise
        except BaseException:
            self._forget_indexes()  # the commit may have failed
            if not self._db.in_transaction:
                self._purged = False
            raise

    def _forget_indexes(self) -> None:
        for index in (self._vectors, self._words, self._few):
            if index is not None:
                index.clear()
        if self._admitted_rows is not None:
            self._admitted_rows.standing.clear()

    def _check_writable(self) -> None:
        if self.read_only:
            raise StoreReadOnly(f"{self.url} is read-only: make the file and its folder writable to store")

    # Writing --------------------------------------------------------------------------------------

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._writing():
            yield
        self._scrub()

    def write(self, batch: Batch) -> None:
        with self._writing() as db:
            writing.write(db, batch)

    def record(self, entry: RecallEntry | Access) -> None:
        if self._db.in_transaction:
            with self._writing() as db:
                log.record(db, entry)
            return
        self._check_writable()
        try:
            with self._db.transaction_now() as db:
                log.record(db, entry)
        except StoreError as error:
            if self._db.is_closed or isinstance(error, StoreDamaged | StoreReplaced):
                raise
            self._waiting.add(entry)

    def _record_late(self, entries: Sequence[RecallEntry | Access]) -> None:
        with self._db.transaction(synced=False) as db:
            for entry in entries:
                log.record_late(db, entry)

    def purge(self, ids: Iterable[str], event: Event, *, more: bool = False) -> int:
        with self._writing() as db:
            count = writing.purge(db, ids, event)
            if count:
                erasing.note(db)
                self._eraser.begin()
                self._purged = not more
        self._scrub()
        return count

    def _scrub(self) -> None:
        """Removes what is left of purged text, after the transaction."""
        if self._purged and not self._db.in_transaction:
            self._purged = False
            if not self._db.in_memory:
                self._eraser.erase_now()

    def drop_vectors(self) -> None:
        with self._writing() as db:
            writing.drop_vectors(db)

    # Memories -------------------------------------------------------------------------------------

    @contextmanager
    def _keys(self, ids: Sequence[str]) -> Iterator[Keys]:
        """For rows that a search has met, no index is needed: each step in it reads another page."""
        met = None if self._admitted_rows is None or len(ids) < _MANY else self._admitted_rows.standing
        with self._db.read() if met is None else self._db.snapshot() as db:
            rows = None if met is None else met.rows(db, ids)
            yield (db, ids, "id") if rows is None else (db, rows, "row")

    def scan(
        self, filter: Filter, *, order: Order = "newest", limit: int | None = None, after: str | None = None
    ) -> list[Memory]:
        if order == "newest" and limit is not None:
            with self._db.snapshot() as db:
                rows = newest(db, filter, limit, after)
            if rows is not None:
                return [_of_index(SQLITE.memory(row), filter) for row in rows]
        return super().scan(filter, order=order, limit=limit, after=after)

    def find_same(self, digests: Iterable[bytes], filter: Filter) -> dict[bytes, Memory]:
        """Mostly there is none, which the index alone says."""
        wanted = SQLITE.among_blobs("digest", given := list(digests))
        with self._db.read() as db:
            sql = f"SELECT DISTINCT digest FROM memory INDEXED BY memory_by_digest WHERE {wanted.sql}"
            held = {digest for (digest,) in db.execute(sql, wanted.values)}
        return super().find_same([digest for digest in given if digest in held], filter) if held else {}

    # Searching ------------------------------------------------------------------------------------

    def gather(self, reads: Sequence[Callable[[], T]]) -> list[T]:
        return [read() for read in reads]

    def _search_text(self, asked: TextQuery) -> Proposed:
        if not asked.required or not asked.weights:
            return Proposed()
        with self._db.snapshot() as db:
            few = self._having.search(db, asked) if asked.match == "all" and asked.formula is None else None
            return self._word_index.search(db, asked) if few is None else few

    @property
    def _having(self) -> Having:
        self._forget_after_fork()
        if self._few is None:
            from .having import Having  # imports numpy

            self._few = Having()
        return self._few

    @property
    def _word_index(self) -> WordIndex:
        self._forget_after_fork()
        if self._words is None:
            from .words import WordIndex  # imports numpy

            self._words = WordIndex(self._admitted)
        return self._words

    def _forget_after_fork(self) -> None:
        """A thread of the parent may hold the locks of the indexes."""
        if self._forks != self._db.forks:
            self._vectors = self._words = self._few = self._admitted_rows = None
            self._forks = self._db.forks

    @property
    def _admitted(self) -> Admitted:
        if self._admitted_rows is None:
            from .admitted import Admitted  # imports numpy

            self._admitted_rows = Admitted()
        return self._admitted_rows

    @property
    def _index(self) -> VectorIndex:
        self._forget_after_fork()
        if self._vectors is None:
            from .vectors import VectorIndex  # imports numpy

            self._vectors = VectorIndex(self._admitted)
        return self._vectors

    def search_vector(
        self, vector: Vector, view: str, filter: Filter, *, limit: int, floor: float = -1.0
    ) -> list[tuple[str, float]]:
        with self._db.snapshot() as db:
            return self._index.search(db, vector, view, filter, limit, floor)

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
        with self._db.snapshot() as db:
            if texts is not None:
                from .restated import restated

                return [found[:limit] for found in restated(db, vectors, texts, view, filter, at_least)]
            return self._index.similar(db, vectors, view, filter, at_least, limit)

    def fetch(self, ids: Sequence[str], *, links: bool = False, view: str | None = None) -> Fetched:
        return Fetched(self.get(ids), self.links(ids) if links else [], {} if view is None else self._seen(ids, view))

    def _seen(self, ids: Sequence[str], view: str) -> dict[str, Vector]:
        from .vectors import unpacked

        with self._db.read() as db:
            rows = db.execute(
                "SELECT m.id, v.data, v.checksum FROM json_each(?) j CROSS JOIN memory m ON m.id = j.value "
                "JOIN view w ON w.row = m.row AND w.name = ? JOIN vector v ON v.number = w.vector",
                (json.dumps(list(ids)), view),
            )
            return {memory_id: unpacked(data, checksum) for memory_id, data, checksum in rows}

    def vectors_by_hash(self, hashes: Iterable[bytes]) -> dict[bytes, Vector]:
        from .vectors import unpacked

        wanted = SQLITE.among_blobs("hash", hashes)
        with self._db.read() as db:
            found = db.execute(f"SELECT hash, data, checksum FROM vector WHERE {wanted.sql}", wanted.values)
            return {hash: unpacked(*stored) for hash, *stored in found}

    # Maintenance ----------------------------------------------------------------------------------

    def _puts(self, db: Database, after: int, limit: int) -> Sequence[tuple[int, Put]]:
        return dump.puts(db, after, limit)

    def check(
        self, *, chain_head: str | None = None, repair: Callable[[Memory], Document] | None = None
    ) -> list[Finding]:
        if repair is not None:
            with self._writing() as db:
                repairing.repair(db, repair)
        with self._db.snapshot() as db:
            return [*check.check(db, chain_head), *cut_log.findings(self.url)]

    def loading(self) -> AbstractContextManager[None]:
        return nullcontext()

    def backup(self, path: Path) -> None:
        with new_file(path) as beside:
            with self._db.snapshot() as db:
                counts = check.counted(db)
                with translated(str(path)):
                    _copy(db, beside)
            self._verify_backup(beside, counts)
            _make_single(beside)

    def _verify_backup(self, copy: Path, counts: dict[str, int]) -> None:
        """Raises StoreDamaged if the copy is not whole. A copy has every damage of the store itself."""
        made = SqliteStore(str(copy))
        try:
            wrong = [finding for finding in made.check() if not (finding.derived or finding.chain)]
            with made._reading() as db:
                same = bool(wrong) or check.counted(db) == counts
        finally:
            made.close()
        if wrong:
            raise StoreDamaged(
                f"{self.url} is damaged ({wrong[0].what}): no backup was made. "
                f"Save what can be read with `recollect recover {self.url} NEW`"
            )
        if not same:
            raise StoreError(f"the copy of {self.url} has other numbers of rows: no backup was made, try again")

    def close(self) -> None:
        self._vectors = self._words = self._few = self._admitted_rows = None
        if not self._db.is_closed:
            self._waiting.close()
            if not (self.read_only or self._db.in_memory):
                self._eraser.close()
        self._db.close()


def _of_index(memory: Memory, filter: Filter) -> Memory:
    """The memory, if it is what the index said. SQLite does not compare a row with its index."""
    if memory.status in filter.statuses and any(is_within(memory.namespace, path) for path in filter.namespaces):
        return memory
    raise StoreDamaged("an index of the memories is damaged: `recollect check --repair` makes it again")


def _copy(db: Database, path: Path) -> None:
    assert isinstance(db, apsw.Connection)
    target = apsw.Connection(str(path))
    try:
        with target.backup("main", db, "main") as copying:
            copying.step()
    finally:
        target.close()


def _make_single(path: Path) -> None:
    """A single file, without a log next to it."""
    db = apsw.Connection(str(path))
    try:
        db.pragma("journal_mode", "delete")
    finally:
        db.close()
