"""uvicorn's connections with two additions: a time limit for headers, and problem documents for invalid HTTP."""

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
        answer = problem(400, msg, headers={"Connection": "close"})
        start = h11.Response(status_code=400, headers=answer.raw_headers, reason=b"Bad Request")
        for event in (start, h11.Data(data=bytes(answer.body)), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _wait(self) -> None:
        """Starts the time limit, once per request: later bytes do not extend it."""
        if self._waiting is None:
            self._waiting = self.loop.call_later(self.header_seconds, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


def connections(header_seconds: float) -> type[asyncio.Protocol]:
    """A class of connections with this time limit for the headers of a request."""
    return type("Connection", (Connection,), {"header_seconds": header_seconds})
