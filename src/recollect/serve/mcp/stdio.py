"""MCP on standard input and output. The handshake does not wait for the SDK, the store or the model."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading
from collections.abc import Callable
from typing import Any, cast

import anyio
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from ...errors import RecollectError
from ...recollect import Recollect
from ..scope import Caller
from .descriptors import Pipes
from .greeting import ToolSetName
from .pipes import Lines, Out
from .server import SETS, Backend, Context, build

_HANDSHAKE = ("initialize", "server/discover", "ping")
_JOIN_SECONDS = 5.0
logger = logging.getLogger(__name__)


class LazyMind:
    """A memory that is opened at the first use. After a failure, the next use tries again."""

    def __init__(self, open_mind: Callable[[], Recollect]) -> None:
        self._open = open_mind
        self._lock = threading.Lock()
        self._mind: Recollect | None = None

    def __call__(self) -> Recollect:
        with self._lock:
            if self._mind is None:
                self._mind = self._open()
            return self._mind

    def close(self) -> None:
        with self._lock:
            if self._mind is not None:
                self._mind.close()


class WarmUp:
    """Opens the store and loads the model in the background, once the client has its handshake."""

    def __init__(self, mind: LazyMind) -> None:
        self._mind = mind
        self._thread = threading.Thread(target=self._warm, name="warming up", daemon=True)

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        if ctx.method not in _HANDSHAKE and self._thread.ident is None:
            self._thread.start()
        return await call_next(ctx)

    def join(self) -> bool:
        """Waits some seconds for the thread. Returns whether it has ended."""
        if self._thread.ident is not None:
            self._thread.join(_JOIN_SECONDS)
        return not self._thread.is_alive()

    def _warm(self) -> None:
        try:
            mind = self._mind()
            if not mind.embedder.name.startswith("openai:"):  # a remote embedder: send nothing without a request
                mind.recall("hello", track=False)
        except RecollectError as error:
            logger.warning("%s", error)


def serve(
    pipes: Pipes, lines: Lines, open_mind: Callable[[], Recollect], caller: Caller, tools: ToolSetName = "standard"
) -> None:
    """Serves until the client disconnects or a signal stops the process."""
    mind = LazyMind(open_mind)
    warm_up = WarmUp(mind)
    server = build(Backend(mind, lambda ctx: caller, SETS[tools]))
    server.middleware.append(warm_up)
    asyncio.run(_run(server, lines, Out(pipes, lines)))
    done = warm_up.join()
    mind.close()
    if not done or _threads_remain():
        os._exit(0)  # a thread that waits in a read or a model must not keep the process alive


async def _run(server: Server[Any], lines: Lines, out: Out) -> None:
    with anyio.CancelScope() as scope:
        _stop_on_signals(scope)
        try:
            async with stdio_server(cast(Any, lines), cast(Any, out)) as (incoming, outgoing):
                await server.run(incoming, outgoing, server.create_initialization_options())
        except* OSError as lost:  # the client has disconnected
            logger.warning("the client disconnected: %s", lost.exceptions[0])


def _stop_on_signals(scope: anyio.CancelScope) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(scope.cancel) and None)


def _threads_remain() -> bool:
    here = threading.main_thread()
    return any(thread is not here and thread.is_alive() and not thread.daemon for thread in threading.enumerate())
