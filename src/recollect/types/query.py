"""Questions and filters, and what the indexes answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

from .memory import Granularity, Status, Tier


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One condition on a key of a memory's metadata."""

    key: str
    op: str
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Junction:
    """Conditions joined by `all`, `any` or `none`."""

    how: Literal["all", "any", "none"]
    parts: tuple[Condition | Junction, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which memories a call may see. None or empty means no restriction."""

    namespaces: tuple[str, ...] = ()
    """Each includes the namespaces below it, unless `exact`."""
    exact: bool = False
    """Whether the namespaces below are left out."""
    statuses: tuple[Status, ...] = ()
    tiers: tuple[Tier, ...] = ()
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    """A memory must have all of them."""
    granularities: tuple[Granularity, ...] = ()
    session_id: str | None = None
    turns: tuple[int, ...] = ()
    """Only these numbers of turns, of turns and of the facts taken from them."""
    since: datetime | None = None
    until: datetime | None = None
    """Half-open interval on the time it happened."""
    as_of: datetime | None = None
    """Only memories that held at that moment."""
    live_at: datetime | None = None
    """Only memories that had not expired at that moment."""
    lacks_view: str | None = None
    """Only memories without a vector in this view."""
    where: Condition | Junction | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question, ready for the read path."""

    text: str
    filter: Filter
    at: datetime
    limit: int = 5
    budget_tokens: int | None = None
    granularity: Granularity | None = None
    content: tuple[str, ...] = ()
    """The analysed content words."""
    stop: tuple[str, ...] = ()
    """The analysed stop-words."""
    words: frozenset[str] = frozenset()
    """All words except those of a request such as "can you"."""
    telling: tuple[str, ...] = ()
    """The content words that an answer would contain too."""
    spans: tuple[tuple[datetime, datetime], ...] = ()
    """The times that the question names, resolved against `at`."""
    codes: tuple[str, ...] = ()
    """The question's codes as written, such as an order number. One that occurs nowhere is a reason to refuse."""
    about_the_past: bool = False
    """Whether it asks about a past state, not about what holds at `at`."""
    asks_when: bool = False
    """Whether it asks for the date or time of something."""
    sides: tuple[str, ...] = ()
    """The sides of a comparison, or the topics of the question. Each is also searched on its own."""
    sides_are_topics: bool = False
    """Whether the sides are topics. A comparison needs all of its sides; a topic may be missing."""
    search_archived_too: bool = False
    """Whether archived memories are searched if nothing else is found."""

    @property
    def moment(self) -> datetime:
        """The moment whose state is asked for."""
        return self.filter.as_of or self.at

    @property
    def past_moment(self) -> datetime | None:
        """The end of the past time that a question about the past names. None if it names none."""
        ends = [end for start, end in self.spans if start < self.at]
        return max(ends) if self.about_the_past and ends else None

    @property
    def means_last_date(self) -> bool:
        """Whether the last date that was told is right, also if the question is about the past: "when was the
        interview?". If it names a past time, it asks what held then: "what days was practice last spring?"."""
        return self.asks_when and self.past_moment is None

    @property
    def tenants(self) -> tuple[str, ...]:
        return tuple(sorted({path.partition("/")[0] for path in self.filter.namespaces}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Posting:
    """The entry of one memory in the lexical index, for the terms of a query."""

    memory_id: str
    tenant: str
    granularity: str
    frequencies: Mapping[str, Mapping[str, int]]
    """Field → term → count, for the query's terms that occur."""
    lengths: Mapping[str, int]
    """Field → number of terms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """Statistics of the memories of one tenant and granularity."""

    documents: int
    lengths: Mapping[str, int]
    """Field → number of terms over all documents."""
    document_frequencies: Mapping[str, int]
    """Term → number of documents that contain it in any field."""


Statistics: TypeAlias = Mapping[tuple[str, str], Corpus]
"""(tenant, granularity) → its corpus."""
