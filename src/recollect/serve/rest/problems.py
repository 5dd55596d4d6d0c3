"""Problem documents (RFC 9457) for all errors. The detail is the message of the façade's error."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Mapping
from typing import Any

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from ... import errors

MEDIA_TYPE = "application/problem+json"
MOST_ISSUES = 20
DRAIN_BYTES = 64 * 1024 * 1024
DRAIN_SECONDS = 2.0

TITLES: Mapping[int, str] = {
    400: "The request can't be read",
    401: "A key is needed",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    408: "The request took too long to arrive",
    409: "Conflict",
    413: "The request is too large",
    415: "The request is not JSON",
    421: "This server does not answer to that name",
    422: "The request is not valid",
    429: "Too many requests",
    500: "The server failed",
    503: "Temporarily unavailable",
}


class Issue(BaseModel):
    """One mistake in a request."""

    model_config = ConfigDict(extra="forbid")

    where: str = Field(description="The field, such as body.importance or query.limit.")
    what: str = Field(description="What is wrong with it.")


class Problem(BaseModel):
    """An error, as RFC 9457 defines it."""

    model_config = ConfigDict(extra="forbid")

    type: str = Field(description="A URN that names the kind of error.")
    title: str
    status: int = Field(ge=400, le=599)
    detail: str
    issues: list[Issue] | None = Field(default=None, description="With 422: the mistakes, field by field.")


class Refused(Exception):
    """A refusal that has no error class in the façade."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers = status, detail, headers


def problem(
    status: int,
    detail: str,
    *,
    urn: str | None = None,
    issues: list[dict[str, str]] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    title = TITLES.get(status, "Problem")
    body: dict[str, Any] = {"type": urn or _urn(status), "title": title, "status": status, "detail": detail}
    if issues:
        body["issues"] = issues
    # ASCII escapes, because UTF-8 can't encode a lone surrogate
    return Response(json.dumps(body), status, headers, MEDIA_TYPE)


async def refuse(refusal: Response, scope: Scope, receive: Receive, send: Send) -> None:
    """Answers before the body was read, then reads and drops the rest of the body for a while.

    If the connection closed at once, a client that first sends its whole body would never see the answer.
    """

    async def sent(message: Message) -> None:
        await send(message)
        if message["type"] == "http.response.start":
            await _drain(receive)

    await refusal(scope, receive, sent)


async def _drain(receive: Receive) -> None:
    size = 0
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(DRAIN_SECONDS):
            while size < DRAIN_BYTES:
                message = await receive()
                size += len(message.get("body", b""))
                if not message.get("more_body", False):
                    return


def _urn(status: int) -> str:
    words = "".join(c for c in TITLES.get(status, "problem").lower().replace(" ", "-") if c.isalnum() or c == "-")
    return f"urn:recollect:problem:{words}"


_STATUSES: tuple[tuple[type[errors.RecollectError], int], ...] = (
    (errors.Unauthorized, 401),
    (errors.Forbidden, 403),
    (errors.InvalidInput, 422),
    (errors.NotFound, 404),
    (errors.Conflict, 409),
    (errors.StoreError, 503),
    (errors.EmbedderUnavailable, 503),
)


def status_of(error: errors.RecollectError) -> int:
    return next((status for kind, status in _STATUSES if isinstance(error, kind)), 500)


def headers_of(status: int) -> dict[str, str]:
    match status:
        case 401:
            return {"WWW-Authenticate": 'Bearer realm="recollect"'}
        case 503:
            return {"Retry-After": "1"}
    return {}


def of_error(error: errors.RecollectError) -> Response:
    status = status_of(error)
    return problem(status, str(error), urn=f"urn:recollect:error:{type(error).__name__}", headers=headers_of(status))


# Handlers for FastAPI -----------------------------------------------------------------------------


def on_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, errors.RecollectError)
    return of_error(error)


def on_refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return problem(error.status, error.detail, headers=error.headers)


def on_http(request: Request, error: Exception) -> Response:
    """Starlette's own errors, such as an unknown path or method."""
    assert isinstance(error, HTTPException)
    return problem(error.status_code, str(error.detail), headers=error.headers)


def on_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    found = error.errors()[:MOST_ISSUES]
    broken = next((issue for issue in found if issue["type"] == "json_invalid"), None)
    if broken is not None:
        return problem(400, f"the body is not JSON: {broken['ctx']['error']} at character {broken['loc'][-1]}")
    issues = [{"where": _where(issue["loc"]), "what": issue["msg"]} for issue in found]
    return problem(422, f"{issues[0]['where']}: {issues[0]['what']}", issues=issues)


def _where(place: tuple[int | str, ...]) -> str:
    return ".".join(map(str, place))[:200]


HANDLERS = {
    errors.RecollectError: on_error,
    Refused: on_refused,
    HTTPException: on_http,
    RequestValidationError: on_invalid,
}


# For OpenAPI --------------------------------------------------------------------------------------

WITHOUT_KEY = (405, 408, 413, 421, 403, 500)
"""Error statuses that every operation can answer with."""
WITH_KEY = (400, 401, 404, 409, 415, 422, 429, 503)
"""Further ones of operations that need a key."""


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The `responses` argument for an operation that can answer with these statuses."""
    return {status: _documented(status) for status in sorted({*WITHOUT_KEY, *statuses})}


def _documented(status: int) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    found: dict[str, Any] = {"description": TITLES[status], "content": {MEDIA_TYPE: {"schema": schema}}}
    if status in _HEADERS:
        name, about = _HEADERS[status]
        found["headers"] = {name: {"description": about, "schema": {"type": "string"}}}
    return found


_HEADERS = {
    401: ("WWW-Authenticate", "How to authenticate."),
    405: ("Allow", "The methods that the path has."),
    429: ("Retry-After", "Seconds to wait before the next request."),
    503: ("Retry-After", "Seconds to wait before trying again."),
}
