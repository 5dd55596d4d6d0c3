"""What the server itself keeps: keys, login links and replies. Values only; `storage.py` reads and writes them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from ..types import plain
from .scope import Caller, Role, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key without its token. The token is shown once and never kept."""

    id: str
    name: str
    sha256: str
    """Hash of the token. A token has 256 random bits, so a fast hash is as safe as a slow one."""
    namespace: str
    role: Role
    trust: str
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    def is_live(self, at: datetime) -> bool:
        return self.revoked_at is None and (self.expires_at is None or at < self.expires_at)

    def caller(self) -> Caller:
        scope = Scope(namespace=self.namespace, role=self.role)
        return Caller(name=f"key:{self.name}", scope=scope, trust=self.trust)

    def to_dict(self) -> dict[str, Any]:
        """All fields but the hash."""
        return {f.name: plain(getattr(self, f.name)) for f in fields(self) if f.name != "sha256"}


@dataclass(frozen=True, slots=True)
class LoginLink:
    """A link that signs a browser in once, with the rights of a key."""

    key_id: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a request that had an Idempotency-Key."""

    request_digest: str
    status: int
    body: Any
    """JSON, with ids in place of memories and events."""
