"""Memories and the links between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, get_args

from .plain import by_name, from_plain, readable
from .when import When

Status = Literal[
    "active", "superseded", "contradicted", "consolidated", "completed", "quarantined", "expired", "forgotten"
]
Tier = Literal["pinned", "searchable", "archived"]
Granularity = Literal["memory", "turn", "fact", "chunk", "round", "session"]
LinkKind = Literal[
    "similar",
    "related",
    "mentions",
    "supports",
    "contradicts",
    "extends",
    "supersedes",
    "depends_on",
    "same_as",
    "caused_by",
    "temporal",
]
STATUSES: tuple[Status, ...] = get_args(Status)
VISIBLE: tuple[Status, ...] = tuple(status for status in STATUSES if status != "forgotten")
TIERS: tuple[Tier, ...] = get_args(Tier)
GRANULARITIES: tuple[Granularity, ...] = get_args(Granularity)
NAMELESS = ("user", "assistant")
"""Roles that are not the name of a speaker."""
CORRECTS = "corrects"
"""Metadata key of a fact: the digest of the sentence that it corrects or retracts."""
RETRACTS = "retracts"
"""Metadata key of such a fact that only says that the sentence is wrong."""
LINK_KINDS: tuple[LinkKind, ...] = get_args(LinkKind)
RESULTS = ("merged_into", "superseded", "also_changed")
"""The fields of a memory that only describe the result of a call."""
FIELDS = ("gist", "text", "entities", "tags")
"""The searchable fields of a memory, in the order of the lexical index's columns."""


@readable
@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One thing remembered."""

    id: str
    """A UUID of version 7, so ids sort by time."""
    text: str
    """As it was written or said."""
    kind: str = "fact"
    """What it is: `fact`, `preference`, `event`, `task`, `turn`, or a word of your own."""
    tags: tuple[str, ...] = ()
    """Your own labels, searchable."""
    entities: tuple[str, ...] = ()
    """The people, places and things that it names, searchable."""
    gist: str = ""
    """A short title, searchable."""
    importance: float = 0.5
    """0–1, a factor of the score."""
    confidence: float = 1.0
    """0–1: how sure its writer is."""
    strength: float = 1.0
    """0–1: falls by `decay`, rises by `reinforce` and feedback."""
    status: Status = "active"
    """Whether it holds, and why not."""
    tier: Tier = "searchable"
    """`pinned`: part of every context. `archived`: found last or when asked for."""
    namespace: str = "default"
    """A path such as `acme/agents/ada`."""
    session_id: str | None = None
    """The conversation it belongs to."""
    turn: int | None = None
    """The number of its message in the conversation."""
    role: str | None = None
    """Who said it: `user`, `assistant` or a name."""
    granularity: Granularity = "memory"
    """What kind of record it is."""
    source: str | None = None
    """Where it comes from, such as a file or a key of another program."""
    origin: str = "user"
    """Who wrote it."""
    trust: str = "user"
    """The writer's trust class: `user` for the owner, `agent` for others."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Your own fields, which `where` can filter by."""
    created_at: datetime
    """When it was stored."""
    occurred_at: datetime | None = None
    """When it happens or happened."""
    valid_from: datetime | None = None
    """From when on it holds."""
    valid_to: datetime | None = None
    """Until when it held; None if it still does."""
    expires_at: datetime | None = None
    """From then on it is not found."""
    access_count: int = 0
    """How often `get` returned it."""
    last_accessed_at: datetime | None = None
    """When `get` last returned it."""
    retrieval_count: int = 0
    """How often a recall returned it."""
    last_retrieved_at: datetime | None = None
    """When a recall last returned it."""
    decayed_at: datetime | None = None
    """Up to when decay is in its strength."""
    merged_into: str | None = None
    """The id of the memory that this one duplicates. Only set on the result of `remember`; never stored."""
    superseded: tuple[str, ...] = ()
    """The ids of the statements that this one replaced. Only set on the result of a write; never stored."""
    also_changed: tuple[str, ...] = ()
    """The ids of the memories that a call changed together with this one, such as the facts of a turn. Only set on the
    result of `update` and `restore`; never stored."""

    @property
    def tenant(self) -> str:
        """The first part of its namespace."""
        return self.namespace.partition("/")[0]

    @property
    def happened_at(self) -> datetime:
        """When it happened, else when it was stored."""
        return self.occurred_at or self.created_at

    @property
    def message(self) -> str | None:
        """Names the message that a turn or a fact belongs to; None for other memories."""
        if self.session_id is None or self.turn is None or self.granularity not in ("turn", "fact"):
            return None
        return f"{self.namespace}\0{self.session_id}\0{self.turn}"

    @property
    def told_at(self) -> datetime:
        """From when on the statement holds: when a message was sent, or when a memory was stored. A memory of something
        long past holds from then."""
        return self.valid_from or min(self.created_at, self.happened_at)

    @property
    def learned_at(self) -> datetime:
        """From when its age counts: a turn or fact was learned when it was said, another memory when it was stored. A
        plan for October that was told in August was learned in August."""
        return self.created_at if self.turn is None else self.told_at

    @property
    def when(self) -> When | None:
        """The time that the text names, as it was resolved when the conversation was stored."""
        return When.from_metadata(self.metadata)

    def to_dict(self) -> dict[str, Any]:
        """As JSON data; `from_dict` reads it."""
        return by_name(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Memory:
        return from_plain(cls, data)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A directed link: `a` `kind` `b`, as in "a supersedes b"."""

    a: str
    """The id of the memory it starts from."""
    b: str
    """The id of the other memory."""
    kind: LinkKind
    """How they are related."""
    weight: float = 0.5
    """0–1."""
    created_at: datetime | None = None
    """When it was made."""

    def other(self, memory_id: str) -> str:
        return self.b if memory_id == self.a else self.a

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        return by_name(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Link:
        return from_plain(cls, data)
