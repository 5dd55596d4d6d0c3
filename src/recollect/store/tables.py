"""The small tables next to the memories. Each row is a frozen dataclass. Both stores have the same columns.

Each class names its table and its key. Moments are stored as microseconds since 1970.
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
    """A setting of the store, such as its embedder."""

    TABLE: ClassVar[str] = "setting"
    KEY: ClassVar[tuple[str, ...]] = ("key",)

    key: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey(Row):
    """An API key of the server. The token itself is not stored."""

    TABLE: ClassVar[str] = "api_key"
    KEY: ClassVar[tuple[str, ...]] = ("id",)

    id: str
    name: str
    sha256: str
    """Hash of the token. The token has 256 random bits, so a fast hash is as safe as a slow one."""
    namespace: str
    role: str
    trust: str
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginLink(Row):
    """A login link to the web page. It works once."""

    TABLE: ClassVar[str] = "login_link"
    KEY: ClassVar[tuple[str, ...]] = ("sha256",)

    sha256: str
    """Hash of the secret in the link."""
    key_id: str
    """The API key that the link logs in with."""
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply(Row):
    """The reply to a write that carried an `Idempotency-Key`, without any memory's text."""

    TABLE: ClassVar[str] = "reply"
    KEY: ClassVar[tuple[str, ...]] = ("name",)

    name: str
    """A digest of the caller and the key."""
    digest: str
    """Digest of the request's body."""
    status: int
    body: str
    """JSON, with ids in place of memories and events."""
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionRule(Row):
    """How long, and how many, memories of a namespace stay searchable."""

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
"""The task name for the progress of a copy into this store. These marks are not copied themselves."""
IMPORTING = "import"
"""The task name for the progress of an import into this store. The mark is deleted at its end."""
CHAIN = "event_chain:"
"""The prefix of the settings of the hash chain."""
TRACES = "purge_traces"
"""The setting that is there while traces of purged text may be left in the file."""
OWN_SETTINGS = ("vector_generation", "memory_generation", "postgres:", CHAIN, TRACES)
"""Prefixes of settings that belong to one file or database, not to the memories in it."""


_COLUMNS = {kind: tuple(f.name for f in fields(kind)) for kind in KINDS}
_MOMENTS = {kind: frozenset(f.name for f in fields(kind) if "datetime" in str(f.type)) for kind in KINDS}


def columns(kind: type[Row]) -> tuple[str, ...]:
    return _COLUMNS[kind]


def moments(kind: type[Row]) -> frozenset[str]:
    """The columns that hold moments."""
    return _MOMENTS[kind]


def is_copied(row: Row) -> bool:
    """Whether a copy of the store includes the row."""
    match row:
        case Setting():
            return not row.key.startswith(OWN_SETTINGS)
        case Mark():
            return row.task != COPYING
    return True


def key_of(row: Row) -> dict[str, Any]:
    return {name: getattr(row, name) for name in row.KEY}
