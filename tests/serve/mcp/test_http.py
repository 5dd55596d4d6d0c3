"""MCP at /mcp: the key of each request determines the caller."""

import asyncio
import json
from contextlib import asynccontextmanager

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_client import OPENING, calling, check, drive
from rest_server import running_server

from recollect.serve.keys import Keys

ACCEPTED = {"Accept": "application/json, text/event-stream"}


@pytest.fixture
def server(mind):
    with running_server(mind) as running:
        yield running


@asynccontextmanager
async def wire(server, key):
    """The official client's transport with a key."""
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}) as http:
        async with streamable_http_client(f"{server.url}/mcp", http_client=http) as streams:
            yield streams


def ask(server, message, key="", **headers):
    return server.ask("POST", "/mcp", message, key=key, **ACCEPTED, **headers)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_remembers_recalls_and_supersedes(mode, server):
    check(*drive(wire(server, server.key("write")), mode))


def test_without_a_valid_key_nothing_is_answered(server, mind):
    for key in (None, "rk_wrong", "rk_000000000000_" + "a" * 43):
        refused = ask(server, OPENING, key)
        assert refused.status == 401 and refused.headers["content-type"] == "application/problem+json"
    assert server.ask("POST", "/mcp", OPENING, key=None, Authorization="Basic YTpi", **ACCEPTED).status == 401


def test_a_key_that_is_revoked_is_refused_at_the_next_request(server, mind):
    key, token = Keys(mind).add("gone", namespace="default", role="read")
    assert ask(server, OPENING, token).status == 200
    Keys(mind).revoke(key.id)
    assert ask(server, OPENING, token).status == 401


def test_two_keys_over_one_connection_see_their_own(server, mind):
    mind.remember("ours is the red one", namespace="acme/a")
    mind.remember("theirs is the blue one", namespace="acme/b")
    for place, word in (("acme/a", "red"), ("acme/b", "blue")):
        said = ask(server, calling(1, "recall", query="which one is it?"), server.key("read", place))
        assert said.status == 200
        found = said.json["result"]["structuredContent"]
        assert len(found["hits"]) == 1 and word in found["memories"]


def test_a_read_key_is_offered_only_tools_that_read(server):
    async def offered(key):
        async with Client(wire(server, key)) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    assert asyncio.run(offered(server.key("read"))) == {"recall", "get", "list", "context", "profile"}
    assert len(asyncio.run(offered(server.key("write")))) == 12
    refused = ask(server, calling(1, "remember", text="x"), server.key("read")).json["result"]
    assert refused["isError"] and "role" in refused["content"][0]["text"]


def test_only_post_is_answered(server):
    for method in ("GET", "DELETE", "PUT"):
        assert server.ask(method, "/mcp", **ACCEPTED).status == 405


def test_bad_bodies_are_refused(server):
    for body in (b"", b"{", b"[]", b"\xff", b'{"jsonrpc": "2.0"}', b"[" * 50_000):
        assert 400 <= ask(server, body).status < 500


def test_a_page_of_another_site_is_refused(server):
    assert ask(server, OPENING, Origin="https://evil.example").status == 403
    assert ask(server, OPENING, Host="evil.example").status in (400, 403, 421)


def test_no_session_is_handed_out_that_could_be_stolen(server):
    said = ask(server, OPENING)
    assert "mcp-session-id" not in said.headers and json.loads(said.body)["result"]["serverInfo"]["name"] == "recollect"
