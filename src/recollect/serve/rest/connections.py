"""uvicorn's connections, with two additions: a head must arrive in time, and what can't be parsed gets a problem."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from .problems import problem


class Connection(H11Protocol):
    header_seconds = 15.0
    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is None or self.cycle.response_complete:
            self._wait()
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        said = problem(400, msg, headers={"Connection": "close"})
        start = h11.Response(status_code=400, headers=said.raw_headers, reason=b"Bad Request")
        for event in (start, h11.Data(data=bytes(said.body)), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _wait(self) -> None:
        """From the first byte on; more bytes bring no more time."""
        if self._waiting is None:
            self._waiting = self.loop.call_later(self.header_seconds, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


def connections(header_seconds: float) -> type[asyncio.Protocol]:
    """The class of connections that wait so long for the head of a request."""
    return type("Connection", (Connection,), {"header_seconds": header_seconds})
