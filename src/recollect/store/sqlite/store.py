"""The SQLite store: one file, several processes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import apsw

from ...errors import StoreDamaged, StoreError, StoreReadOnly
from ...types import Event, Filter, Memory
from ..files import new_file
from ..sql.store import SqlStore
from ..sql.text_query import TextQuery
from ..values import Access, Batch, Document, Fetched, Finding, Proposed, Put, RecallEntry
from . import check, dump, lexicon, log, schema, writing
from . import repair as repairing
from .connections import Connections, Database, translated
from .dialect import SQLITE

if TYPE_CHECKING:
    from ...types import Vector
    from .vectors import VectorIndex

T = TypeVar("T")
_BY_HASH = "SELECT data, checksum FROM vector WHERE hash = ?"


class SqliteStore(SqlStore):
    """`store.protocol` documents the methods."""

    _dialect = SQLITE

    def __init__(self, path: str, *, synchronous: str = "normal") -> None:
        self.url = path
        self._db = Connections(path)
        self.read_only = self._db.read_only
        self._vectors: VectorIndex | None = None
        self._forks = 0
        self._purged = False
        """Whether purged text may still be in the write-ahead log."""
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

    def _reading(self) -> AbstractContextManager[Database]:
        return self._db.read()

    def _snapshot(self) -> AbstractContextManager[Database]:
        return self._db.snapshot()

    @contextmanager
    def _writing(self) -> Iterator[Database]:
        if self.read_only:
            raise StoreReadOnly(f"{self.url} is read-only: make the file and its folder writable to store")
        try:
            with self._db.transaction() as db:
                yield db
        except BaseException:
            if self._vectors is not None:  # it may contain rows that were rolled back
                self._vectors.clear()
            raise

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
        with self._writing() as db:
            log.record(db, entry)

    def purge(self, ids: Iterable[str], event: Event) -> int:
        with self._writing() as db:
            count = writing.purge(db, ids, event)
            self._purged = self._purged or count > 0
        self._scrub()
        return count

    def _scrub(self) -> None:
        """Removes what is left of purged text in the file and in the write-ahead log, after the transaction."""
        if self._purged and not self._db.in_transaction:
            self._purged = False
            if not self._db.in_memory:
                self._db.erase_deleted()

    def drop_vectors(self) -> None:
        with self._writing() as db:
            writing.drop_vectors(db)

    # Searching ------------------------------------------------------------------------------------

    def gather(self, reads: Sequence[Callable[[], T]]) -> list[T]:
        return [read() for read in reads]

    def _search_text(self, db: Database, asked: TextQuery) -> Proposed:
        return lexicon.search(db, asked)

    @property
    def _index(self) -> VectorIndex:
        if self._vectors is None or self._forks != self._db.forks:  # a thread of the parent may hold its lock
            from .vectors import VectorIndex  # imports numpy

            self._vectors, self._forks = VectorIndex(), self._db.forks
        return self._vectors

    def search_vector(
        self, vector: Vector, view: str, filter: Filter, *, limit: int, floor: float = -1.0
    ) -> list[tuple[str, float]]:
        with self._db.snapshot() as db:
            return self._index.search(db, vector, view, filter, limit, floor)

    def similar(self, vectors: Vector, view: str, filter: Filter, *, at_least: float) -> list[list[tuple[str, float]]]:
        with self._db.snapshot() as db:
            return self._index.similar(db, vectors, view, filter, at_least)

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

        with self._db.read() as db:
            held = ((hash, db.execute(_BY_HASH, (hash,)).fetchone()) for hash in hashes)
            return {hash: unpacked(*found) for hash, found in held if found is not None}

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
            findings = check.check(db, chain_head)
        if not self.read_only:
            findings += self._check_lexicon()
        return findings

    def _check_lexicon(self) -> list[Finding]:
        try:
            with self._writing() as db:
                return check.check_lexicon(db)
        except StoreDamaged as error:
            return [
                Finding(what=f"the lexical index can't be checked ({error.__cause__})", count=1, mend=check.RECOVER)
            ]

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
        self._vectors = None
        self._db.close()


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
