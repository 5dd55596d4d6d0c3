"""The small tables beside the memories. Each row is a frozen dataclass; both stores keep the same columns.

A class says its table and its key. Moments are kept as microseconds since 1970, everything else as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of one of the tables below."""

    TABLE: ClassVar[str]
    KEY: ClassVar[tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting(Row):
    """A value the store remembers about itself, such as its embedder."""

    TABLE: ClassVar[str] = "setting"
    KEY: ClassVar[tuple[str, ...]] = ("key",)

    key: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey(Row):
    """A key to the server. The token itself is not kept."""

    TABLE: ClassVar[str] = "api_key"
    KEY: ClassVar[tuple[str, ...]] = ("id",)

    id: str
    name: str
    sha256: str
    """Of the token. It has 256 random bits, so a fast hash is as good as a slow one."""
    namespace: str
    role: str
    trust: str
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginLink(Row):
    """A link that opens the page once."""

    TABLE: ClassVar[str] = "login_link"
    KEY: ClassVar[tuple[str, ...]] = ("sha256",)

    sha256: str
    """Of the secret in the link."""
    key_id: str
    """The key it stands for."""
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply(Row):
    """The reply to a write that carried an `Idempotency-Key`, without any memory's text."""

    TABLE: ClassVar[str] = "reply"
    KEY: ClassVar[tuple[str, ...]] = ("name",)

    name: str
    """A digest of the caller and the key."""
    digest: str
    """Of the request's body."""
    status: int
    body: str
    """JSON, with ids in place of memories and events."""
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionRule(Row):
    """How long and how much a namespace keeps in sight."""

    TABLE: ClassVar[str] = "retention"
    KEY: ClassVar[tuple[str, ...]] = ("namespace",)

    namespace: str
    expires_after_days: int | None = None
    most_memories: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark(Row):
    """How far a repeated task got in a namespace."""

    TABLE: ClassVar[str] = "mark"
    KEY: ClassVar[tuple[str, ...]] = ("task", "namespace")

    task: str
    namespace: str
    value: str


KINDS: tuple[type[Row], ...] = (Setting, ApiKey, LoginLink, Reply, RetentionRule, Mark)

COPYING = "copy"
"""The task of marks that say how far a copy into this store got; they are not copied themselves."""
OWN_SETTINGS = ("vector_generation", "postgres:")
"""Settings that are about one file or database, not about the memory in it, begin like this."""


def columns(kind: type[Row]) -> tuple[str, ...]:
    return tuple(f.name for f in fields(kind))


def moments(kind: type[Row]) -> frozenset[str]:
    """The columns that hold moments."""
    return frozenset(f.name for f in fields(kind) if "datetime" in str(f.type))


def is_copied(row: Row) -> bool:
    """Whether a copy of the store takes the row along."""
    match row:
        case Setting():
            return not row.key.startswith(OWN_SETTINGS)
        case Mark():
            return row.task != COPYING
    return True


def key_of(row: Row) -> dict[str, Any]:
    return {name: getattr(row, name) for name in row.KEY}
