"""The settings of a server: where it listens, and its limits."""

from __future__ import annotations

from dataclasses import dataclass

LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    host: str = "127.0.0.1"
    port: int = 7411
    allowed_hosts: tuple[str, ...] = ()
    """Host names it answers to, besides loopback names and its own address."""
    open_metrics: bool = False
    """Whether /metrics needs no key. It then covers the whole store."""
    most_body_bytes: int = 8 * 1024 * 1024
    deepest_json: int = 64
    body_seconds: float = 30.0
    """How long a client may take to send a body."""
    header_seconds: float = 15.0
    """How long a connection may take to send its first request's headers."""
    requests_per_second: float = 200.0
    """The average rate that one key may reach."""
    request_burst: int = 400
    """How many requests one key may send at once."""
    most_at_once: int = 8
    """How many requests are worked on at once. One key has at most half of them."""
    most_waiting: int = 256
    """How many requests of one key may wait for their turn."""
    most_connections: int = 512
    keep_alive_seconds: int = 15
    shutdown_seconds: int = 20
    login_link_seconds: int = 300
    """How long a login link stays valid."""
    session_hours: float = 12.0

    @property
    def names(self) -> tuple[str, ...]:
        """All host names it answers to."""
        return tuple(name.lower() for name in (*LOOPBACK, self.host.strip("[]"), *self.allowed_hosts))

    @property
    def is_loopback(self) -> bool:
        return self.host.strip("[]") in LOOPBACK or self.host.startswith("127.")
