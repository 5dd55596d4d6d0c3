"""Finds the caller of a request, before its body is read, and limits how often one caller may ask."""

from __future__ import annotations

from http.cookies import CookieError, SimpleCookie

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from ...errors import RecollectError, Unauthorized
from ..scope import Caller
from .problems import of_error, problem, refuse
from .services import Services
from .sessions import COOKIE

CALLER = "recollect.caller"
"""The entry of a request's ASGI scope that holds its caller."""


class CallerCheck:
    """Refuses requests without a valid key or session, where one is needed."""

    def __init__(self, app: ASGIApp, services: Services) -> None:
        self._app, self._services = app, services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not self._needs_key(scope):
            return await self._app(scope, receive, send)
        try:
            caller = scope[CALLER] = await run_in_threadpool(self._who, Headers(scope=scope))
        except RecollectError as error:
            return await refuse(of_error(error), scope, receive, send)
        seconds = self._services.rates.wait(caller.name)
        if seconds:
            refusal = problem(
                429, f"too many requests with this key: try again in {seconds} s", headers={"Retry-After": str(seconds)}
            )
            return await refuse(refusal, scope, receive, send)
        await self._app(scope, receive, send)

    def _needs_key(self, scope: Scope) -> bool:
        path = scope["path"]
        if path == "/metrics":
            return not self._services.options.open_metrics
        if path == "/v1/session" and scope["method"] == "POST":
            return False
        return path.startswith(("/v1/", "/mcp/")) or path in ("/v1", "/mcp")

    def _who(self, headers: Headers) -> Caller:
        authorization = headers.get("authorization")
        if authorization is not None:
            return self._services.who(_token(authorization))
        cookie = session_in(headers)
        if cookie is None:
            raise Unauthorized("send a key as `Authorization: Bearer rk_…`: `recollect keys add` makes one")
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise Unauthorized("a session cookie is valid only for requests from this server's own page")
        return self._services.sessions.who(cookie)


def _token(authorization: str) -> str:
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthorized("the Authorization header must read `Bearer rk_…`")
    return token.strip()


def session_in(headers: Headers) -> str | None:
    """The session cookie of a request, or None."""
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return None
    return None if found is None else found.value
