"""How is JSON sent to a server that may be slow, busy or down?"""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from http.client import HTTPException, HTTPMessage, HTTPResponse, IncompleteRead
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

ATTEMPTS = 5
FIRST_DELAY_SECONDS = 0.5
MAX_DELAY_SECONDS = 60.0
MAX_BYTES = 256 * 1024 * 1024  # far more than any honest reply; a server that never stops must not fill memory
READ_BYTES = 64 * 1024
TOO_MANY_REQUESTS = 429
SERVER_ERRORS = 500
QUOTED_CHARACTERS = 200  # of what the server said, in our error

Sleep = Callable[[float], None]


class Unanswered(Exception):
    """There is no reply to work with; the message says why and what to check."""


class Busy(Unanswered):
    """Worth another attempt.

    `wait_seconds` is what the server asked for. `worked` says that it took the request and may have
    worked on it, so that the attempt may have cost something.
    """

    def __init__(self, what: str, wait_seconds: float | None = None, *, worked: bool = False) -> None:
        super().__init__(what)
        self.wait_seconds = wait_seconds
        self.worked = worked


class Refused(Unanswered):
    """Another attempt with the same request would be refused again. `said` is the start of the reply."""

    def __init__(self, url: str, status: int, said: str) -> None:
        super().__init__(f"{url} refused with HTTP {status}: {said}; check the model's name, the key and the address")
        self.status = status
        self.said = said


def post(
    url: str, payload: object, headers: Mapping[str, str], timeout_seconds: float, sleep: Sleep = time.sleep
) -> bytes:
    """The body of the reply; a busy server is asked again, later each time."""
    for attempt in range(ATTEMPTS):
        try:
            return post_once(url, payload, headers, timeout_seconds)
        except Busy as busy:
            if attempt == ATTEMPTS - 1:
                raise given_up(url, ATTEMPTS, busy) from busy
            sleep(delay_seconds(attempt, busy.wait_seconds))
    raise AssertionError("unreachable: the last attempt returns or raises")


def post_once(
    url: str, payload: object, headers: Mapping[str, str], timeout_seconds: float, max_bytes: int = MAX_BYTES
) -> bytes:
    """One attempt; the whole reply has to be there within the time. Raises Busy or Refused."""
    request = Request(url, json.dumps(payload).encode(), {"Content-Type": "application/json", **headers}, method="POST")
    deadline = time.monotonic() + timeout_seconds
    try:
        with _OPENER.open(request, timeout=timeout_seconds) as reply:
            return body_within(reply, deadline, max_bytes)
    except HTTPError as error:
        with error:
            raise _refusal(error) from error
    except URLError as error:  # urllib wraps in it what goes wrong before the request is out
        raise Busy(str(error)) from error
    except (OSError, HTTPException) as error:
        raise Busy(str(error) or type(error).__name__, worked=True) from error


def given_up(url: str, attempts: int, last: Busy) -> Unanswered:
    return Unanswered(
        f"{url} did not answer in {attempts} attempts, the last time: {last}; "
        "check that the server runs and that the address is right"
    )


def body_within(reply: HTTPResponse, deadline: float, max_bytes: int = MAX_BYTES) -> bytes:
    """Piece by piece, as the socket's own timeout starts anew with each of them."""
    expected, body = reply.length, bytearray()
    while piece := reply.read1(READ_BYTES):
        body += piece
        if len(body) > max_bytes:
            raise HTTPException(f"the reply is longer than {max_bytes:,} bytes")
        if time.monotonic() > deadline:
            raise TimeoutError("timed out in the middle of the reply")
    if expected is not None and len(body) < expected:
        raise IncompleteRead(bytes(body), expected - len(body))
    return bytes(body)


def _refusal(error: HTTPError) -> Unanswered:
    """Another attempt helps against 429 and 5xx; anything else is about what we sent."""
    said = _quoted(error)
    if error.code == TOO_MANY_REQUESTS or error.code >= SERVER_ERRORS:
        return Busy(f"HTTP {error.code} {said}", retry_after_seconds(error.headers))
    return Refused(error.url, error.code, said or error.reason)


def _quoted(error: HTTPError) -> str:
    try:
        return error.read(QUOTED_CHARACTERS).decode("utf-8", "replace").strip()
    except (OSError, HTTPException):  # the status came, the page about it did not
        return ""


def retry_after_seconds(headers: Message) -> float | None:
    """Seconds, or the date to wait for; None where the header is missing or unreadable."""
    said = headers.get("Retry-After", "")
    try:
        seconds = float(said)
        return seconds if math.isfinite(seconds) else None
    except ValueError:
        pass
    try:
        return (parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError):  # TypeError: a date without a time zone
        return None


def delay_seconds(attempt: int, asked_seconds: float | None) -> float:
    """What the server asked for, else exponential with jitter so that clients don't come back together."""
    if asked_seconds is not None:
        return min(max(asked_seconds, 0.0), MAX_DELAY_SECONDS)
    longest = min(FIRST_DELAY_SECONDS * 2**attempt, MAX_DELAY_SECONDS)
    return random.uniform(longest / 2, longest)


class _NoRedirects(HTTPRedirectHandler):
    """A redirect would carry the key to another host."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        return None


_OPENER = build_opener(_NoRedirects)
