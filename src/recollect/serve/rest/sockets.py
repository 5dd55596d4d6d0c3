"""Where a server listens. Nothing else is loaded for it, so that a port in use is found out at once."""

from __future__ import annotations

import socket

from .options import Options

BACKLOG = 2048


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
