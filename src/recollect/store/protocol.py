"""What every store promises. The docstrings are the contract; `recollect.testing` checks it.

Common to all methods: a method sees all writes that were committed before it was called, and inside
`transaction()` also its own. Ids that do not exist are passed over silently unless the docstring says
otherwise. Lists come in the stated order with ties broken by id, so the same store gives the same answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, fields
from datetime import date, datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar

from ..types import Event, Filter, Link, LinkKind, Memory, Posting, Statistics, plain

if TYPE_CHECKING:
    from ..types import Vector

Order = Literal["newest", "oldest", "id"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A memory's analysed terms by field, in order; what the lexical index holds."""

    gist: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """A vector and the hash of what it was made from; equal hashes share one stored vector."""

    hash: bytes
    vector: Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Put:
    """A memory to insert, or to replace as a whole when its id is there already.

    Replacing never touches the counters. `document` and `vectors` are given when the searchable text
    changed, and None to leave the indexes as they are.
    """

    memory: Memory
    document: Document | None = None
    digest: bytes | None = None
    about: str | None = None
    """Whose what it states (`user/live in`), by which a later statement finds it; given with the digest."""
    vectors: Mapping[str, Embedded] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """All of it happens, or nothing."""

    puts: Sequence[Put] = ()
    links: Sequence[Link] = ()
    unlinks: Sequence[tuple[str, str, LinkKind]] = ()
    events: Sequence[Event] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallEntry:
    """A recall as the log keeps it."""

    id: str
    at: datetime
    actor: str
    namespace: str
    query: str
    recipe: str
    rejected: str | None
    confidence: float
    hits: Sequence[tuple[str, float]]
    """(memory id, score) in rank order."""
    counts: Literal["retrieval", "access"]
    """Which counter of the hits moves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What was said of one hit of a recall, and what that did to the memory."""

    memory_id: str
    used: bool
    outcome: float | None
    """-1 to 1; None when nothing was said."""
    strength: float
    importance: float
    """By how much each was changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRecord:
    """A logged recall with what was said of it."""

    logged: RecallEntry
    feedback: Sequence[Feedback] = ()
    said_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallHit:
    """One time a memory was found, and what was said of it then."""

    id: str
    """The recall's."""
    at: datetime
    actor: str
    query: str
    recipe: str
    rank: int
    score: float
    used: bool | None
    """None when nothing was said."""
    outcome: float | None

    def to_dict(self) -> dict[str, Any]:
        return {f.name: plain(getattr(self, f.name)) for f in fields(self)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something `check` found wrong, and what mends it."""

    what: str
    count: int
    mend: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What is in the store, within some namespaces."""

    memories: int
    by_status: Mapping[str, int]
    by_kind: Mapping[str, int]
    by_tier: Mapping[str, int]
    by_granularity: Mapping[str, int]
    without_vector: int
    links: int
    events: int
    recalls: int
    bytes: int
    """Of the whole store; within namespaces, of the texts there, so that nobody sees their neighbours grow."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """`most_used` and `never_used` memories, once there is feedback."""


class Proposed(NamedTuple):
    """Memories that match some words, and what BM25 needs to know to choose among them."""

    postings: Sequence[Posting] = ()
    corpora: Statistics = MappingProxyType({})
    """Of at least the postings' tenants and granularities, with the document frequencies of the words."""


class Fetched(NamedTuple):
    """Some memories and what belongs to them."""

    memories: dict[str, Memory]
    links: list[Link]
    vectors: dict[str, Vector]


class Store(Protocol):
    url: str
    """Where it is, as the user would write it."""
    read_only: bool

    def transaction(self) -> AbstractContextManager[None]:
        """One writer at a time; what is read inside stays true until the end. An exception undoes all of it.

        A nested transaction is undone by itself when its exception is caught outside it, and with the
        outermost otherwise. Raises StoreLocked after the busy timeout.
        """

    def together(self, asks: Sequence[Callable[[], T]]) -> list[T]:
        """What these say, which only read and do not depend on each other; at the same time where that is faster."""

    def write(self, batch: Batch) -> None:
        """Applies the batch atomically, in a transaction or as a nested one. A later put of an id wins."""

    def get(self, ids: Iterable[str], filter: Filter | None = None) -> dict[str, Memory]:
        """The memories by id that the filter admits; without one, all, whatever their status."""

    def fetch(self, ids: Sequence[str], *, links: bool, view: str | None) -> Fetched:
        """What `get`, and where wanted `links` and `vectors`, say of these, in one question."""

    def scan(
        self, filter: Filter, *, order: Order = "newest", limit: int | None = None, after: str | None = None
    ) -> list[Memory]:
        """Memories the filter admits. newest/oldest go by creation; `after` is the last id of the page before."""

    def find_same(self, namespace: str, digests: Iterable[bytes], filter: Filter) -> dict[bytes, str]:
        """Digest → id of a memory in exactly this namespace that the filter admits; the oldest of several."""

    def find_about(self, namespace: str, about: Iterable[str]) -> dict[str, list[Memory]]:
        """What active memories of exactly this namespace state about each of these, oldest first."""

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

        A memory matches with any (or all) of the content words in the weighted fields; with no content words
        the stop-words take their place. Terms are the analyser's.
        """

    def statistics(self, tenants: Iterable[str], terms: Iterable[str]) -> Statistics:
        """Corpus statistics per tenant and granularity, with the document frequencies of these terms."""

    def search_vector(
        self, vector: Vector, view: str, filter: Filter, *, limit: int, floor: float = -1.0
    ) -> list[tuple[str, float]]:
        """(id, cosine) best first, among what the filter admits; the filter acts before the limit."""

    def similar(self, vectors: Vector, view: str, filter: Filter, *, at_least: float) -> list[list[tuple[str, float]]]:
        """For each row of `vectors` the admitted memories with at least that cosine, best first."""

    def vectors(self, ids: Iterable[str], view: str) -> dict[str, Vector]:
        """The stored unit vectors of those memories that have this view."""

    def vectors_by_hash(self, hashes: Iterable[bytes]) -> dict[bytes, Vector]:
        """The stored vectors with these hashes, whichever memories they belong to."""

    def links(self, ids: Iterable[str]) -> list[Link]:
        """All links that touch one of these memories, in either direction, each once, ordered by (a, b, kind)."""

    def turns_near(self, ids: Iterable[str], distance: int, filter: Filter) -> dict[str, list[Memory]]:
        """For each of these that is a turn, the admitted turns up to `distance` before and after it in the same
        session and namespace, in order, itself left out."""

    def events(self, *, memory_id: str | None = None, event_id: str | None = None) -> list[Event]:
        """The log, oldest first: all of one memory, or one event."""

    def mark_undone(self, event_id: str, by: str | None) -> None:
        """Notes in the log that an event was undone by another, or (None) that it holds again."""

    def record(self, logged: RecallEntry) -> None:
        """Logs a recall and moves the counter of its hits."""

    def touch(self, memory_id: str, at: datetime) -> None:
        """Counts one access."""

    def recalled(self, recall_id: str) -> list[str] | None:
        """The hits of a logged recall in rank order, whether or not they are still there; None for no such recall."""

    def recalls_of(self, memory_id: str, namespaces: Sequence[str], *, limit: int) -> list[RecallHit]:
        """The latest recalls that found a memory, newest first, of those asked in these namespaces (none: all)."""

    def asked(self, namespaces: Sequence[str], *, limit: int, before: str | None = None) -> list[RecallRecord]:
        """The recalls that were asked in these namespaces (none: all), by id, newest first; `before` is the last
        id of the page before, and need not be there."""

    def log(self, namespaces: Sequence[str], *, limit: int, before: str | None = None) -> list[Event]:
        """The events of these namespaces, in the same way."""

    def logged(self, recall_id: str) -> RecallRecord | None:
        """One recall with what was said of it; None for no such recall."""

    def feedback(self, recall_id: str) -> list[Feedback]:
        """What was said of the hits of a recall, ordered by memory id."""

    def set_feedback(self, recall_id: str, given: Sequence[Feedback], at: datetime) -> None:
        """Keeps this of a recall, in place of all that was kept of it before."""

    def edited_at(self, ids: Iterable[str], *, until: datetime) -> dict[str, datetime]:
        """When each of these was last changed, linked, said again or restored by someone up to that moment;
        those that never were are left out. What tending did does not count."""

    def purge(self, ids: Iterable[str], event: Event) -> int:
        """Removes text, terms, vectors, revisions and links of these memories for good, with the words of the
        questions that found them; logs the event, and says how many there were. Nothing of the text is left in
        the file."""

    def namespaces(self) -> dict[str, int]:
        """Namespace → number of memories, forgotten ones left out, ordered by name."""

    def without_vectors(self, view: str, limit: int) -> list[Memory]:
        """Memories that lack this view, in the order they were stored."""

    def drop_vectors(self) -> None:
        """Forgets every vector (before re-embedding with another model)."""

    def setting(self, key: str) -> str | None:
        """A value the store remembers about itself (`embedder`, `fingerprint` …)."""

    def settings(self, prefix: str) -> dict[str, str]:
        """All such values whose key begins like this, ordered by key."""

    def set_setting(self, key: str, value: str) -> None:
        """Keeps such a value, in place of a former one."""

    def counts(self, namespaces: Sequence[str]) -> Counts:
        """Figures for `stats` and `doctor`; no namespaces means all."""

    def growth(self, namespaces: Sequence[str]) -> list[tuple[date, int]]:
        """Day (UTC) and how many of the memories of these namespaces (none: all) were made on it, oldest first;
        forgotten ones left out."""

    def check(self) -> list[Finding]:
        """Proves that rows, lexical index, vectors, links and statistics agree; empty when all is well."""

    def all_puts(self, *, after: int, limit: int) -> list[tuple[int, Put]]:
        """Every memory as a put that would make it anew, in the order they were stored: with counters, terms,
        digest, vectors. Pages of (position, put); `after` is the last position of the page before, 0 at first."""

    def all_events(self, *, after: int, limit: int) -> list[tuple[int, Event]]:
        """The whole log, oldest first, in pages as above."""

    def all_recalls(self, *, after: str, limit: int) -> list[RecallRecord]:
        """Every logged recall, ordered by id; `after` is the last id of the page before, empty at first. Which
        counter it moved is not known any more."""

    def backup(self, path: Path) -> None:
        """A consistent copy while others go on writing. Raises StoreError rather than overwrite a file."""

    def close(self) -> None:
        """Releases everything; closing twice is fine, any other use afterwards raises StoreError."""
