"""How are many requests sent to one server? Over connections that are kept open; threads may share them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPConnection, HTTPSConnection
from selectors import EVENT_READ, DefaultSelector
from urllib.parse import SplitResult, urlsplit

from .errors import InvalidInput
from .http_post import body_within


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    headers: Message
    body: bytes


class Connections:
    """One connection for each request under way, and those that are idle for the next."""

    def __init__(self, url: str, timeout_seconds: float) -> None:
        split = _checked(url)
        self._kind = HTTPSConnection if split.scheme == "https" else HTTPConnection
        self._host, self._port, self._folder = split.hostname or "", split.port, split.path.rstrip("/")
        self._timeout_seconds = timeout_seconds
        self._idle: list[HTTPConnection] = []  # a list's append and pop are safe between threads

    def ask(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Reply:
        """One attempt; the whole reply has to be there within the time. Raises OSError or HTTPException."""
        deadline = time.monotonic() + self._timeout_seconds
        connection = self._take()
        try:
            connection.request(method, self._folder + path, body, dict(headers))
            with connection.getresponse() as answer:
                reply = Reply(answer.status, answer.headers, body_within(answer, deadline))
                kept = not answer.will_close
        except BaseException:
            connection.close()
            raise
        self._idle.append(connection) if kept else connection.close()
        return reply

    def _take(self) -> HTTPConnection:
        while self._idle:
            try:
                connection = self._idle.pop()
            except IndexError:  # another thread was faster
                break
            if not _has_ended(connection):
                return connection
            connection.close()
        return self._kind(self._host, self._port, timeout=self._timeout_seconds)

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()


def _has_ended(connection: HTTPConnection) -> bool:
    """An idle server says nothing, unless it hangs up."""
    if connection.sock is None:
        return True
    with DefaultSelector() as selector:
        selector.register(connection.sock, EVENT_READ)
        return bool(selector.select(0))


def _checked(url: str) -> SplitResult:
    try:
        split = urlsplit(url)
        usable = split.scheme in ("http", "https") and split.hostname and (split.port or 1)
    except ValueError:
        usable = False
    if not usable or "@" in split.netloc or split.query or split.fragment:
        raise InvalidInput(f"{url!r} is not a server's address: write it like http://127.0.0.1:7411")
    return split
