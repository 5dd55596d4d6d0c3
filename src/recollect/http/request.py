"""How is a request sent to a server that may be slow, busy or down? One attempt, and the delay before the next one."""

from __future__ import annotations

import json
import math
import random
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from ssl import SSLCertVerificationError
from typing import TypeVar

from ..errors import InvalidInput
from ..extras import install_command

try:
    import httpx2 as httpx
except ImportError:
    raise InvalidInput(f"asking a server needs the package httpx2: run: {install_command('client')}") from None

ATTEMPTS = 5
FIRST_DELAY_SECONDS = 0.5
MAX_DELAY_SECONDS = 60.0
MAX_BYTES = 256 * 1024 * 1024  # far above any valid reply; an endless reply must not fill the memory
TOO_MANY_REQUESTS = 429
SERVER_ERRORS = 500
QUOTED_CHARACTERS = 200  # of the server's reply, in error messages
_WORKED = (httpx.ReadError, httpx.ReadTimeout, httpx.RemoteProtocolError)
_PLAIN = {"Accept-Encoding": "identity"}  # a small compressed reply could expand and fill the memory
_KEPT = httpx.Limits(keepalive_expiry=None)  # connections stay open until the server closes them

Sleep = Callable[[float], None]
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def said(self) -> str:
        """The start of the body, for messages."""
        return self.body[:QUOTED_CHARACTERS].decode("utf-8", "replace").strip()

    @property
    def wait_seconds(self) -> float | None:
        """The delay that `Retry-After` gives, in seconds or as a date; None if it is missing or invalid."""
        asked = self.headers.get("Retry-After", "")
        try:
            seconds = float(asked)
            return seconds if math.isfinite(seconds) else None
        except ValueError:
            pass
        try:
            return (parsedate_to_datetime(asked) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError):  # TypeError: a date without a time zone
            return None


class Unanswered(Exception):
    """There is no usable reply. The message gives the reason and what to check."""


class Busy(Unanswered):
    """Another attempt may help.

    `reply` is the server's reply, if there was one. `worked` is true if the server may have processed the request, so
    the attempt may have cost money.
    """

    def __init__(self, what: str, reply: Reply | None = None, *, worked: bool = False) -> None:
        super().__init__(what)
        self.reply = reply
        self.worked = worked

    @property
    def wait_seconds(self) -> float | None:
        return self.reply.wait_seconds if self.reply else None


class Refused(Unanswered):
    """Another attempt with the same request would fail again. `said` is the start of the reply."""

    def __init__(self, what: str, status: int | None = None, said: str = "") -> None:
        super().__init__(what)
        self.status = status
        self.said = said


class Server:
    """A server at one address. Connections stay open for the next request, and threads may share them."""

    def __init__(
        self, url: str, timeout_seconds: float, *, max_bytes: int = MAX_BYTES, use_proxies: bool = True
    ) -> None:
        self.url = url
        self._timeout_seconds = timeout_seconds
        self._max_bytes = max_bytes
        self._client = _client(url, timeout_seconds, use_proxies)
        self._finalizer = weakref.finalize(self, self._client.close)

    def ask(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Reply:
        """Makes one attempt. The whole reply must arrive within the timeout. Raises Busy (no reply) or Refused."""
        deadline = time.monotonic() + self._timeout_seconds
        try:
            with self._client.stream(method, self.url + path, content=body, headers=dict(headers)) as response:
                return Reply(response.status_code, response.headers, self._body(response, deadline))
        except httpx.InvalidURL as error:
            raise Refused(f"{self.url} is not a server's address: {error}") from error
        except httpx.TransportError as error:
            raise self._failure(error) from error

    def post(self, payload: object, headers: Mapping[str, str]) -> bytes:
        """Makes one attempt to send JSON to the address itself. Returns the body. Raises Busy or Refused."""
        reply = self.ask("POST", "", json.dumps(payload).encode(), {"Content-Type": "application/json", **headers})
        if 200 <= reply.status < 300:
            return reply.body
        if reply.status == TOO_MANY_REQUESTS or reply.status >= SERVER_ERRORS:
            raise Busy(f"HTTP {reply.status} {reply.said}", reply)
        said = reply.said or httpx.codes.get_reason_phrase(reply.status)
        check = "check the model's name, the key and the address"
        raise Refused(f"{self.url} refused with HTTP {reply.status}: {said}; {check}", reply.status, said)

    def close(self) -> None:
        self._finalizer()

    def _body(self, response: httpx.Response, deadline: float) -> bytes:
        body = bytearray()
        try:
            for piece in response.iter_raw():
                body += piece
                _check(len(body), self._max_bytes, deadline)
        except httpx.TransportError:
            if response.is_success:
                raise  # for an error, the status is enough
        return bytes(body)

    def _failure(self, error: httpx.TransportError) -> Unanswered:
        for cause in _causes(error):
            if isinstance(cause, SSLCertVerificationError):
                return Refused(f"{self.url} can't prove who it is: {cause.verify_message}")
        return Busy(str(error) or type(error).__name__, worked=isinstance(error, _WORKED))


def _client(url: str, timeout_seconds: float, use_proxies: bool) -> httpx.Client:
    """Does not follow redirects: they could send the key to another host, or to https without verification."""
    verify = not url.startswith("http:")  # loading the certificates takes 45 ms
    direct = None if use_proxies else httpx.HTTPTransport(limits=_KEPT, verify=verify)
    try:
        return httpx.Client(
            headers=_PLAIN,
            timeout=timeout_seconds,
            limits=_KEPT,
            verify=verify,
            transport=direct,
            follow_redirects=False,
        )
    except (ImportError, ValueError, httpx.InvalidURL) as error:
        raise Refused(f"{url} can't be asked through the proxy in HTTP_PROXY or ALL_PROXY: {error}") from error


def _check(length: int, max_bytes: int, deadline: float) -> None:
    """Limits the size and the total time of a reply. httpx's own timeout starts again with each piece."""
    if length > max_bytes:
        raise httpx.RemoteProtocolError(f"the reply is longer than {max_bytes:,} bytes")
    if time.monotonic() > deadline:
        raise httpx.ReadTimeout("timed out in the middle of the reply")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def retried(once: Callable[[int], Answer], attempts: int, sleep: Sleep) -> Answer:
    """Retries a busy server with growing delays. `once` takes the number of earlier attempts."""
    for earlier in range(attempts - 1):
        try:
            return once(earlier)
        except Busy as error:
            busy = error
        sleep(delay_seconds(earlier, busy.wait_seconds))
    return once(attempts - 1)


def delay_seconds(earlier: int, asked_seconds: float | None) -> float:
    """The server's delay, or an exponential one with jitter, so that clients do not all retry at the same time."""
    if asked_seconds is not None:
        return min(max(asked_seconds, 0.0), MAX_DELAY_SECONDS)
    longest = min(FIRST_DELAY_SECONDS * 2**earlier, MAX_DELAY_SECONDS)
    return random.uniform(longest / 2, longest)


def given_up(url: str, attempts: int, last: Busy) -> str:
    return (
        f"{url} did not answer in {attempts} attempts, the last time: {last}; "
        "check that the server runs and that the address is right"
    )
