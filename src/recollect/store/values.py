"""The values that a store takes and returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from ..types import Event, Link, LinkKind, Memory, Posting, Statistics, plain
from .tables import Row

if TYPE_CHECKING:
    from ..types import Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A memory's analysed terms by field, in order, as the lexical index stores them."""

    gist: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """A vector and the hash of the text it was made from. Equal hashes share one stored vector."""

    hash: bytes
    vector: Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Put:
    """A memory to insert, or to replace if its id exists already.

    Replacing never changes the counters. `document` and `vectors` are given if the searchable text changed. With None
    the indexes stay as they are.
    """

    memory: Memory
    document: Document | None = None
    digest: bytes | None = None
    about: str | None = None
    """Subject and attribute of its statement, such as `user/live in`; written together with the digest."""
    vectors: Mapping[str, Embedded] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallEntry:
    """A recall as it is logged."""

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
    counts: Literal["retrieval", "access"] = "retrieval"
    """The counter of the hits that is incremented. It is not part of the log."""
    ms: float | None = None
    """How long the recall took; None where an older version logged it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """One memory was read."""

    memory_id: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """The feedback on one hit of a recall, and how it changed the memory."""

    memory_id: str
    used: bool
    outcome: float | None
    """-1 to 1; None if no outcome was given."""
    strength: float
    importance: float
    """The amount by which each of these was changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallFeedback:
    """All feedback on one recall. It replaces the former feedback on it."""

    recall_id: str
    given: Sequence[Feedback]
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRecord:
    """A logged recall with its feedback."""

    entry: RecallEntry
    feedback: Sequence[Feedback] = ()
    feedback_at: datetime | None = None

    def hit(self, memory_id: str) -> RecallHit:
        """The entry for one memory that this recall found."""
        ranked = enumerate(self.entry.hits, start=1)
        rank, score = next((rank, score) for rank, (found, score) in ranked if found == memory_id)
        said = next((given for given in self.feedback if given.memory_id == memory_id), None)
        return RecallHit(
            id=self.entry.id,
            at=self.entry.at,
            actor=self.entry.actor,
            query=self.entry.query,
            recipe=self.entry.recipe,
            rank=rank,
            score=score,
            used=None if said is None else said.used,
            outcome=None if said is None else said.outcome,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallHit:
    """One recall that found a memory, and the feedback on that hit."""

    id: str
    """Id of the recall."""
    at: datetime
    actor: str
    query: str
    recipe: str
    rank: int
    score: float
    used: bool | None
    """None without feedback."""
    outcome: float | None

    def to_dict(self) -> dict[str, Any]:
        return {f.name: plain(getattr(self, f.name)) for f in fields(self)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Changes that are written atomically."""

    puts: Sequence[Put] = ()
    links: Sequence[Link] = ()
    unlinks: Sequence[tuple[str, str, LinkKind]] = ()
    events: Sequence[Event] = ()
    undone: Mapping[str, str | None] = field(default_factory=dict)
    """Event id → the event that undid it; None if it is no longer undone."""
    recalls: Sequence[RecallRecord] = ()
    """Recalls that another store logged. No counter changes."""
    feedback: Sequence[RecallFeedback] = ()
    rows: Sequence[Row] = ()
    """Rows of the small tables. Each replaces the row with the same key."""


class Dumped(NamedTuple):
    """One page of a store."""

    batch: Batch
    after: str
    """The mark of this page; empty at the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A fault that `check` found, and how to repair it."""

    what: str
    count: int
    mend: str
    derived: bool = False
    """Whether only derived data is wrong (words, vectors, counts), which `repair` makes again from the rows."""
    chain: bool = False
    """Whether it is about the hash chain of the event log. The rows can be whole, and are then copied and repaired."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Counts of a store, or of some namespaces of it."""

    memories: int
    by_status: Mapping[str, int]
    by_kind: Mapping[str, int]
    by_tier: Mapping[str, int]
    by_granularity: Mapping[str, int]
    without_vector: int
    links: int
    """Links with both ends inside. Counting others would reveal hidden memories."""
    events: int
    recalls: int
    bytes: int
    """Size of the whole store; for namespaces, of their texts only, so that a tenant can't observe other tenants."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """`most_used` and `never_used` memories, if there is feedback."""


class Proposed(NamedTuple):
    """Memories that match the words of a search, and the statistics that BM25 needs to rank them."""

    postings: Sequence[Posting] = ()
    corpora: Statistics = MappingProxyType({})
    """The statistics of at least the postings' tenants and granularities, with the words' document frequencies."""


Numbers: TypeAlias = dict[str, Sequence[float | None]]
"""Id → the numbers in some fields of a memory."""


class Fetched(NamedTuple):
    """Memories with their links and vectors."""

    memories: dict[str, Memory]
    links: list[Link]
    vectors: dict[str, Vector]
