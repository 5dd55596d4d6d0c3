"""Keys: random tokens, kept hashed in the store's settings, each tied to a namespace and a role."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from hashlib import sha256
from hmac import compare_digest
from typing import TYPE_CHECKING, Any

from .. import checks
from ..errors import InvalidInput, NotFound, Unauthorized
from ..text.moments import parse_moment
from ..types import plain
from .scope import ROLES, Caller, Role, Scope

if TYPE_CHECKING:
    from ..checks.keywords import Moment
    from ..recollect import Recollect

_SETTING = "key/"
_TOKEN = re.compile(r"rk_([0-9a-f]{12})_([A-Za-z0-9_-]{43})", re.ASCII)
_NOBODY = sha256(b"").hexdigest()
"""No token has this hash, because none is empty."""
MOST_NAME_CHARS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """What is kept of a key; the token itself is not."""

    id: str
    name: str
    sha256: str
    """A token has 256 random bits, so a fast hash is as good as a slow one."""
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
        """Without the hash, which is nobody's business."""
        return {f.name: plain(getattr(self, f.name)) for f in fields(self) if f.name != "sha256"}


class Keys:
    """The keys of one store. Nothing is remembered here: a key revoked anywhere is refused at once."""

    def __init__(self, mind: Recollect) -> None:
        self._store = mind.store

    def add(
        self, name: str, *, namespace: str, role: str, trust: str = "agent", expires_at: Moment = None
    ) -> tuple[Key, str]:
        """A new key and its token, which can't be shown again."""
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
        with self._store.transaction():
            if any(held.name == key.name and held.is_live(key.created_at) for held in self.list()):
                raise InvalidInput(f"there is a key called {key.name!r} already: revoke it, or choose another name")
            self._keep(key)
        return key, token

    def list(self) -> list[Key]:
        """All of them, also those that no longer open anything, oldest first."""
        held = self._store.settings(_SETTING).values()
        return sorted((_key(value) for value in held), key=lambda key: (key.created_at, key.id))

    def revoke(self, id_or_name: str) -> Key:
        """From now on it opens nothing; of several with one name, the one that still does."""
        with self._store.transaction():
            known = [key for key in self.list() if id_or_name in (key.id, key.name)]
            if not known:
                raise NotFound(f"no key is called {id_or_name!r}: `recollect keys list` lists them")
            key = next((key for key in known if key.revoked_at is None), known[-1])
            revoked = key if key.revoked_at else replace(key, revoked_at=_now())
            self._keep(revoked)
        return revoked

    def who(self, token: str, at: datetime) -> Caller:
        """Whose token it is. Why one is refused is not said: it would help only who guesses."""
        key = self._named_in(token)
        same = compare_digest(_hash(token), _NOBODY if key is None else key.sha256)
        if key is None or not same or not key.is_live(at):
            raise Unauthorized("this key opens nothing: it is unknown, expired or revoked")
        return key.caller()

    def _named_in(self, token: str) -> Key | None:
        named = _TOKEN.fullmatch(token)
        held = None if named is None else self._store.setting(_SETTING + named[1])
        return None if held is None else _key(held)

    def _keep(self, key: Key) -> None:
        written = key.to_dict() | {"sha256": key.sha256}
        self._store.set_setting(_SETTING + key.id, json.dumps(written, ensure_ascii=False))


def _key(written: str) -> Key:
    held: Mapping[str, Any] = json.loads(written)
    moments = {name: parse_moment(value) for name, value in held.items() if name.endswith("_at") and value}
    return Key(**{**held, **moments})


def _hash(token: str) -> str:
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _name(value: str) -> str:
    """It stands in logs and in prompts, as where a memory comes from: one short line."""
    name = checks.label("name", value)
    if len(name) > MOST_NAME_CHARS or not name.isprintable():
        raise InvalidInput(f"name must have 1 to {MOST_NAME_CHARS} characters that can be printed on one line")
    return name


def _now() -> datetime:
    return datetime.now(UTC)
