"""How does a client speak with a server? JSON there and back, once more when it is busy, its problems as our errors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http.client import HTTPException
from ssl import SSLCertVerificationError
from typing import Any
from urllib.parse import urlencode

from . import errors
from .errors import InvalidInput, RecollectError, ServerUnavailable
from .http_connections import Connections, Reply
from .http_post import Sleep, delay_seconds, retry_after_seconds
from .ids import new_id
from .types import plain

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


class Wire:
    """One server, and the key that opens it."""

    def __init__(self, url: str, key: str, timeout_seconds: float, attempts: int, sleep: Sleep) -> None:
        self._url, self._attempts, self._sleep = url, attempts, sleep
        self._headers = {"Authorization": f"Bearer {_checked(key)}", "Accept": "application/json"}
        self._connections = Connections(url, timeout_seconds)

    def ask(self, method: str, path: str, values: Mapping[str, Any], *, is_write: bool) -> Any:  # noqa: ANN401 - JSON
        """The answer. A write gets a key of its own, so that the server does it once however often it is sent."""
        headers, body = dict(self._headers), None
        if is_write:
            headers["Idempotency-Key"] = new_id()
        if method in IN_THE_QUERY:
            path += _query(values)
        else:
            headers["Content-Type"], body = "application/json", as_json(values)
        return self._answer(self._reply(method, path, body, headers))

    def _reply(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Reply:
        found = self._attempt(method, path, body, headers)
        for attempt in range(1, self._attempts):
            if isinstance(found, Reply) and not _is_busy(found, attempt):
                return found
            self._sleep(delay_seconds(attempt - 1, _wanted_delay(found)))
            found = self._attempt(method, path, body, headers)
        if isinstance(found, Reply):
            return found
        raise ServerUnavailable(
            f"{self._url} did not answer in {self._attempts} attempts, the last time: {found or type(found).__name__}; "
            "check that `recollect serve` runs there and that the address is right"
        ) from found

    def _attempt(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> Reply | OSError | HTTPException:
        try:
            return self._connections.ask(method, path, body, headers)
        except SSLCertVerificationError as error:
            raise ServerUnavailable(f"{self._url} can't prove who it is: {error.verify_message}") from error
        except (OSError, HTTPException) as error:
            return error

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
        self._connections.close()


def _is_busy(reply: Reply, attempts: int) -> bool:
    """Of a request that was sent again, a conflict says that the first one is still under way."""
    return reply.status in BUSY or (reply.status == CONFLICT and attempts > 1)


def _wanted_delay(found: Reply | Exception) -> float | None:
    return retry_after_seconds(found.headers) if isinstance(found, Reply) else None


def error_for(status: int, problem: Mapping[str, Any]) -> RecollectError:
    """The façade's error that the server named, or else the nearest to its status."""
    kind = getattr(errors, str(problem.get("type")).removeprefix(NAMED), None)
    if not isinstance(kind, type) or not issubclass(kind, RecollectError):
        kind = _BY_STATUS.get(status, RecollectError)
    return kind.__new__(kind, str(problem["detail"]))  # the words are there already: no __init__ has to find them


def _query(values: Mapping[str, Any]) -> str:
    """`?a=1&b=2`; a list is repeated."""
    return f"?{urlencode(plain(values), doseq=True)}" if values else ""


def as_json(value: object) -> bytes:
    try:
        return json.dumps(plain(value), allow_nan=False, default=_unsendable).encode()
    except ValueError as error:  # a number that is none, or something that holds itself
        raise InvalidInput(f"this can't be sent to a server: {error}") from None


def _unsendable(value: object) -> object:
    raise InvalidInput(f"{value!r} can't be sent to a server: recipes and extractors go by their names")


def _checked(key: str) -> str:
    if not isinstance(key, str) or not key.isascii() or not key.isprintable() or " " in key or not key:
        raise InvalidInput("the key must be the text that `recollect keys add` showed, such as rk_…")
    return key
