"""REST, MCP, the client and the command line say everything that a change changed."""

import asyncio
import json

import pytest
from mcp import Client as McpClient
from rest_server import running_server
from typer.testing import CliRunner

from recollect import Client
from recollect.cli.app import app
from recollect.serve.mcp.server import Backend, build
from recollect.serve.scope import Caller, Scope

HOME = "I live in Porto. I work as a nurse."


@pytest.fixture
def said(mind):
    """A turn and the ids of its facts."""
    done = mind.ingest([{"role": "user", "content": HOME}], session_id="a", at="2026-01-10")
    turn, *facts = sorted(done.added, key=lambda memory: memory.granularity != "turn")
    return turn, {fact.id for fact in facts}


@pytest.fixture
def server(mind):
    with running_server(mind) as running:
        yield running


@pytest.mark.parametrize("purge", [False, True])
def test_deleting_over_rest_names_what_went_with_it(mind, said, server, purge):
    turn, facts = said
    answer = server.ask("DELETE", f"/v1/memories/{turn.id}", query={"purge": str(purge).lower()})
    assert answer.json["status"] == "active" and set(answer.json["also_changed"]) == facts
    assert mind.list() == []


def test_a_repeated_request_gets_the_same_answer(said, server):
    turn, facts = said
    path = f"/v1/memories/{turn.id}"
    once, twice = (server.ask("DELETE", path, Idempotency_Key="once").json for _ in range(2))
    assert set(once["also_changed"]) == set(twice["also_changed"]) == facts


def test_restoring_and_updating_over_rest_name_what_changed(said, server):
    turn, facts = said
    forgot = server.ask("POST", "/v1/forget", {"id": turn.id}).json["memories"]
    assert {memory["id"] for memory in forgot} == {turn.id, *facts}
    assert set(server.ask("POST", f"/v1/memories/{turn.id}/restore").json["also_changed"]) == facts
    updated = server.ask("PATCH", f"/v1/memories/{turn.id}", {"text": "I live in Porto."}).json
    assert set(updated["also_changed"]) < facts and len(updated["also_changed"]) == 1


def test_a_preview_over_rest_lists_all_that_would_go(mind, said, server):
    turn, facts = said
    listed = server.ask("POST", "/v1/purge", {"id": turn.id, "preview": True}).json["memories"]
    assert {memory["id"] for memory in listed} == {turn.id, *facts}
    assert len(mind.list()) == 3


def test_the_client_gives_the_same(mind, said, server):
    turn, facts = said
    with Client(server.url, key=server.key()) as client:
        assert {memory.id for memory in client.forget(turn.id)} == {turn.id, *facts}
        assert set(client.restore(turn.id).also_changed) == facts
        assert client.move("default", "default/other", id=turn.id) == 3
        assert client.move("default/other", "default/third", session_id="a") == 3
        assert {memory.id for memory in client.purge(turn.id)} == {turn.id, *facts}
    assert mind.list() == []


def test_a_model_is_told_what_changed_with_a_memory(mind, said):
    turn, facts = said
    caller = Caller(name="mcp", scope=Scope(namespace="default", role="write"))
    server = build(Backend(lambda: mind, lambda ctx: caller))

    async def call(**arguments):
        async with McpClient(server) as client:
            return (await client.call_tool("forget", {"id": turn.id, **arguments})).structured_content

    assert set(asyncio.run(call())["also_changed"]) == facts
    assert set(asyncio.run(call(restore=True))["also_changed"]) == facts


def test_the_command_line_counts_what_changed(mind, path, said):
    turn, facts = said

    def run(*arguments):
        done = CliRunner().invoke(app, [*arguments, "--db", str(path)], prog_name="recollect")
        assert done.exit_code == 0, done.output
        return done.stdout

    assert run("forget", turn.id).strip() == "forgot 3 memories"
    assert run("restore", turn.id).strip() == f"restored {turn.id}: active and 2 memories with it"
    assert set(json.loads(run("purge", turn.id, "--preview", "--json"))["ids"]) == {turn.id, *facts}
    assert "moved 3 memories" in run("namespaces", "move", "default", "other", "--id", turn.id)
    mind.remember("I live in Porto.", at="2026-01-10")
    newer = mind.remember("I moved to Lyon.", at="2026-06-10")
    assert run("forget", newer.id).strip() == "forgot 1 memory; 1 memory changed with it"
