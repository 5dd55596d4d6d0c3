"""Shares the server between its keys: who asks for much waits longer, and the others do not.

A key has at most half of the places, so there is always one for another key. If all are taken, the next free one goes
to the waiting key that used the least time lately. Heavy requests of a key, such as an ingest, run one after the other.
While other keys are active, they also pause, so that they take at most half of the time of a processor.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from .callers import CALLER
from .options import Options
from .problems import problem, refuse

HEAVY_PATHS = frozenset(
    f"/v1/{name}"
    for name in (
        "ingest ingest/batch memories/batch recall/batch compare tend decay consolidate namespaces/move forget purge "
        "archive"
    ).split()
)
HEAVY_BODY_BYTES = 32 * 1024
LATELY_SECONDS = 10.0
"""Used time counts half after so many seconds. A key that asked within them is active."""
HEAVY_SHARE = 0.5
LONGEST_PAUSE_SECONDS = 5.0
MOST_KEYS = 10_000


@dataclass(slots=True)
class Usage:
    """What one key uses."""

    running: int = 0
    is_heavy: bool = False
    """Whether a heavy request is running or pausing."""
    waiting: deque[Ticket] = field(default_factory=deque)
    seconds: float = 0.0
    at: float = -math.inf
    """When it last asked."""

    def used(self, now: float) -> float:
        return float(self.seconds * 0.5 ** ((now - self.at) / LATELY_SECONDS)) if self.seconds else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Ticket:
    """A waiting request."""

    is_heavy: bool
    called: asyncio.Future[None]


class TooMany(Exception):
    """The key has too many waiting requests."""


class Shares:
    """The places of a server. Used on the event loop only, so it needs no lock."""

    def __init__(self, places: int, most_waiting: int, clock: Callable[[], float] = monotonic) -> None:
        self._places, self._most_waiting, self._clock = places, most_waiting, clock
        self._most_per_key = max(1, places // 2)
        self._keys: dict[str, Usage] = {}
        self._running = 0

    async def enter(self, key: str, *, heavy: bool) -> None:
        """Waits for a place. Raises TooMany if too many requests of the key wait already."""
        usage = self._usage(key)
        if len(usage.waiting) >= self._most_waiting:
            raise TooMany
        ticket = Ticket(heavy, asyncio.get_running_loop().create_future())
        usage.waiting.append(ticket)
        self._call()
        try:
            await ticket.called
        except asyncio.CancelledError:
            self._withdraw(usage, ticket)
            raise

    def leave(self, key: str, seconds: float, *, heavy: bool) -> None:
        """The request took so long."""
        usage, now = self._usage(key), self._clock()
        usage.seconds = usage.used(now) + seconds
        usage.at = now
        usage.running -= 1
        self._running -= 1
        if heavy:
            self._pause(usage, now, seconds)
        self._call()

    def _usage(self, key: str) -> Usage:
        if len(self._keys) >= MOST_KEYS:
            now = self._clock()
            self._keys = {
                name: held
                for name, held in self._keys.items()
                if held.running or held.waiting or held.is_heavy or now - held.at < 10 * LATELY_SECONDS
            }
        return self._keys.setdefault(key, Usage())

    def _pause(self, usage: Usage, now: float, seconds: float) -> None:
        """Leaves room for others after a heavy request."""
        rest = min(LONGEST_PAUSE_SECONDS, seconds * (1 / HEAVY_SHARE - 1))
        if not self._others_are_active(usage, now) or rest < 0.01:
            usage.is_heavy = False
            return
        asyncio.get_running_loop().call_later(rest, self._rested, usage)

    def _rested(self, usage: Usage) -> None:
        usage.is_heavy = False
        self._call()

    def _others_are_active(self, usage: Usage, now: float) -> bool:
        return any(other is not usage and now - other.at < LATELY_SECONDS for other in self._keys.values())

    def _call(self) -> None:
        """Calls waiting requests while there are places."""
        now = self._clock()
        while self._running < self._places:
            able = [usage for usage in self._keys.values() if self._next(usage) is not None]
            if not able:
                return
            self._begin(min(able, key=lambda usage: usage.used(now)), now)

    def _next(self, usage: Usage) -> Ticket | None:
        if not usage.waiting or usage.running >= self._most_per_key:
            return None
        return next((ticket for ticket in usage.waiting if not (ticket.is_heavy and usage.is_heavy)), None)

    def _begin(self, usage: Usage, now: float) -> None:
        ticket = self._next(usage)
        assert ticket is not None
        usage.waiting.remove(ticket)
        usage.running += 1
        self._running += 1
        usage.is_heavy = usage.is_heavy or ticket.is_heavy
        usage.seconds, usage.at = usage.used(now), now
        ticket.called.set_result(None)

    def _withdraw(self, usage: Usage, ticket: Ticket) -> None:
        if ticket in usage.waiting:
            usage.waiting.remove(ticket)
            return
        usage.running -= 1  # it was called and cancelled at the same time
        self._running -= 1
        usage.is_heavy = usage.is_heavy and not ticket.is_heavy
        self._call()


class FairShare:
    """Lets requests with a key wait for their place."""

    def __init__(self, app: ASGIApp, options: Options) -> None:
        self._app = app
        self._shares = Shares(options.most_at_once, options.most_waiting)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller = scope.get(CALLER) if scope["type"] == "http" else None
        if caller is None or (scope["path"].startswith("/mcp") and scope["method"] != "POST"):
            return await self._app(scope, receive, send)
        heavy = is_heavy(scope)
        try:
            await self._shares.enter(caller.name, heavy=heavy)
        except TooMany:
            refusal = problem(
                429, "too many requests with this key are waiting: try again in 1 s", headers={"Retry-After": "1"}
            )
            return await refuse(refusal, scope, receive, send)
        began = monotonic()
        try:
            await self._app(scope, receive, send)
        finally:
            self._shares.leave(caller.name, monotonic() - began, heavy=heavy)


def is_heavy(scope: Scope) -> bool:
    """Whether a request may take long: by its path, or because it sends much."""
    if scope["method"] in ("GET", "HEAD"):
        return False
    announced = Headers(scope=scope).get("content-length", "0")
    is_long = not announced.isdecimal() or int(announced) > HEAVY_BODY_BYTES
    return is_long or scope["path"] in HEAVY_PATHS or scope["path"].endswith("/undo")
