"""MCP on standard input and output. The handshake waits for neither the SDK nor the store nor the model."""

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
from .pipes import Lines, Out
from .server import Context, Desks, build

_HANDSHAKE = ("initialize", "server/discover", "ping")
_PATIENCE_SECONDS = 5.0
logger = logging.getLogger(__name__)


class Late:
    """A memory that is opened when it is first needed. One that can't be is tried again the next time."""

    def __init__(self, opens: Callable[[], Recollect]) -> None:
        self._opens = opens
        self._lock = threading.Lock()
        self._mind: Recollect | None = None

    def __call__(self) -> Recollect:
        with self._lock:
            if self._mind is None:
                self._mind = self._opens()
            return self._mind

    def close(self) -> None:
        with self._lock:
            if self._mind is not None:
                self._mind.close()


class Warmer:
    """Opens the store and loads the model in the background, once the client has its handshake."""

    def __init__(self, mind: Late) -> None:
        self._mind = mind
        self._thread = threading.Thread(target=self._warm, name="warming up", daemon=True)

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        if ctx.method not in _HANDSHAKE and self._thread.ident is None:
            self._thread.start()
        return await call_next(ctx)

    def join(self) -> bool:
        """Whether it is done."""
        if self._thread.ident is not None:
            self._thread.join(_PATIENCE_SECONDS)
        return not self._thread.is_alive()

    def _warm(self) -> None:
        try:
            mind = self._mind()
            if not mind.embedder.name.startswith("openai:"):  # nobody asked to send anything anywhere
                mind.recall("hello", track=False)
        except RecollectError as error:
            logger.warning("%s", error)


def serve(pipes: Pipes, lines: Lines, opens: Callable[[], Recollect], caller: Caller) -> None:
    """Until the client hangs up, or the system says to stop."""
    mind = Late(opens)
    warmer = Warmer(mind)
    server = build(Desks(mind, lambda ctx: caller))
    server.middleware.append(warmer)
    asyncio.run(_run(server, lines, Out(pipes, lines)))
    done = warmer.join()
    mind.close()
    if not done or _somebody_hangs():
        os._exit(0)  # a thread that hangs in a read or a model must not keep the process


async def _run(server: Server[Any], lines: Lines, out: Out) -> None:
    with anyio.CancelScope() as scope:
        _stop_on_signals(scope)
        try:
            async with stdio_server(cast(Any, lines), cast(Any, out)) as (incoming, outgoing):
                await server.run(incoming, outgoing, server.create_initialization_options())
        except* OSError as lost:  # the client is gone
            logger.warning("the client hung up: %s", lost.exceptions[0])


def _stop_on_signals(scope: anyio.CancelScope) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(scope.cancel) and None)


def _somebody_hangs() -> bool:
    here = threading.main_thread()
    return any(thread is not here and thread.is_alive() and not thread.daemon for thread in threading.enumerate())
