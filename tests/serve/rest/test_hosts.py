"""A web page of another site must not reach a server on this machine."""

import pytest
from rest_server import running_server

from recollect import Recollect


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "", "127.0.0.1@x"]
)
def test_another_host_name_is_refused(server, host):
    said = server.ask("GET", "/healthz", Host=host)
    assert said.status == 421
    assert said.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST:7411", "[::1]:7411"])
def test_the_names_of_this_machine_are_answered(server, host):
    assert server.ask("GET", "/healthz", Host=host).status == 200


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1:1", "file://", "http://localhost"]
)
@pytest.mark.parametrize("path", ["/v1/stats", "/", "/mcp", "/healthz", "/inspector/dom.js"])
def test_another_origin_is_refused_everywhere(server, origin, path):
    assert server.ask("GET", path, Origin=origin).status == 403


def test_the_servers_own_origin_is_answered(server):
    assert server.ask("GET", "/v1/stats", Origin=server.url).status == 200


def test_no_answer_invites_other_origins(server):
    for said in (server.ask("GET", "/v1/stats", Origin=server.url), server.ask("GET", "/healthz")):
        assert not [name for name in said.headers if name.lower().startswith("access-control-")]
        assert said.headers["cross-origin-resource-policy"] == "same-origin"


def test_names_that_were_allowed_are_answered_too(path):
    with Recollect(path, embedder="hashing") as mind, running_server(mind, allowed_hosts=("memory.example",)) as server:
        assert server.ask("GET", "/healthz", Host="memory.example").status == 200
        assert (
            server.ask("GET", "/healthz", Host="Memory.Example:443", Origin="https://memory.example:443").status == 200
        )
        assert server.ask("GET", "/healthz", Host="other.example").status == 421
