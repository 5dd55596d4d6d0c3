"""The outermost layer: gives each request an id, logs and counts it, and answers 500 when something fails."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...ids import new_id
from . import logs
from .callers import CALLER
from .metrics import Meter
from .problems import problem

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
}


class RequestLog:
    def __init__(self, app: ASGIApp, meter: Meter) -> None:
        self._app, self._meter = app, meter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        entry = _Entry(scope, send)
        try:
            await self._app(scope, receive, entry.send)
        except Exception as error:  # noqa: BLE001 - the outermost surface
            logs.write("error", request_id=entry.id, error=type(error).__name__, frames=logs.frames(error))
            if entry.status == 0:
                await problem(500, f"the server failed: its log says more under the request id {entry.id}")(
                    scope, receive, entry.send
                )
        finally:
            self._note(entry)

    def _note(self, entry: _Entry) -> None:
        seconds, caller = perf_counter() - entry.began, entry.scope.get(CALLER)
        method, route, status = _method(entry.scope), route_of(entry.scope), str(entry.status)
        namespace = caller.scope.namespace if caller is not None else ""
        self._meter.count(namespace, "recollect_requests_total", method=method, route=route, status=status)
        self._meter.time(namespace, "recollect_request_seconds", seconds, method=method, route=route)
        logs.write(
            "request",
            request_id=entry.id,
            key=None if caller is None else caller.name,
            method=method,
            route=route,
            status=entry.status,
            ms=round(seconds * 1000, 1),
        )


class _Entry:
    """What the log needs to know of one request."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self.scope, self._send = scope, send
        self.id, self.began = new_id(), perf_counter()
        self.status = 0
        """0 until the answer begins; it stays 0 when the client leaves before."""

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers["X-Request-Id"] = self.id
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            if self.scope["path"].startswith("/v1/"):
                headers.setdefault("Cache-Control", "no-store")
        await self._send(message)


_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")


def _method(scope: Scope) -> str:
    """The label of the method. Unknown ones share one label, so that clients can't create any number of them."""
    return scope["method"] if scope["method"] in _METHODS else "OTHER"


def route_of(scope: Scope) -> str:
    """The pattern of the route. The path itself may contain ids and text, so it is not logged."""
    for part in ("/mcp", "/inspector"):
        if f"{scope['path']}/".startswith(f"{part}/"):
            return part
    route: Any = scope.get("route")
    return getattr(route, "path_format", None) or getattr(route, "path", None) or "none"
