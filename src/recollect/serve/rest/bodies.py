"""Reads the whole body of a request first, and refuses one that is too large, too slow or nested too deep."""

from __future__ import annotations

import asyncio
import re

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .options import Options
from .problems import Refused, problem, refuse

_NESTING = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[\]{}]', re.DOTALL)
_OPENING = (b"[", b"{")


class BodyCheck:
    """Passes a request on with its body, or refuses it."""

    def __init__(self, app: ASGIApp, options: Options) -> None:
        self._app, self._options = app, options

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        try:
            body = await self._body(scope, receive)
        except _Gone:
            return None
        except _TooLarge:
            large = f"the body has more than {self._options.most_body_bytes:,} bytes: send it in parts"
            return await refuse(problem(413, large), scope, receive, send)
        except Refused as refused:
            return await problem(refused.status, refused.detail)(scope, receive, send)
        await self._app(scope, _replayed(body, receive), send)

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        options, headers = self._options, Headers(scope=scope)
        _check_length(headers.get("content-length", ""), options.most_body_bytes)
        try:
            async with asyncio.timeout(options.body_seconds):
                body = await _read(receive, options.most_body_bytes)
        except TimeoutError:
            raise Refused(408, f"the body did not arrive within {options.body_seconds:g} s") from None
        if body and scope["path"].startswith("/v1/"):
            _check_type(headers.get("content-type", ""))
            _check_depth(body, options.deepest_json)
        return body


class _Gone(Exception):
    """The client disconnected before it had sent the whole body."""


class _TooLarge(Exception):
    """The body has more bytes than allowed."""


async def _read(receive: Receive, most: int) -> bytes:
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Gone
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > most:
            raise _TooLarge
        more = message.get("more_body", False)
    return b"".join(parts)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Delivers the body in one piece, then later messages such as a disconnect."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay


def _check_length(announced: str, most: int) -> None:
    if announced.isdecimal() and (len(announced) > 18 or int(announced) > most):
        raise _TooLarge


def _check_type(content_type: str) -> None:
    if content_type.partition(";")[0].strip().lower() != "application/json":
        raise Refused(415, "send the body as Content-Type: application/json")


def _check_depth(body: bytes, deepest: int) -> None:
    if body.count(b"[") + body.count(b"{") <= deepest:
        return
    depth = 0
    for token in _NESTING.findall(body):
        depth += (token in _OPENING) - (token in (b"]", b"}"))
        if depth > deepest:
            raise Refused(400, f"the body is nested more than {deepest} levels deep")
