"""How does a client talk to a server? It sends and receives JSON, retries when the server is busy, and raises the
server's problems as errors of recollect."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from .. import errors
from ..errors import InvalidInput, RecollectError, ServerUnavailable
from ..http.request import Busy, Refused, Reply, Server, Sleep, retried
from ..ids import new_id
from ..types import plain

IN_THE_QUERY = ("GET", "DELETE")
CONFLICT = 409
NAMED = "urn:recollect:error:"
BUSY = (429, 502, 503, 504)
_BY_STATUS: Mapping[int, type[RecollectError]] = {
    400: errors.InvalidInput,
    401: errors.Unauthorized,
    403: errors.Forbidden,
    404: errors.NotFound,
    CONFLICT: errors.Conflict,
    413: errors.InvalidInput,
    422: errors.InvalidInput,
    429: errors.ServerUnavailable,
    503: errors.StoreError,
}


class Request(NamedTuple):
    method: str
    path: str
    body: bytes | None
    headers: Mapping[str, str]


class Wire:
    """Sends requests to one server with one API key."""

    def __init__(self, url: str, key: str, timeout_seconds: float, attempts: int, sleep: Sleep) -> None:
        self._url, self._attempts, self._sleep = url, attempts, sleep
        self._headers = {"Authorization": f"Bearer {_checked(key)}", "Accept": "application/json"}
        self._server = Server(_address(url), timeout_seconds, use_proxies=False)

    def ask(self, method: str, path: str, values: Mapping[str, Any], *, is_write: bool) -> Any:  # noqa: ANN401 - JSON
        """Sends a request and returns the answer. A write has an idempotency key, so the server runs it only once, even
        if it is sent again."""
        headers, body = dict(self._headers), None
        if is_write:
            headers["Idempotency-Key"] = new_id()
        if method in IN_THE_QUERY:
            path += _query(values)
        else:
            headers["Content-Type"], body = "application/json", as_json(values)
        return self._answer(self._reply(Request(method, path, body, headers)))

    def _reply(self, request: Request) -> Reply:
        try:
            return retried(lambda earlier: self._attempt(request, earlier), self._attempts, self._sleep)
        except Refused as error:
            raise ServerUnavailable(str(error)) from error
        except Busy as error:
            if error.reply is not None:
                return error.reply
            raise ServerUnavailable(
                f"{self._url} did not answer in {self._attempts} attempts, the last time: {error}; "
                "check that `recollect serve` runs there and that the address is right"
            ) from error

    def _attempt(self, request: Request, earlier: int) -> Reply:
        reply = self._server.ask(*request)
        if _is_busy(reply, earlier):
            raise Busy(f"HTTP {reply.status}", reply)
        return reply

    def _answer(self, reply: Reply) -> Any:  # noqa: ANN401 - JSON
        try:
            said = json.loads(reply.body)
        except ValueError:
            said = None
        if 200 <= reply.status < 300 and said is not None:
            return said
        if isinstance(said, dict) and "detail" in said:
            raise error_for(reply.status, said)
        raise ServerUnavailable(f"{self._url} answers with HTTP {reply.status}, not as a recollect server does")

    def close(self) -> None:
        self._server.close()


def _is_busy(reply: Reply, earlier: int) -> bool:
    """Whether to try again later. After a retry, a conflict means that the server still works on the first request."""
    return reply.status in BUSY or (reply.status == CONFLICT and earlier > 0)


def error_for(status: int, problem: Mapping[str, Any]) -> RecollectError:
    """The error class that the server named, or else the one that fits the status."""
    kind = getattr(errors, str(problem.get("type")).removeprefix(NAMED), None)
    if not isinstance(kind, type) or not issubclass(kind, RecollectError):
        kind = _BY_STATUS.get(status, RecollectError)
    return kind.__new__(kind, str(problem["detail"]))  # the message is complete, so __init__ is skipped


def _query(values: Mapping[str, Any]) -> str:
    """The query string, such as `?a=1&b=2`. A list becomes a repeated name."""
    return f"?{urlencode(plain(values), doseq=True)}" if values else ""


def as_json(value: object) -> bytes:
    try:
        return json.dumps(plain(value), allow_nan=False, default=_unsendable).encode()
    except ValueError as error:  # NaN, infinity, or a value that contains itself
        raise InvalidInput(f"this can't be sent to a server: {error}") from None


def _unsendable(value: object) -> object:
    raise InvalidInput(f"{value!r} can't be sent to a server: recipes and extractors go by their names")


def _checked(key: str) -> str:
    if not isinstance(key, str) or not key.isascii() or not key.isprintable() or " " in key or not key:
        raise InvalidInput("the key must be the text that `recollect keys add` showed, such as rk_…")
    return key


def _address(url: str) -> str:
    try:
        split = urlsplit(url)
        usable = split.scheme in ("http", "https") and split.hostname and (split.port or 1)
    except ValueError:
        usable = False
    if not usable or "@" in split.netloc or split.query or split.fragment:
        raise InvalidInput(f"{url!r} is not a server's address: write it like http://127.0.0.1:7411")
    return url.rstrip("/")
