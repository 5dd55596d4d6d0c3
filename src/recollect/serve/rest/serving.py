"""Runs the server until a signal stops it."""

from __future__ import annotations

import contextlib
import signal
import socket
from collections.abc import Iterator
from types import FrameType

import uvicorn

from ...recollect import Recollect
from . import logs
from .app import make_app
from .connections import connections
from .options import Options

LONGEST_HEADERS = 64 * 1024


class Server(uvicorn.Server):
    """Stops on SIGINT and SIGTERM, after the requests in progress are answered.

    Unlike uvicorn's own it does not raise the signal again, so that its caller can close the store.
    """

    signal: int | None = None

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        handled = (signal.SIGINT, signal.SIGTERM)
        former = {each: signal.signal(each, self._on_signal) for each in handled}
        try:
            yield
        finally:
            for each, handler in former.items():
                signal.signal(each, handler)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.force_exit = self.should_exit and number == signal.SIGINT
        self.should_exit, self.signal = True, number


def settings(mind: Recollect, options: Options) -> uvicorn.Config:
    logs.take_over()
    return uvicorn.Config(
        make_app(mind, options),
        http=connections(options.header_seconds),
        ws="none",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=options.most_connections,
        timeout_keep_alive=options.keep_alive_seconds,
        timeout_graceful_shutdown=options.shutdown_seconds,
        h11_max_incomplete_event_size=LONGEST_HEADERS,
    )


def run(mind: Recollect, options: Options, taken: socket.socket) -> int | None:
    """Serves until a signal stops it. Returns the number of the signal."""
    server = Server(settings(mind, options))
    server.run(sockets=[taken])
    return server.signal
