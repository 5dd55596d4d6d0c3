"""MCP over streamable HTTP. There are no sessions: every request carries its key and is answered on its own."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable

import anyio.to_thread
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ...errors import Unauthorized
from ...recollect import Recollect
from ..scope import Caller
from .server import Backend, Context, build

_CALLER = "recollect_caller"
_BEARER = "bearer "


def asgi(mind: Recollect, who: Callable[[str], Caller]) -> ASGIApp:
    """The endpoint; it needs no lifespan. The application that mounts it checks Host, Origin and rates."""
    logging.getLogger("mcp").setLevel(logging.WARNING)  # our request log has each request already
    server = build(Backend(lambda: mind, _caller_of))

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        try:
            caller = await anyio.to_thread.run_sync(who, _token(scope))
        except Unauthorized as error:
            return await _unauthorized(str(error))(scope, receive, send)
        if scope["method"] != "POST":
            return await _problem(405, "Method Not Allowed", "use POST", allow="POST")(scope, receive, send)
        with_caller = {**scope, "state": {**scope.get("state", {}), _CALLER: caller}}
        manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)
        async with manager.run():
            await manager.handle_request(with_caller, receive, send)

    return answer


def _caller_of(ctx: Context) -> Caller:
    request = ctx.request
    assert isinstance(request, Request)
    caller: Caller = getattr(request.state, _CALLER)
    return caller


def _token(scope: Scope) -> str:
    header = Headers(scope=scope).get("authorization", "")
    return header[len(_BEARER) :].strip() if header.lower().startswith(_BEARER) else ""


def _unauthorized(detail: str) -> Response:
    return _problem(401, "Unauthorized", detail, **{"www-authenticate": 'Bearer realm="recollect"'})


def _problem(status: int, title: str, detail: str, **headers: str) -> Response:
    """A problem document (RFC 9457), as elsewhere on this server."""
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    return Response(json.dumps(body), status, headers, "application/problem+json")
