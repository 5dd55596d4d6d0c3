"""Reads and writes what the server itself keeps in the store: keys, login links, replies and a secret.

Only this module and `access.py` use the store from inside `serve/`.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ..store import tables
from ..store.call import limited_to
from ..store.operated import Operated, Server
from ..store.settings import FINGERPRINT, set_setting, setting
from ..store.values import Batch
from .records import Key, LoginLink, Reply

if TYPE_CHECKING:
    from ..recollect import Recollect

_SECRET = "serve/secret"
MOST_REPLIES = 200_000
"""A day's replies of all callers. More are dropped, the oldest first: nobody can fill the store with them."""
CUT_EVERY = 100
"""About one reply in so many cuts the table to its size."""


def limited(namespace: str) -> AbstractContextManager[None]:
    """On PostgreSQL with row security, only this namespace is read and written in the block."""
    return limited_to(namespace)


class ServerStorage:
    """The server's own records in one store. It caches nothing, so changes by other processes are seen at once."""

    def __init__(self, mind: Recollect) -> None:
        self._store = mind.store

    def transaction(self) -> AbstractContextManager[None]:
        """Makes several calls atomic. An exception undoes them all."""
        return self._store.transaction()

    def ping(self) -> None:
        """Reads one value. Raises StoreError when the store can't be used."""
        setting(self._store, FINGERPRINT)

    def servers(self) -> Sequence[Server]:
        """The state of the database servers; none for a file."""
        return self._store.servers() if isinstance(self._store, Operated) else ()

    def secret(self) -> bytes:
        """The key that signs cursors. It is made at the first call, and stays the same after a restart."""
        with self._store.transaction():
            held = setting(self._store, _SECRET)
            if held is None:
                held = secrets.token_hex(32)
                set_setting(self._store, _SECRET, held)
        return bytes.fromhex(held)

    # Keys -----------------------------------------------------------------------------------------

    def key(self, id: str) -> Key | None:
        return next(map(_key, self._store.rows(tables.ApiKey, id=id)), None)

    def keys(self) -> list[Key]:
        """All keys, including expired and revoked ones, oldest first."""
        return sorted(map(_key, self._store.rows(tables.ApiKey)), key=lambda key: (key.created_at, key.id))

    def put_key(self, key: Key) -> None:
        """Adds a key, or replaces the one with its id."""
        self._store.write(Batch(rows=[tables.ApiKey(**asdict(key))]))

    # Login links ----------------------------------------------------------------------------------

    def put_login_link(self, digest: str, link: LoginLink, now: datetime) -> None:
        """Keeps a link under the hash of its token, and drops links that have expired."""
        row = tables.LoginLink(sha256=digest, key_id=link.key_id, expires_at=link.expires_at)
        with self._store.transaction():
            self._store.delete_rows(tables.LoginLink, expired_by=now)
            self._store.write(Batch(rows=[row]))

    def take_login_link(self, digest: str, now: datetime) -> LoginLink | None:
        """Removes and returns a link; None if it is unknown, used or expired."""
        with self._store.transaction():
            self._store.delete_rows(tables.LoginLink, expired_by=now)
            found = self._store.rows(tables.LoginLink, sha256=digest)
            self._store.delete_rows(tables.LoginLink, sha256=digest)
        return LoginLink(found[0].key_id, found[0].expires_at) if found else None

    # Replies --------------------------------------------------------------------------------------

    def reply(self, name: str, now: datetime) -> Reply | None:
        """The reply kept under that name, unless it has expired."""
        found = [row for row in self._store.rows(tables.Reply, name=name) if row.expires_at > now]
        return Reply(found[0].digest, found[0].status, json.loads(found[0].body)) if found else None

    def put_reply(self, name: str, reply: Reply, now: datetime, *, for_seconds: float) -> None:
        """Keeps a reply for some time, and drops replies that have expired."""
        row = tables.Reply(
            name=name,
            digest=reply.request_digest,
            status=reply.status,
            body=json.dumps(reply.body, ensure_ascii=False),
            expires_at=now + timedelta(seconds=for_seconds),
        )
        with self._store.transaction():
            self._store.delete_rows(tables.Reply, expired_by=now)
            self._store.write(Batch(rows=[row]))
            if secrets.randbelow(CUT_EVERY) == 0:
                self._store.delete_rows(tables.Reply, beyond=MOST_REPLIES)


def _key(row: tables.ApiKey) -> Key:
    return Key(**asdict(row))
