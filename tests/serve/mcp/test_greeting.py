"""The early answer to `initialize` is the SDK's own, to the word."""

import asyncio
import json

import pytest
from mcp import Client
from mcp_talking import OPENING, Server, calling
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from recollect.serve.mcp.greeting import VERSIONS, greeting
from recollect.serve.mcp.server import Desks, build


def opening(**changes):
    return {**OPENING, "params": {**OPENING["params"], **changes}}


def test_it_knows_the_versions_that_the_sdk_knows():
    assert VERSIONS == tuple(HANDSHAKE_PROTOCOL_VERSIONS)


def test_it_is_what_the_sdk_would_have_said(mind):
    async def said():
        async with Client(build(Desks(lambda: mind, lambda ctx: None)), mode="legacy") as client:
            return client.session.initialize_result.model_dump(by_alias=True, mode="json", exclude_none=True)

    own = asyncio.run(said())
    assert greeting(json.dumps(opening(protocolVersion=own["protocolVersion"])))["result"] == own


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
        json.dumps({**OPENING, "method": "tools/list"}),
    ],
)
def test_what_is_not_plain_is_left_to_the_sdk(line):
    assert greeting(line) is None


def test_a_version_it_does_not_know_is_answered_by_the_sdk(command, environment):
    with Server(command, environment) as server:
        answer = server.ask(opening(protocolVersion="2030-01-01"))
    assert answer["result"]["protocolVersion"] == VERSIONS[-1] and len(server.lines) == 1
