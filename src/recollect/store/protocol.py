"""What every store promises. The docstrings are the contract; `recollect.testing` checks it.

A store is five small protocols: `Memories`, `Index`, `Journal`, `Tables` and `Maintenance`. docs/store-contract.md
says how to write one. Common to all methods:

- A method sees every write that was committed before the call. Inside `transaction()` it also sees its own.
- Unknown ids are skipped without an error.
- Lists come in the stated order, and ties are broken by id: the same store gives the same answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from ..types import Event, Filter, Link, Memory
from .tables import Row
from .values import Access, Batch, Counts, Dumped, Fetched, Finding, Proposed, RecallEntry, RecallRecord

if TYPE_CHECKING:
    from ..types import Vector

Order = Literal["newest", "oldest", "id"]
T = TypeVar("T")
R = TypeVar("R", bound=Row)


class Memories(Protocol):
    """Memories and the links between them."""

    def transaction(self) -> AbstractContextManager[None]:
        """One writer at a time; what is read inside stays true until the end. An exception undoes everything inside.

        A nested transaction is undone alone when its exception is caught outside it, and with the outermost one
        otherwise. Raises StoreLocked after the busy timeout.
        """

    def write(self, batch: Batch) -> None:
        """Applies the batch atomically, in a transaction of its own or as a nested one. A later put of an id wins."""

    def get(self, ids: Iterable[str], filter: Filter | None = None) -> dict[str, Memory]:
        """The memories by id that the filter admits; without a filter, all of them, whatever their status."""

    def scan(
        self, filter: Filter, *, order: Order = "newest", limit: int | None = None, after: str | None = None
    ) -> list[Memory]:
        """Memories the filter admits. newest and oldest go by creation; `after` is the last id of the page before."""

    def find_same(self, digests: Iterable[bytes], filter: Filter) -> dict[bytes, Memory]:
        """Digest → the oldest admitted memory whose text has it."""

    def find_about(self, keys: Iterable[str], filter: Filter) -> dict[str, list[Memory]]:
        """Key (such as `user/live in`) → the admitted memories that state something about it, oldest first."""

    def links(self, ids: Iterable[str]) -> list[Link]:
        """All links that touch one of these memories, in either direction, each once, ordered by (a, b, kind)."""

    def turns_near(self, ids: Iterable[str], distance: int, filter: Filter) -> dict[str, list[Memory]]:
        """For each of these that is a turn: the admitted turns up to `distance` before and after it in the same
        session and namespace, in order, without the turn itself."""

    def purge(self, ids: Iterable[str], event: Event) -> int:
        """Removes text, terms, vectors, revisions and links of these memories for good, and the text of the questions
        that found them. Logs the event and returns how many memories there were. No text is left in the file."""

    def namespaces(self) -> dict[str, int]:
        """Namespace → number of memories without the forgotten ones, ordered by name."""


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
    ) -> Proposed:
        """At least the `limit` memories that BM25 would rank best among those the filter admits, unordered.

        A memory matches with any (or all) of the content words in the weighted fields; without content words the
        stop-words take their place. Words are the analyser's terms.
        """

    def search_vector(
        self, vector: Vector, view: str, filter: Filter, *, limit: int, floor: float = -1.0
    ) -> list[tuple[str, float]]:
        """(id, cosine) best first, among what the filter admits; the filter acts before the limit."""

    def similar(self, vectors: Vector, view: str, filter: Filter, *, at_least: float) -> list[list[tuple[str, float]]]:
        """For each row of `vectors`: the admitted memories with at least that cosine, best first."""

    def fetch(self, ids: Sequence[str], *, links: bool = False, view: str | None = None) -> Fetched:
        """These memories, where wanted with their links and the unit vectors of one view, in one round trip."""

    def vectors_by_hash(self, hashes: Iterable[bytes]) -> dict[bytes, Vector]:
        """The stored vectors with these hashes, whichever memories they belong to."""

    def drop_vectors(self) -> None:
        """Removes every vector (before re-embedding with another model)."""

    def gather(self, reads: Sequence[Callable[[], T]]) -> list[T]:
        """The results of independent reads, in order; run at the same time where that is faster."""


class Journal(Protocol):
    """What happened: the event log and the recall log."""

    def events(
        self,
        *,
        id: str | None = None,
        memory_id: str | None = None,
        namespaces: Sequence[str] = (),
        before: str | None = None,
        limit: int | None = None,
    ) -> list[Event]:
        """Events, newest first: one by its id, those of one memory (with its changes only), or those of some
        namespaces (none: all). `before` is the last id of the page before; it need not exist."""

    def recalls(
        self,
        *,
        id: str | None = None,
        memory_id: str | None = None,
        namespaces: Sequence[str] = (),
        before: str | None = None,
        limit: int | None = None,
    ) -> list[RecallRecord]:
        """Recalls with their feedback, newest first, chosen in the same way; `memory_id` is one that was found."""

    def record(self, entry: RecallEntry | Access) -> None:
        """Logs a recall and moves the counter of its hits, or counts one access. Never waits for a writer longer
        than one statement takes."""

    def last_edited(self, ids: Iterable[str], *, until: datetime) -> dict[str, datetime]:
        """When somebody last changed, linked, restated or restored each of these, up to that moment; memories that
        nobody edited are left out. Maintenance does not count."""


class Tables(Protocol):
    """Small tables beside the memories: settings, API keys, login links, replies, retention rules, marks."""

    def rows(self, kind: type[R], **where: object) -> list[R]:
        """The rows of a table whose columns equal these values, ordered by its key. `Batch.rows` writes them."""

    def delete_rows(
        self, kind: type[Row], *, expired_by: datetime | None = None, beyond: int | None = None, **where: object
    ) -> int:
        """Deletes such rows, with `expired_by` only those that expired by then, with `beyond` only those that a table
        of at most so many has no room for, the first to expire first; returns how many were deleted."""


class Maintenance(Protocol):
    """Figures, checks, copies."""

    def counts(self, namespaces: Sequence[str]) -> Counts:
        """Figures for `stats` and `doctor`; no namespaces means all."""

    def growth(self, namespaces: Sequence[str]) -> list[tuple[date, int]]:
        """Day (UTC) and how many memories of these namespaces (none: all) were created on it, oldest first, without
        the forgotten ones."""

    def check(self) -> list[Finding]:
        """Compares rows, lexical index, vectors, links and statistics; empty when they agree."""

    def dump(self, after: str = "", *, limit: int = 1_000) -> Dumped:
        """The next page of everything in the store, as a batch that makes it again in an empty store. `after` is the
        mark of the page before. Memories come in the order they were stored, with counters, terms and vectors."""

    def loading(self) -> AbstractContextManager[None]:
        """Says that much is about to be written: a store may build its indexes once, at the end."""

    def backup(self, path: Path) -> None:
        """A consistent copy while others go on writing. Raises StoreError rather than overwrite a file."""

    def close(self) -> None:
        """Releases everything. Closing twice is fine; any other use afterwards raises StoreError."""


class Store(Memories, Index, Journal, Tables, Maintenance, Protocol):
    """Everything the rest of recollect needs from a database."""

    url: str
    """Where it is, as the user would write it."""
    read_only: bool
