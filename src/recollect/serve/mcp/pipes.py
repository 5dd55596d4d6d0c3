"""The two ends of the protocol on standard input and output, in UTF-8 whatever the locale."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Iterator

import anyio.to_thread

_CHUNK = 1 << 16


class Lines:
    """What comes in, line by line. Its thread may wait for ever: it holds nobody up."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()

    def __aiter__(self) -> AsyncIterator[str]:
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, args=(loop,), name="stdin", daemon=True).start()
        return self._all()

    async def _all(self) -> AsyncIterator[str]:
        while (line := await self._lines.get()) is not None:
            yield line

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            for line in self._whole_lines():
                loop.call_soon_threadsafe(self._lines.put_nowait, line)
            loop.call_soon_threadsafe(self._lines.put_nowait, None)
        except RuntimeError:  # the loop is gone, and with it anybody who listens
            return

    def _whole_lines(self) -> Iterator[str]:
        held = b""
        while chunk := os.read(self._descriptor, _CHUNK):
            *whole, held = (held + chunk).split(b"\n")
            yield from (line.decode("utf-8", "replace") for line in whole)
        if held.strip():
            yield held.decode("utf-8", "replace")


class Out:
    """What goes out."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    async def write(self, text: str) -> None:
        await anyio.to_thread.run_sync(self._write, text.encode("utf-8"), abandon_on_cancel=True)

    async def flush(self) -> None:
        """Nothing is held back."""

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[os.write(self._descriptor, left) :]
