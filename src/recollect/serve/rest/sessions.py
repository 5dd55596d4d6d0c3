"""The page's way in: a link that works once, then a cookie that only this server understands.

A ticket lies in the store, hashed, so that another process can make one for a running server. A session lives in
this process: a restart ends it. Neither holds a key, only which key it stands for, so a key revoked anywhere ends its
tickets and sessions too.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256

from ...errors import Unauthorized
from ...recollect import Recollect
from ..keys import Key, Keys
from ..scope import Caller

COOKIE = "recollect_session"
MOST_SESSIONS = 1000
_TICKETS = "serve/tickets"


def now() -> datetime:
    return datetime.now(UTC)


class Tickets:
    """One-time links, each good for a few minutes."""

    def __init__(self, mind: Recollect, seconds: int) -> None:
        self._store, self._seconds = mind.store, seconds

    def make(self, key: Key) -> str:
        ticket = secrets.token_urlsafe(32)
        ends = (now() + timedelta(seconds=self._seconds)).isoformat()
        with self._store.transaction():
            self._keep(self._held() | {_hash(ticket): [key.id, ends]})
        return ticket

    def redeem(self, ticket: str) -> str:
        """The id of the key it stands for. It can't be used again."""
        with self._store.transaction():
            held = self._held()
            found = held.pop(_hash(ticket), None)
            if found is None:
                raise Unauthorized("this link was used or has ended: `recollect serve --link` makes a new one")
            self._keep(held)
        return found[0]

    def _held(self) -> dict[str, list[str]]:
        """Those that are still good."""
        held: dict[str, list[str]] = json.loads(self._store.setting(_TICKETS) or "{}")
        return {ticket: kept for ticket, kept in held.items() if datetime.fromisoformat(kept[1]) > now()}

    def _keep(self, tickets: dict[str, list[str]]) -> None:
        self._store.set_setting(_TICKETS, json.dumps(tickets))


@dataclass(frozen=True, slots=True)
class Session:
    key_id: str
    ends: datetime


class Sessions:
    """Random names, kept hashed, in front of keys."""

    def __init__(self, keys: Keys, hours: float, clock: Callable[[], datetime] = now) -> None:
        self._keys, self._hours, self._clock = keys, hours, clock
        self._held: dict[str, Session] = {}
        self._lock = threading.Lock()

    def begin(self, key_id: str) -> str:
        name = secrets.token_urlsafe(32)
        with self._lock:
            at = self._clock()
            live = {held: session for held, session in self._held.items() if session.ends > at}
            while len(live) >= MOST_SESSIONS:
                live.pop(next(iter(live)))
            self._held = live | {_hash(name): Session(key_id, at + timedelta(hours=self._hours))}
        return name

    def who(self, name: str) -> Caller:
        session, at = self._held.get(_hash(name)), self._clock()
        key = None if session is None or session.ends <= at else live_key(self._keys, session.key_id, at)
        if key is None:
            raise Unauthorized("this session has ended: sign in again")
        return key.caller()

    def end(self, name: str) -> None:
        with self._lock:
            self._held.pop(_hash(name), None)


def live_key(keys: Keys, key_id: str, at: datetime) -> Key | None:
    return next((key for key in keys.list() if key.id == key_id and key.is_live(at)), None)


def id_in(token: str) -> str:
    """The id that a key's token carries."""
    return token.split("_")[1]


def _hash(name: str) -> str:
    return sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
