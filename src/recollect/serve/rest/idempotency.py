"""Requests with an `Idempotency-Key`: for a day, the same key and request get the first answer again.

What is kept holds no memory text. Memories and events of an answer are kept by id and are read again for a repetition.
The request is kept as a digest, keyed with the client's `Idempotency-Key`, which is not kept itself.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from time import time
from typing import Any

from ...errors import NotFound
from ...types import RESULTS
from ..records import Reply
from ..storage import ServerStorage
from .problems import Refused

KEPT_SECONDS = 24 * 3600
_MEMORY, _EVENT = "memory:", "event:"


@dataclass(frozen=True, slots=True)
class Answered:
    """The status and body of an answer."""

    status: int
    body: Any


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads again what a reply holds by id. Both raise NotFound for what was purged since."""

    memory: Callable[[str], Mapping[str, Any]]
    event: Callable[[str], Mapping[str, Any]]


class Replies:
    """The answers to requests that had an `Idempotency-Key`."""

    def __init__(self, storage: ServerStorage, clock: Callable[[], float] = time) -> None:
        self._storage, self._clock = storage, clock
        self._in_progress: set[str] = set()
        self._lock = threading.Lock()

    def once(self, caller: str, key: str, request: bytes, work: Callable[[], Answered], read: Reader) -> Answered:
        """Does the work and keeps its answer, or repeats the answer kept under this caller and key."""
        name, digest = _name(caller, key), _digest(key, request)
        with self._only(name):
            kept = self._storage.reply(name, self._now())
            if kept is None:
                done = work()
                reply = Reply(digest, done.status, _references(done.body))
                self._storage.put_reply(name, reply, self._now(), for_seconds=KEPT_SECONDS)
                return done
        if kept.request_digest != digest:
            raise Refused(422, "this Idempotency-Key was used with another request: choose a new one")
        return Answered(kept.status, _read_again(kept.body, read))

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock(), UTC)

    @contextmanager
    def _only(self, name: str) -> Iterator[None]:
        with self._lock:
            if name in self._in_progress:
                busy = "a request with this Idempotency-Key is in progress: wait for its answer"
                raise Refused(409, busy, {"Retry-After": "1"})
            self._in_progress.add(name)
        try:
            yield
        finally:
            self._in_progress.discard(name)


def _name(caller: str, key: str) -> str:
    return blake2b(f"{caller}\0{key}".encode(), digest_size=16).hexdigest()


def _digest(key: str, request: bytes) -> str:
    return blake2b(request, key=blake2b(key.encode()).digest(), digest_size=16).hexdigest()


def _references(body: Any) -> Any:  # noqa: ANN401 - JSON
    """The answer with ids in place of memories and events, which may hold text."""
    match body:
        case {"id": id, "text": _, "merged_into": _}:
            return {"$": f"{_MEMORY}{id}", **{name: body[name] for name in RESULTS if name in body}}
        case {"id": id, "changes": _}:
            return {"$": f"{_EVENT}{id}"}
        case dict():
            return {name: _references(value) for name, value in body.items()}
        case list():
            return [_references(value) for value in body]
    return body


def _read_again(body: Any, read: Reader) -> Any:  # noqa: ANN401 - JSON
    match body:
        case {"$": reference} if reference.startswith(_MEMORY):
            known = {name: value for name, value in body.items() if name in RESULTS}
            return {**read.memory(reference.removeprefix(_MEMORY)), **known}
        case {"$": reference}:
            return read.event(reference.removeprefix(_EVENT))
        case dict():
            return {name: _read_again(value, read) for name, value in body.items()}
        case list():
            return [found for value in body for found in _if_there(value, read)]
    return body


def _if_there(value: Any, read: Reader) -> Iterator[Any]:  # noqa: ANN401 - JSON
    """A list leaves out what was purged since."""
    try:
        yield _read_again(value, read)
    except NotFound:
        return
