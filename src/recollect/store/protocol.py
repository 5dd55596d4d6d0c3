"""The contract of every store. The docstrings state it, and `recollect.testing` checks it.

A store is five small protocols: `Memories`, `Index`, `Journal`, `Tables` and `Maintenance`. docs/store-contract.md
explains how to write one. Common to all methods:

- A method sees every write that was committed before the call. Inside `transaction()` it also sees its own.
- Unknown ids are skipped without an error.
- Lists are in the stated order, and ties are broken by id. So the same store gives the same answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar, overload

from ..types import Event, Filter, Link, Memory
from ..types.bm25 import Formula
from .tables import Row
from .values import (
    Access,
    Batch,
    Counts,
    Document,
    Dumped,
    Fetched,
    Finding,
    Numbers,
    Proposed,
    RecallEntry,
    RecallRecord,
)

if TYPE_CHECKING:
    from ..types import Vector

Order = Literal["newest", "oldest", "id"]
T = TypeVar("T")
R = TypeVar("R", bound=Row)


class Memories(Protocol):
    """Memories and the links between them."""

    def transaction(self) -> AbstractContextManager[None]:
        """A write transaction. There is one writer at a time, so data that was read inside can't change until its end.

        An exception rolls back everything inside. If the exception of a nested transaction is caught outside it, only
        the nested one is rolled back. Raises StoreLocked after the busy timeout.
        """

    def write(self, batch: Batch) -> None:
        """Applies the batch atomically, in its own transaction or a nested one. The last put of an id wins."""

    @overload
    def get(self, ids: Iterable[str], filter: Filter | None = None) -> dict[str, Memory]: ...
    @overload
    def get(self, ids: Iterable[str], filter: Filter | None = None, *, numbers: Sequence[str]) -> Numbers: ...
    def get(
        self, ids: Iterable[str], filter: Filter | None = None, *, numbers: Sequence[str] = ()
    ) -> dict[str, Memory] | Numbers:
        """Id → memory, for the memories that the filter admits. Without a filter, all of them in any status.

        With `numbers`, the numbers in these fields instead of the memory, in that order; moments are microseconds
        since 1970. This is cheaper: texts are not read, and a damaged row need not be noticed.
        """

    def scan(
        self, filter: Filter, *, order: Order = "newest", limit: int | None = None, after: str | None = None
    ) -> list[Memory]:
        """Memories the filter admits. newest and oldest sort by creation; `after` is the last id of the page before."""

    def find_same(self, digests: Iterable[bytes], filter: Filter) -> dict[bytes, Memory]:
        """Digest → the oldest admitted memory whose text has this digest."""

    def find_about(self, keys: Iterable[str], filter: Filter) -> dict[str, list[Memory]]:
        """Key (such as `user/live in`) → the admitted memories that state something about it, oldest first."""

    def links(self, ids: Iterable[str]) -> list[Link]:
        """All links from or to one of these memories, each once, ordered by (a, b, kind)."""

    def sessions(self, filter: Filter, *, limit: int, after: str | None = None) -> list[Memory]:
        """The first turn (its number is 0) of every session, of those the filter admits; newest first by when they were
        said. `after` is the last id of the page before."""

    def turns_near(self, ids: Iterable[str], distance: int, filter: Filter) -> dict[str, list[Memory]]:
        """For each of these ids that is a turn: the admitted turns up to `distance` before and after it in the same
        session and namespace, in order, without the turn itself."""

    def purge(self, ids: Iterable[str], event: Event, *, more: bool = False) -> int:
        """Permanently removes text, terms, vectors, revisions and links of these memories, and the text of the
        questions that found them. Logs the event. Returns the number of memories. No text is left in the file, unless
        a reader or a full disk prevents that: then the store warns, and removes it as soon as it can. `more`: another
        purge follows at once, and the traces of both are removed after that one."""

    def namespaces(self) -> dict[str, int]:
        """Namespace → number of its memories that are not forgotten, ordered by name."""


class Index(Protocol):
    """Search by words and by vectors."""

    def search_text(
        self,
        content: Sequence[str],
        stop: Sequence[str],
        filter: Filter,
        *,
        match: Literal["any", "all"],
        fields: Mapping[str, float],
        limit: int,
        formula: Formula | None = None,
    ) -> Proposed:
        """At least the `limit` memories that BM25 would rank best among those the filter admits, unordered.

        A memory matches if its weighted fields contain any (or all) of the content words. If there are none, the
        stop-words are used instead. Words are the analyser's terms. `formula` has the constants of BM25. With it, a
        document frequency counts the documents that have the term in a weighted field; without it, in any field.
        """

    def search_vector(
        self, vector: Vector, view: str, filter: Filter, *, limit: int, floor: float = -1.0
    ) -> list[tuple[str, float]]:
        """(id, cosine), best first, of the memories the filter admits. The filter is applied before the limit."""

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
        """For each row of `vectors`: the admitted memories with at least that cosine, best first, at most `limit`.

        `texts` has a text for each row. Then a store may leave out memories and facts that do not state the same as
        that text, which spares it a search by vectors.
        """

    def fetch(self, ids: Sequence[str], *, links: bool = False, view: str | None = None) -> Fetched:
        """These memories in one round trip; on request with their links and the unit vectors of one view."""

    def vectors_by_hash(self, hashes: Iterable[bytes]) -> dict[bytes, Vector]:
        """Hash → the stored vector with this hash, of any memory."""

    def drop_vectors(self) -> None:
        """Removes every vector (before re-embedding with another model)."""

    def gather(self, reads: Sequence[Callable[[], T]]) -> list[T]:
        """Runs independent reads, at the same time where that is faster. Returns their results in order."""


class Journal(Protocol):
    """The event log and the recall log.

    While the store has the setting `chain.HEAD`, every new event gets the hash that `chain.next_hash` gives, and the
    setting becomes that hash in the same transaction.
    """

    def events(
        self,
        *,
        id: str | None = None,
        memory_id: str | None = None,
        namespaces: Sequence[str] = (),
        before: str | None = None,
        limit: int | None = None,
        changes: bool = True,
    ) -> list[Event]:
        """Events, newest first: one by its id, those of one memory (with its changes only), or those of some
        namespaces (none: all). `before` is the last id of the page before; it need not exist. `changes=False` leaves
        the changes out: an event of a large batch has thousands."""

    def recalls(
        self,
        *,
        id: str | None = None,
        memory_id: str | None = None,
        namespaces: Sequence[str] = (),
        before: str | None = None,
        limit: int | None = None,
    ) -> list[RecallRecord]:
        """Recalls with their feedback, newest first, selected as in `events`. `memory_id` selects those that found
        this memory."""

    def record(self, entry: RecallEntry | Access) -> None:
        """Logs a recall and increments the counters of its hits, or counts one access. If another writer or a full
        disk prevents that, the entry waits in this process and is written later: before the log is read or anything
        is written here, and when the store is closed or the program ends. So a recall never waits and never fails."""

    def last_edited(self, ids: Iterable[str], *, until: datetime) -> dict[str, datetime]:
        """Id → when somebody last changed, linked, restated or restored the memory, not later than `until`. Memories
        that nobody edited are left out. Maintenance does not count."""


class Tables(Protocol):
    """Small tables beside the memories: settings, API keys, login links, replies, retention rules, marks."""

    def rows(self, kind: type[R], **where: object) -> list[R]:
        """The rows of a table whose columns equal these values, ordered by its key. `Batch.rows` writes them."""

    def delete_rows(
        self, kind: type[Row], *, expired_by: datetime | None = None, beyond: int | None = None, **where: object
    ) -> int:
        """Deletes the rows that match. `expired_by` deletes only rows that expired by then. `beyond` keeps this many
        rows and deletes those that expire first. Returns the number of deleted rows."""


class Maintenance(Protocol):
    """Figures, checks, copies."""

    def counts(self, namespaces: Sequence[str]) -> Counts:
        """Figures for `stats` and `doctor`; no namespaces means all."""

    def growth(self, namespaces: Sequence[str]) -> list[tuple[date, int]]:
        """(day in UTC, number of memories told on it), oldest first, for these namespaces (none: all): the day of
        `Memory.told_at`, which is not the day of an import. Forgotten memories are not counted."""

    def check(
        self, *, chain_head: str | None = None, repair: Callable[[Memory], Document] | None = None
    ) -> list[Finding]:
        """Reads everything and compares rows, lexical index, vectors, links and statistics, and verifies the hash chain
        of the event log; empty when they agree. Never raises because of damage that a query meets. `chain_head` is an
        earlier head of the chain, which must still be in it. `repair` is the function that analyses a memory's words:
        with it, words and statistics are made again, and damaged vectors are removed, before everything is checked.
        """

    def dump(self, after: str = "", *, limit: int = 1_000) -> Dumped:
        """The next page of everything in the store. Writing all pages to an empty store gives a copy. `after` is the
        mark of the page before. Memories are in the order they were stored, with counters, terms and vectors."""

    def loading(self) -> AbstractContextManager[None]:
        """Surrounds the loading of many rows. A store may build its indexes once, at the end."""

    def backup(self, path: Path) -> None:
        """Writes a consistent copy while others continue to write. Raises StoreError if the file exists."""

    def close(self) -> None:
        """Releases all connections. Closing twice is allowed; any other use afterwards raises StoreError."""


class Store(Memories, Index, Journal, Tables, Maintenance, Protocol):
    """Everything the rest of recollect needs from a database."""

    url: str
    """The path or URL of the store, as a user would write it."""
    read_only: bool
