"""How is JSON sent to a server that may be slow, busy or down?"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from http.client import HTTPException, HTTPMessage
from typing import IO
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from ..errors import EmbedderUnavailable

ATTEMPTS = 5
FIRST_DELAY_SECONDS = 0.5
MAX_DELAY_SECONDS = 60.0
TOO_MANY_REQUESTS = 429
SERVER_ERRORS = 500
QUOTED_CHARACTERS = 200  # of what the server said, in our error

Sleep = Callable[[float], None]


class _Busy(Exception):
    """Worth another attempt."""

    def __init__(self, what: str, wait_seconds: float | None = None) -> None:
        super().__init__(what)
        self.wait_seconds = wait_seconds


def post(
    url: str, payload: object, headers: Mapping[str, str], timeout_seconds: float, sleep: Sleep = time.sleep
) -> bytes:
    """The body of the reply; a busy server is asked again, later each time."""
    request = Request(url, json.dumps(payload).encode(), {"Content-Type": "application/json", **headers}, method="POST")
    for attempt in range(ATTEMPTS):
        try:
            return _once(request, timeout_seconds)
        except _Busy as busy:
            if attempt == ATTEMPTS - 1:
                raise EmbedderUnavailable(
                    f"{url} did not answer in {ATTEMPTS} attempts, the last time: {busy}; "
                    "check that the server runs and that the address is right"
                ) from busy
            sleep(_delay(attempt, busy.wait_seconds))
    raise AssertionError("unreachable: the last attempt returns or raises")


def _once(request: Request, timeout_seconds: float) -> bytes:
    try:
        with _OPENER.open(request, timeout=timeout_seconds) as reply:
            body: bytes = reply.read()
            return body
    except HTTPError as error:
        with error:
            raise _refusal(error) from error
    except (OSError, HTTPException) as error:
        raise _Busy(str(error) or type(error).__name__) from error


def _refusal(error: HTTPError) -> Exception:
    """Another attempt helps against 429 and 5xx; anything else is about what we sent."""
    said = error.read(QUOTED_CHARACTERS).decode("utf-8", "replace").strip()
    if error.code == TOO_MANY_REQUESTS or error.code >= SERVER_ERRORS:
        return _Busy(f"HTTP {error.code} {said}", _retry_after(error.headers))
    return EmbedderUnavailable(
        f"{error.url} refused with HTTP {error.code}: {said or error.reason}; "
        "check the model's name, the key and the address"
    )


def _retry_after(headers: Message) -> float | None:
    """Seconds, or the date to wait for; None where the header is missing or unreadable."""
    said = headers.get("Retry-After", "")
    try:
        return float(said)
    except ValueError:
        pass
    try:
        return (parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError):  # TypeError: a date without a time zone
        return None


def _delay(attempt: int, asked_seconds: float | None) -> float:
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
