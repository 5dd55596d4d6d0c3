"""The values that go into a store and come out of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ..types import Event, Link, LinkKind, Memory, Posting, Statistics, plain
from .tables import Row

if TYPE_CHECKING:
    from ..types import Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A memory's analysed terms by field, in order: what the lexical index holds."""

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
    """A memory to insert, or to replace as a whole when its id is there already.

    Replacing never changes the counters. `document` and `vectors` are given when the searchable text changed, and
    None to leave the indexes as they are.
    """

    memory: Memory
    document: Document | None = None
    digest: bytes | None = None
    about: str | None = None
    """Subject and attribute of what it states, such as `user/live in`; written together with the digest."""
    vectors: Mapping[str, Embedded] | None = None


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
    counts: Literal["retrieval", "access"] = "retrieval"
    """Which counter of the hits moves; the log does not keep it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """One memory was read."""

    memory_id: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What was said about one hit of a recall, and how that changed the memory."""

    memory_id: str
    used: bool
    outcome: float | None
    """-1 to 1; None when nothing was said."""
    strength: float
    importance: float
    """By how much each was changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallFeedback:
    """All feedback on one recall, in place of what was kept about it before."""

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
        """This recall from the side of one memory that it found."""
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
    """Of the recall."""
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
    """All of it is written, or nothing."""

    puts: Sequence[Put] = ()
    links: Sequence[Link] = ()
    unlinks: Sequence[tuple[str, str, LinkKind]] = ()
    events: Sequence[Event] = ()
    undone: Mapping[str, str | None] = field(default_factory=dict)
    """Event id → the event that undid it; None when it holds again."""
    recalls: Sequence[RecallRecord] = ()
    """Recalls that were logged elsewhere; no counter moves."""
    feedback: Sequence[RecallFeedback] = ()
    rows: Sequence[Row] = ()
    """Rows of the small tables, each in place of one with the same key."""


class Dumped(NamedTuple):
    """One page of a store."""

    batch: Batch
    after: str
    """The mark of this page; empty when there was nothing left."""


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
    """Links with both ends inside: others would reveal hidden memories."""
    events: int
    recalls: int
    bytes: int
    """Of the whole store; within namespaces, of the texts there, so that a tenant can't watch its neighbours grow."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """`most_used` and `never_used` memories, once there is feedback."""


class Proposed(NamedTuple):
    """Memories that match some words, and the statistics BM25 needs to rank them."""

    postings: Sequence[Posting] = ()
    corpora: Statistics = MappingProxyType({})
    """Of at least the postings' tenants and granularities, with the document frequencies of the words."""


class Fetched(NamedTuple):
    """Some memories and what belongs to them."""

    memories: dict[str, Memory]
    links: list[Link]
    vectors: dict[str, Vector]
