"""The keyword arguments that several methods share, with their types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, TypeAlias, TypedDict

from ..types import Granularity, Status, Tier

Moment = str | datetime | None
Listing: TypeAlias = Literal["newest", "oldest"]
"""The orders of a list of memories."""


class Filters(TypedDict, total=False):
    """Selects memories. A memory must pass all given filters."""

    namespace: str | None
    """This namespace and all below it; the caller's own if not given."""
    namespaces: Sequence[str] | None
    """Several namespaces; give this or `namespace`."""
    kinds: str | Sequence[str] | None
    """Of one of these kinds. Here and below, a single string counts as a list of one."""
    tags: str | Sequence[str] | None
    """With all of these tags."""
    statuses: Status | Sequence[Status] | Sequence[str] | None
    """With one of these statuses; all but `forgotten` if not given."""
    tiers: Tier | Sequence[Tier] | Sequence[str] | None
    """In one of these tiers: `pinned`, `searchable`, `archived`."""
    granularity: Granularity | str | None
    """Records of this kind: `memory`, `turn`, `fact` or `chunk`."""
    session_id: str | None
    """Of this conversation."""
    since: Moment
    """Happened at this moment or later."""
    until: Moment
    """Happened before this moment."""
    as_of: Moment
    """Valid at this moment."""
    where: Mapping[str, Any] | None
    """Conditions on the metadata."""


class LogFilters(TypedDict, total=False):
    """Selects recalls of the log. A recall must pass all given filters."""

    namespace: str | None
    """This namespace and all below it; the caller's own if not given."""
    since: Moment
    until: Moment
    actor: str | None
    """Who asked, such as `key:laptop`."""
    text: str | None
    """The question contains this."""
    outcome: str | None
    """answered, refused, used (some hit) or unused (feedback says that no hit was used)."""


class Asked(TypedDict, total=False):
    """`recall`'s arguments, as `compare` takes them: all but the recipe and `track`."""

    limit: int
    namespace: str | None
    namespaces: Sequence[str] | None
    granularity: Granularity | str | None
    budget_tokens: int | None
    at: Moment
    since: Moment
    until: Moment
    as_of: Moment
    kinds: str | Sequence[str] | None
    tags: str | Sequence[str] | None
    where: Mapping[str, Any] | None
    session_id: str | None
    include: str | Sequence[str] | None


class Fields(TypedDict, total=False):
    """The fields of a memory that `update` changes. A field that is not given stays as it is; None empties it."""

    text: str
    kind: str
    tags: Sequence[str] | None
    entities: Sequence[str] | None
    gist: str
    importance: float
    confidence: float
    strength: float
    status: Status | str
    tier: Tier | str
    metadata: Mapping[str, Any] | None
    source: str | None
    occurred_at: Moment
    valid_from: Moment
    valid_to: Moment
    expires_at: Moment
