"""Reads and writes what the server itself keeps in the store: keys, login links, replies and a secret.

Only this module and `access.py` use the store from inside `serve/`.
"""

from __future__ import annotations

import json
import secrets
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ..text.moments import parse_moment
from .records import Key, LoginLink, Reply

if TYPE_CHECKING:
    from ..recollect import Recollect

_KEY = "key/"
_LOGIN_LINKS = "serve/tickets"
_SECRET = "serve/secret"
_REPLIES = "idempotency/"
REPLY_SLOTS = 4096
"""Replies are spread over this many settings, so that writing one rewrites few others."""
MOST_IN_A_SLOT = 200


class ServerStorage:
    """The server's own records in one store. It caches nothing, so changes by other processes are seen at once."""

    def __init__(self, mind: Recollect) -> None:
        self._store = mind.store

    def transaction(self) -> AbstractContextManager[None]:
        """Makes several calls atomic. An exception undoes them all."""
        return self._store.transaction()

    def ping(self) -> None:
        """Reads one value. Raises StoreError when the store can't be used."""
        self._store.setting("fingerprint")

    def secret(self) -> bytes:
        """The key that signs cursors. It is made at the first call, and stays the same after a restart."""
        with self._store.transaction():
            held = self._store.setting(_SECRET)
            if held is None:
                held = secrets.token_hex(32)
                self._store.set_setting(_SECRET, held)
        return bytes.fromhex(held)

    # Keys -----------------------------------------------------------------------------------------

    def key(self, id: str) -> Key | None:
        held = self._store.setting(_KEY + id)
        return None if held is None else _key(held)

    def keys(self) -> list[Key]:
        """All keys, including expired and revoked ones, oldest first."""
        held = self._store.settings(_KEY).values()
        return sorted((_key(value) for value in held), key=lambda key: (key.created_at, key.id))

    def put_key(self, key: Key) -> None:
        """Adds a key, or replaces the one with its id."""
        written = key.to_dict() | {"sha256": key.sha256}
        self._store.set_setting(_KEY + key.id, json.dumps(written, ensure_ascii=False))

    # Login links ----------------------------------------------------------------------------------

    def put_login_link(self, digest: str, link: LoginLink, now: datetime) -> None:
        """Keeps a link under the hash of its token, and drops links that have expired."""
        with self._store.transaction():
            self._write_links(self._links(now) | {digest: link})

    def take_login_link(self, digest: str, now: datetime) -> LoginLink | None:
        """Removes and returns a link; None if it is unknown, used or expired."""
        with self._store.transaction():
            links = self._links(now)
            found = links.pop(digest, None)
            if found is not None:
                self._write_links(links)
        return found

    def _links(self, now: datetime) -> dict[str, LoginLink]:
        held: dict[str, list[str]] = json.loads(self._store.setting(_LOGIN_LINKS) or "{}")
        links = {digest: LoginLink(id, datetime.fromisoformat(ends)) for digest, (id, ends) in held.items()}
        return {digest: link for digest, link in links.items() if link.expires_at > now}

    def _write_links(self, links: dict[str, LoginLink]) -> None:
        written = {digest: [link.key_id, link.expires_at.isoformat()] for digest, link in links.items()}
        self._store.set_setting(_LOGIN_LINKS, json.dumps(written))

    # Replies --------------------------------------------------------------------------------------

    def reply(self, name: str, *, since: float) -> Reply | None:
        """The reply kept under that name (32 hex digits), unless it was given at `since` or before."""
        return self._slot(name, since).get(name)

    def put_reply(self, name: str, reply: Reply, *, since: float) -> None:
        """Keeps a reply. Replies of the same slot that were given at `since` or before are dropped."""
        with self._store.transaction():
            kept = [*(self._slot(name, since) | {name: reply}).items()][-MOST_IN_A_SLOT:]
            written = {held: [one.at, one.request_digest, one.status, one.body] for held, one in kept}
            self._store.set_setting(_slot(name), json.dumps(written))

    def _slot(self, name: str, since: float) -> dict[str, Reply]:
        held: dict[str, list[Any]] = json.loads(self._store.setting(_slot(name)) or "{}")
        return {name: Reply(*written) for name, written in held.items() if written[0] > since}


def _key(written: str) -> Key:
    held: dict[str, Any] = json.loads(written)
    moments = {name: parse_moment(value) for name, value in held.items() if name.endswith("_at") and value}
    return Key(**{**held, **moments})


def _slot(name: str) -> str:
    return f"{_REPLIES}{int(name[:8], 16) % REPLY_SLOTS}"
