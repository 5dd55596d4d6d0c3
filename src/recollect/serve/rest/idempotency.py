"""A write that is sent twice happens once: the same `Idempotency-Key` gets the first answer again, for a day.

What is kept has no memory text: where the answer held a memory or an event, its id is kept, and it is read again.
The body is kept as a keyed digest; its key is the client's `Idempotency-Key`, which is not kept itself. The store's
settings have a fixed number of slots for it, and a slot drops what is older than a day when it is written next.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from time import time
from typing import Any

from ...errors import NotFound
from ...recollect import Recollect
from .problems import Refused

KEPT_SECONDS = 24 * 3600
SLOTS = 4096
MOST_IN_A_SLOT = 200
_MEMORY, _EVENT = "memory:", "event:"


@dataclass(frozen=True, slots=True)
class Answered:
    """A status and a body, as they went out or will go out again."""

    status: int
    body: Any


class Replays:
    """The answers that were given."""

    def __init__(self, mind: Recollect, clock: Callable[[], float] = time) -> None:
        self._store, self._clock = mind.store, clock
        self._under_way: set[str] = set()
        self._lock = threading.Lock()

    def once(self, caller: str, key: str, request: bytes, work: Callable[[], Answered], read: Reader) -> Answered:
        """What the work answers, or answered when it was first asked for."""
        name, digest = _name(caller, key), _digest(key, request)
        with self._only(name):
            held = self._held(name).get(name)
            if held is None:
                done = work()
                self._keep(name, [self._clock(), digest, done.status, _references(done.body)])
                return done
        _, first, status, body = held
        if first != digest:
            raise Refused(422, "this Idempotency-Key came with another request before: choose a new one")
        return Answered(status, _read_again(body, read))

    @contextmanager
    def _only(self, name: str) -> Iterator[None]:
        with self._lock:
            if name in self._under_way:
                under_way = "a request with this Idempotency-Key is under way: wait for its answer"
                raise Refused(409, under_way, {"Retry-After": "1"})
            self._under_way.add(name)
        try:
            yield
        finally:
            self._under_way.discard(name)

    def _held(self, name: str) -> dict[str, list[Any]]:
        """What is in the slot and not too old."""
        held: dict[str, list[Any]] = json.loads(self._store.setting(_slot(name)) or "{}")
        return {key: kept for key, kept in held.items() if kept[0] > self._clock() - KEPT_SECONDS}

    def _keep(self, name: str, answered: list[Any]) -> None:
        with self._store.transaction():
            held = list((self._held(name) | {name: answered}).items())
            self._store.set_setting(_slot(name), json.dumps(dict(held[-MOST_IN_A_SLOT:])))


@dataclass(frozen=True, slots=True)
class Reader:
    """How what is kept by its id is read again."""

    memory: Callable[[str], Mapping[str, Any]]
    event: Callable[[str], Mapping[str, Any]]


def _name(caller: str, key: str) -> str:
    return blake2b(f"{caller}\0{key}".encode(), digest_size=16).hexdigest()


def _digest(key: str, request: bytes) -> str:
    return blake2b(request, key=blake2b(key.encode()).digest(), digest_size=16).hexdigest()


def _slot(name: str) -> str:
    return f"idempotency/{int(name[:8], 16) % SLOTS}"


def _references(body: Any) -> Any:  # noqa: ANN401 - JSON
    """The answer with ids in place of whatever may hold text."""
    match body:
        case {"id": id, "text": _, "merged_into": into}:
            return {"$": f"{_MEMORY}{id}", "merged_into": into}
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
            return {**read.memory(reference.removeprefix(_MEMORY)), "merged_into": body["merged_into"]}
        case {"$": reference}:
            return read.event(reference.removeprefix(_EVENT))
        case dict():
            return {name: _read_again(value, read) for name, value in body.items()}
        case list():
            return [found for value in body for found in _if_there(value, read)]
    return body


def _if_there(value: Any, read: Reader) -> Iterator[Any]:  # noqa: ANN401 - JSON
    """Of a list, what was purged since is left out."""
    try:
        yield _read_again(value, read)
    except NotFound:
        return
