"""Keys: random tokens, each tied to a namespace and a role. Only their hashes are stored."""

from __future__ import annotations

import re
import secrets
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from hmac import compare_digest
from typing import TYPE_CHECKING

from .. import checks
from ..errors import InvalidInput, NotFound, Unauthorized
from .records import Key
from .scope import ROLES, Caller
from .storage import ServerStorage

if TYPE_CHECKING:
    from ..checks.keywords import Moment
    from ..recollect import Recollect

__all__ = ["Key", "Keys"]

_TOKEN = re.compile(r"rk_([0-9a-f]{12})_([A-Za-z0-9_-]{43})", re.ASCII)
_NO_HASH = sha256(b"").hexdigest()
"""No token has this hash, because none is empty."""
MOST_NAME_CHARS = 64


class Keys:
    """The keys of one store. Every call reads the store, so a key revoked by another process is refused at once."""

    def __init__(self, mind: Recollect) -> None:
        self._storage = ServerStorage(mind)

    def add(
        self, name: str, *, namespace: str, role: str, trust: str = "agent", expires_at: Moment = None
    ) -> tuple[Key, str]:
        """Makes a key. Returns it with its token, which can't be shown again."""
        id, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
        token = f"rk_{id}_{secret}"
        key = Key(
            id=id,
            name=_name(name),
            sha256=_hash(token),
            namespace=checks.path(namespace),
            role=checks.one_of("role", role, ROLES),
            trust=checks.label("trust", trust),
            created_at=_now(),
            expires_at=checks.moment("expires_at", expires_at),
        )
        with self._storage.transaction():
            if any(held.name == key.name and held.is_live(key.created_at) for held in self.list()):
                raise InvalidInput(f"there is a key called {key.name!r} already: revoke it, or choose another name")
            self._storage.put_key(key)
        return key, token

    def list(self) -> list[Key]:
        """All keys, including expired and revoked ones, oldest first."""
        return self._storage.keys()

    def revoke(self, id_or_name: str) -> Key:
        """Revokes a key. Where several have the name, revokes the one that is not revoked yet."""
        with self._storage.transaction():
            known = [key for key in self.list() if id_or_name in (key.id, key.name)]
            if not known:
                raise NotFound(f"no key is called {id_or_name!r}: `recollect keys list` lists them")
            key = next((key for key in known if key.revoked_at is None), known[-1])
            revoked = key if key.revoked_at else replace(key, revoked_at=_now())
            self._storage.put_key(revoked)
        return revoked

    def who(self, token: str, at: datetime) -> Caller:
        """The caller a token belongs to. A refusal gives no reason: a reason would help an attacker who guesses."""
        key = self._named_in(token)
        same = compare_digest(_hash(token), _NO_HASH if key is None else key.sha256)
        if key is None or not same or not key.is_live(at):
            raise Unauthorized("this key is unknown, expired or revoked")
        return key.caller()

    def _named_in(self, token: str) -> Key | None:
        named = _TOKEN.fullmatch(token)
        return None if named is None else self._storage.key(named[1])


def _hash(token: str) -> str:
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _name(value: str) -> str:
    """One short line, because logs and prompts show it as the origin of memories."""
    name = checks.label("name", value)
    if len(name) > MOST_NAME_CHARS or not name.isprintable():
        raise InvalidInput(f"name must have 1 to {MOST_NAME_CHARS} characters that can be printed on one line")
    return name


def _now() -> datetime:
    return datetime.now(UTC)
