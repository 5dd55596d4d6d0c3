"""Reads and writes protocol lines on standard input and output, in UTF-8 whatever the locale."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import AsyncIterator, Iterator
from queue import SimpleQueue
from typing import TYPE_CHECKING

from .descriptors import Pipes
from .greeting import ToolSetName, answers, greeting

if TYPE_CHECKING:
    import asyncio

_CHUNK = 1 << 16


class Lines:
    """Incoming lines. It reads from the start, and answers the handshake at once.

    Its threads are daemons: one that waits in a read does not keep the process alive.
    """

    def __init__(self, pipes: Pipes, tools: ToolSetName = "standard") -> None:
        self._pipes, self._tools = pipes, tools
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self.greeted: str | int | None = None
        """The id of the handshake request, if it was answered here."""
        threading.Thread(target=self._listen, name="stdin", daemon=True).start()

    def _listen(self) -> None:
        lines = _whole_lines(self._pipes.incoming)
        for line in lines:
            self._greet(line)
            self._lines.put(line)
            break
        for line in lines:
            self._lines.put(line)
        self._lines.put(None)

    def _greet(self, line: str) -> None:
        reply = greeting(line, self._tools)
        if reply is not None:
            self.greeted = reply["id"]
            write(self._pipes.outgoing, json.dumps(reply, ensure_ascii=False) + "\n")

    async def __aiter__(self) -> AsyncIterator[str]:
        import asyncio

        arriving: asyncio.Queue[str | None] = asyncio.Queue()
        passing = threading.Thread(target=self._pass_on, args=(asyncio.get_running_loop(), arriving), daemon=True)
        passing.start()
        while (line := await arriving.get()) is not None:
            yield line

    def _pass_on(self, loop: asyncio.AbstractEventLoop, arriving: asyncio.Queue[str | None]) -> None:
        line: str | None = ""
        while line is not None:
            line = self._lines.get()
            try:
                loop.call_soon_threadsafe(arriving.put_nowait, line)
            except RuntimeError:  # the event loop is closed, so nobody reads the lines any more
                return


class Out:
    """Outgoing messages, without the SDK's answer to a handshake that was answered already."""

    def __init__(self, pipes: Pipes, lines: Lines) -> None:
        self._descriptor = pipes.outgoing
        self._lines = lines

    async def write(self, text: str) -> None:
        import anyio.to_thread

        if not self._was_sent(text):
            await anyio.to_thread.run_sync(write, self._descriptor, text, abandon_on_cancel=True)

    async def flush(self) -> None:
        """Nothing is buffered."""

    def _was_sent(self, text: str) -> bool:
        number = self._lines.greeted
        if number is None or not answers(text, number):
            return False
        self._lines.greeted = None
        return True


def write(descriptor: int, text: str) -> None:
    left = memoryview(text.encode("utf-8"))
    while left:
        left = left[os.write(descriptor, left) :]


def _whole_lines(descriptor: int) -> Iterator[str]:
    held = b""
    while chunk := os.read(descriptor, _CHUNK):
        *whole, held = (held + chunk).split(b"\n")
        yield from (line.decode("utf-8", "replace") for line in whole)
    if held.strip():
        yield held.decode("utf-8", "replace")
