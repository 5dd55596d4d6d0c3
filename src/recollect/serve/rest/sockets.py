"""Opens the server's socket. Imports little, so that a port in use is reported at once."""

from __future__ import annotations

import socket

from .options import Options

BACKLOG = 2048


def listen(options: Options) -> socket.socket:
    """A listening socket. Raises OSError when the port is in use."""
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    taken = socket.create_server((options.host.strip("[]"), options.port), family=family, backlog=BACKLOG)
    # connections inherit it; asyncio does not set it on sockets made like this, and answers would take 40 ms longer
    taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return taken


def address(options: Options, port: int) -> str:
    """The URL of the server for a browser on this machine."""
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(options.host.strip("[]"), options.host)
    return f"http://{f'[{host}]' if ':' in host and not host.startswith('[') else host}:{port}"
