"""What a server allows, and where it listens."""

from __future__ import annotations

from dataclasses import dataclass

LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    host: str = "127.0.0.1"
    port: int = 7411
    allowed_hosts: tuple[str, ...] = ()
    """Names it answers to besides the loopback's and the one it listens on."""
    open_metrics: bool = False
    """Whether /metrics needs no key, and then shows the whole store."""
    most_body_bytes: int = 8 * 1024 * 1024
    deepest_json: int = 64
    body_seconds: float = 30.0
    """How long a client may take to send a body."""
    header_seconds: float = 15.0
    """How long a connection may take to send its first request's headers."""
    requests_per_second: float = 200.0
    """Of one key, over time …"""
    request_burst: int = 400
    """… and at once."""
    most_connections: int = 512
    keep_alive_seconds: int = 15
    shutdown_seconds: int = 20
    ticket_seconds: int = 300
    session_hours: float = 12.0

    @property
    def names(self) -> tuple[str, ...]:
        """The host names it answers to."""
        return tuple(name.lower() for name in (*LOOPBACK, self.host.strip("[]"), *self.allowed_hosts))

    @property
    def is_loopback(self) -> bool:
        return self.host.strip("[]") in LOOPBACK or self.host.startswith("127.")
