"""Browser sessions: a random cookie that stands for a key.

Sessions live in this process, so a restart ends them. A session holds the id of its key, not the key itself. It ends
when the key is revoked, by whichever process.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256

from ...errors import Unauthorized
from ..keys import Key, Keys
from ..scope import Caller

COOKIE = "recollect_session"
MOST_SESSIONS = 1000


def now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Session:
    key_id: str
    expires_at: datetime


class Sessions:
    """The sessions of this process, by the hash of their cookie."""

    def __init__(self, keys: Keys, hours: float, clock: Callable[[], datetime] = now) -> None:
        self._keys, self._hours, self._clock = keys, hours, clock
        self._sessions: dict[str, Session] = {}
        self._lock = threading.Lock()

    def begin(self, key_id: str) -> str:
        """Starts a session and returns its cookie. The oldest session ends when there are too many."""
        cookie = secrets.token_urlsafe(32)
        with self._lock:
            at = self._clock()
            live = {digest: session for digest, session in self._sessions.items() if session.expires_at > at}
            while len(live) >= MOST_SESSIONS:
                live.pop(next(iter(live)))
            self._sessions = live | {digest_of(cookie): Session(key_id, at + timedelta(hours=self._hours))}
        return cookie

    def who(self, cookie: str) -> Caller:
        session, at = self._sessions.get(digest_of(cookie)), self._clock()
        key = None if session is None or session.expires_at <= at else live_key(self._keys, session.key_id, at)
        if key is None:
            raise Unauthorized("this session has ended: sign in again")
        return key.caller()

    def end(self, cookie: str) -> None:
        with self._lock:
            self._sessions.pop(digest_of(cookie), None)


def live_key(keys: Keys, key_id: str, at: datetime) -> Key | None:
    return next((key for key in keys.list() if key.id == key_id and key.is_live(at)), None)


def id_in(token: str) -> str:
    """The id of the key that a token belongs to."""
    return token.split("_")[1]


def digest_of(token: str) -> str:
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
