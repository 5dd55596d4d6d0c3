"""Who is asking: found out before the body is read, and how often they may."""

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
"""Where a request's scope says who is asking."""


class CallerCheck:
    """Asks for a key where one is needed."""

    def __init__(self, app: ASGIApp, shop: Services) -> None:
        self._app, self._shop = app, shop

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not self._is_locked(scope):
            return await self._app(scope, receive, send)
        try:
            caller = scope[CALLER] = await run_in_threadpool(self._who, Headers(scope=scope))
        except RecollectError as error:
            return await refuse(of_error(error), scope, receive, send)
        seconds = self._shop.rates.wait(caller.name)
        if seconds:
            refusal = problem(429, f"try again in {seconds} s", headers={"Retry-After": str(seconds)})
            return await refuse(refusal, scope, receive, send)
        await self._app(scope, receive, send)

    def _is_locked(self, scope: Scope) -> bool:
        path = scope["path"]
        if path == "/metrics":
            return not self._shop.options.open_metrics
        if path == "/v1/session" and scope["method"] == "POST":
            return False
        return path.startswith(("/v1/", "/mcp/")) or path in ("/v1", "/mcp")

    def _who(self, headers: Headers) -> Caller:
        given = headers.get("authorization")
        if given is not None:
            return self._shop.who(_token(given))
        name = session_in(headers)
        if name is None:
            raise Unauthorized("send a key as `Authorization: Bearer rk_…`: `recollect keys add` makes one")
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise Unauthorized("a session is good for this server's own page only")
        return self._shop.sessions.who(name)


def _token(authorization: str) -> str:
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthorized("the Authorization header must read `Bearer rk_…`")
    return token.strip()


def session_in(headers: Headers) -> str | None:
    """The session that a request's cookie names."""
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return None
    return None if found is None else found.value
