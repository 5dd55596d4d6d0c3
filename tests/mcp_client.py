"""An MCP client for tests: over pipes with `Server`, or with the official client in `drive`."""

import asyncio
import json
import subprocess
import threading

from mcp import Client

OPENING = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
MOST_SECONDS = 60
"""A server that does not answer is killed after this time."""
OPENED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def calling(number, tool, **arguments):
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


class Server:
    """A server's process and the two pipes to it. Every line it sends is kept."""

    def __init__(self, command, environment):
        self.lines, self.answers = [], {}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
        )
        self.watchdog = threading.Timer(MOST_SECONDS, self.process.kill)
        self.watchdog.start()

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        self.watchdog.cancel()
        self.process.stdin.close()
        self.process.wait(30)
        self.lines += self.process.stdout.readlines()
        self.stderr = self.process.stderr.read().decode()
        self.process.stdout.close()
        self.process.stderr.close()

    def tell(self, *messages):
        for message in messages:
            data = message if isinstance(message, bytes) else json.dumps(message, ensure_ascii=False).encode()
            self.process.stdin.write(data + b"\n")
        self.process.stdin.flush()

    def hear(self, number):
        """The answer to that request; others may come before it."""
        while number not in self.answers:
            line = self.process.stdout.readline()
            assert line, f"no answer: {self.process.stderr.read().decode()}"
            self.lines.append(line)
            message = json.loads(line)
            self.answers[message.get("id")] = message
        return self.answers[number]

    def ask(self, message):
        self.tell(message)
        return self.hear(message["id"])

    def open(self):
        answer = self.ask(OPENING)
        self.tell(OPENED)
        return answer


async def _round(server, mode):
    async with Client(server, mode=mode) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        dark = await client.call_tool("remember", {"text": "Ada prefers dark mode — 暗い 🌑", "tags": ["ui"]})
        first = await client.call_tool("recall", {"query": "which mode does Ada prefer?"})
        old = dark.structured_content["id"]
        newer = await client.call_tool("supersede", {"old": old, "text": "Ada prefers light mode"})
        second = await client.call_tool("recall", {"query": "which mode does Ada prefer?"})
        return tools, old, first, newer, second


def drive(server, mode="auto"):
    """Runs remember → recall → supersede → recall with the official client."""
    return asyncio.run(_round(server, mode))


def check(tools, old, first, newer, second):
    """Checks what `drive` returned."""
    assert len(tools) == 12 and {"remember", "recall", "supersede"} <= set(tools)
    assert [hit["id"] for hit in first.structured_content["hits"]] == [old]
    assert "dark mode — 暗い 🌑" in first.structured_content["memories"]
    new = newer.structured_content["new"]
    assert [hit["id"] for hit in second.structured_content["hits"]][0] == new
    assert "light mode" in second.content[0].text
