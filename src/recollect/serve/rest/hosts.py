"""Protects the server from web pages of other sites.

A page can make a browser send requests to a loopback address: with the page's own origin, or with its own host name,
once that name resolves to the loopback address. The headers Origin and Host show both.
"""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from .problems import problem, refuse


class HostCheck:
    """Refuses requests for another host name or from another origin."""

    def __init__(self, app: ASGIApp, names: Collection[str]) -> None:
        self._app, self._names = app, frozenset(names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(Headers(scope=scope)) if scope["type"] == "http" else None
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            await refuse(problem(*refusal), scope, receive, send)

    def _refusal(self, headers: Headers) -> tuple[int, str] | None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or name_of(hosts[0]) not in self._names:
            return 421, "the Host header names another server: `recollect serve --allow-host NAME` adds a name"
        if not all(_same(origin, hosts[0]) for origin in headers.getlist("origin")):
            return 403, "requests from web pages of another origin are not allowed"
        return None


def name_of(host: str) -> str | None:
    """The name in a Host header, without the port; None if the header is malformed."""
    try:
        split = urlsplit(f"//{host}")
        _ = split.port
    except ValueError:
        return None
    return split.hostname if split.netloc == host and "@" not in host else None


def _same(origin: str, host: str) -> bool:
    """Whether the origin is this host. The scheme may differ, because a proxy may have ended TLS."""
    try:
        split = urlsplit(origin)
    except ValueError:
        return False
    return split.scheme in ("http", "https") and split.netloc.lower() == host.lower()
