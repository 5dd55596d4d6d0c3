"""The early answer to the handshake is exactly the SDK's."""

import asyncio
import io
import json

import anyio
import pytest
from mcp.server.stdio import stdio_server
from mcp_client import OPENING, Server, calling
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from recollect.serve.mcp.greeting import LATER_VERSIONS, VERSIONS, greeting
from recollect.serve.mcp.server import Backend, build


def opening(**changes):
    return {**OPENING, "params": {**OPENING["params"], **changes}}


def discovering(version=LATER_VERSIONS[0], **changes):
    known = {"protocolVersion": version, "clientInfo": {"name": "test", "version": "1"}, "clientCapabilities": {}}
    meta = {f"io.modelcontextprotocol/{name}": value for name, value in {**known, **changes}.items()}
    return {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": meta}}


def test_it_knows_the_versions_that_the_sdk_knows():
    assert VERSIONS == tuple(HANDSHAKE_PROTOCOL_VERSIONS)
    assert LATER_VERSIONS == tuple(MODERN_PROTOCOL_VERSIONS)


@pytest.mark.parametrize("asked", [*(opening(protocolVersion=version) for version in VERSIONS), discovering()])
def test_the_answer_is_the_sdks(asked, mind):
    assert greeting(json.dumps(asked)) == asyncio.run(_by_the_sdk(asked, mind))


async def _by_the_sdk(asked, mind):
    lines, said = io.StringIO(json.dumps(asked) + "\n"), io.StringIO()
    server = build(Backend(lambda: mind, lambda ctx: None))
    async with stdio_server(anyio.wrap_file(lines), anyio.wrap_file(said)) as streams:
        await server.run(*streams, server.create_initialization_options())
    return json.loads(said.getvalue())


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_is_greeted_once_and_served_after(version, command, environment):
    with Server(command, environment) as server:
        server.tell(opening(protocolVersion=version), {"jsonrpc": "2.0", "method": "notifications/initialized"})
        server.tell(calling(2, "stats"))
        assert server.hear(1)["result"]["protocolVersion"] == version
        assert server.hear(2)["result"]["content"]
    assert [json.loads(line)["id"] for line in server.lines] == [1, 2]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "nonsense",
        "[" * 9999,
        json.dumps(opening(protocolVersion="2030-01-01")),
        json.dumps(opening(protocolVersion=None)),
        json.dumps(opening(capabilities=[])),
        json.dumps(opening(clientInfo={"name": "x"})),
        json.dumps({**OPENING, "id": None}),
        json.dumps({**OPENING, "params": None}),
        json.dumps({**OPENING, "id": True}),
        json.dumps(discovering("2030-01-01")),
        json.dumps(discovering(clientInfo=None)),
        json.dumps({**OPENING, "method": "tools/list"}),
    ],
)
def test_other_handshakes_are_left_to_the_sdk(line):
    assert greeting(line) is None


def test_a_client_that_discovers_is_greeted_once_and_served_after(command, environment):
    with Server(command, environment) as server:
        asked = discovering()
        call = calling(2, "stats")
        server.tell(asked, {**call, "params": {**call["params"], **asked["params"]}})
        assert server.hear(1)["result"]["supportedVersions"] == list(LATER_VERSIONS)
        assert server.hear(2)["result"]["structuredContent"]["memories"] == 0
    assert [json.loads(line)["id"] for line in server.lines] == [1, 2]


def test_a_version_it_does_not_know_is_answered_by_the_sdk(command, environment):
    with Server(command, environment) as server:
        answer = server.ask(opening(protocolVersion="2030-01-01"))
    assert answer["result"]["protocolVersion"] == VERSIONS[-1] and len(server.lines) == 1
