"""A running server: its socket, its first key, its end."""

from __future__ import annotations

import contextlib
import signal
import socket
from collections.abc import Iterator
from types import FrameType

import uvicorn

from ...recollect import Recollect
from ..keys import Key, Keys
from . import logs
from .app import make_app
from .connections import connections
from .options import Options
from .sessions import Tickets, now

OWNER = "owner"
BACKLOG = 2048
LONGEST_HEADERS = 64 * 1024


def listen(options: Options) -> socket.socket:
    """The socket, taken before anything else is done. Raises OSError when somebody else has it."""
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    taken = socket.create_server((options.host.strip("[]"), options.port), family=family, backlog=BACKLOG)
    # connections inherit it; asyncio does not set it on sockets made like this, and each answer would take 40 ms more
    taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return taken


def address(options: Options, port: int) -> str:
    """Where a browser on this machine finds it."""
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(options.host.strip("[]"), options.host)
    return f"http://{f'[{host}]' if ':' in host and not host.startswith('[') else host}:{port}"


def first_key(mind: Recollect) -> tuple[Key, str] | None:
    """The owner's key, where no key opens anything yet."""
    keys = Keys(mind)
    if any(key.is_live(now()) for key in keys.list()):
        return None
    return keys.add(OWNER, namespace=mind.namespace, role="admin", trust="user")


def page_key(mind: Recollect) -> Key | None:
    """The key that a link to the page stands for: the owner's, or else the oldest that may do everything here."""
    live = [key for key in Keys(mind).list() if key.is_live(now()) and key.role == "admin"]
    fit = [key for key in live if key.caller().scope.admits(mind.namespace)]
    return min(fit, key=lambda key: (key.name != OWNER, key.created_at), default=None)


def link(mind: Recollect, options: Options, at: str) -> str | None:
    """A link that opens the page once; None where no key could stand behind it."""
    key = page_key(mind)
    return None if key is None else f"{at}/open?ticket={Tickets(mind, options.ticket_seconds).make(key)}"


class Server(uvicorn.Server):
    """Ends on SIGINT and SIGTERM when the requests under way have their answers, and leaves the rest to its caller:
    uvicorn would raise the signal again, before the store could be closed."""

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
    """Serves until a signal comes, and says which."""
    server = Server(settings(mind, options))
    server.run(sockets=[taken])
    return server.signal
