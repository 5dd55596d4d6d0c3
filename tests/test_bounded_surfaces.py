"""How much of a large store does each command, each route and each tool read? Counted by SQLite itself."""

import json
import shlex

import pytest
import typer.main
from large_store import MEMORIES, NAMESPACES, QUESTION, SMALL, id_of
from mcp_client import calling
from rest_server import running_server
from serve.rest.test_scope_matrix import ELSEWHERE, WITHOUT_A_KEY, routes
from test_bounded_reads import FEW, NAMESPACE, SAID, STORE
from typer.testing import CliRunner

from recollect import config
from recollect.cli.app import app
from recollect.serve.mcp.server import TOOLS

pytest_plugins = ["large_fixtures"]

OPENED = 40 * MEMORIES
"""Steps of the first search by vectors after opening, or after a vector was removed: it reads the sketch of every
memory once."""

# Commands -----------------------------------------------------------------------------------------

COMMANDS = {
    "add": ("add 'I live in Porto since May'", FEW),
    "brief": ("brief talk", FEW),
    "chain": ("chain", FEW),
    "contradict": (f"contradict {id_of(400)} {id_of(405)}", FEW),
    "feedback": ("feedback RECALL --outcome helped", FEW),
    "forget": (f"forget {id_of(410)}", FEW),
    "get": (f"get {id_of(5)}", FEW),
    "history": (f"history {id_of(10)}", FEW),
    "ingest": ("ingest FOLDER/talk.json", FEW),
    "keys add": ("keys add reader --role read", FEW),
    "keys list": ("keys list", FEW),
    "keys revoke": ("keys revoke reader", FEW),
    "link": (f"link {id_of(0)} {id_of(415)}", FEW),
    "pin": (f"pin {id_of(420)}", NAMESPACE),
    "purge": (f"purge {id_of(425)} --yes", FEW),
    "recipes explain": ("recipes explain bm25", FEW),
    "recipes show": ("recipes show bm25", FEW),
    "reinforce": (f"reinforce {id_of(430)}", FEW),
    "restore": (f"restore {id_of(410)}", FEW),
    "retention": ("retention", FEW),
    "supersede": (f"supersede {id_of(435)} {id_of(440)}", FEW),
    "undo": ("undo EVENT", FEW),
    "unlink": (f"unlink {id_of(0)} {id_of(415)}", FEW),
    "update": (f"update {id_of(445)} --importance 0.9", FEW),
    "archive": (f"archive {id_of(450)}", FEW),
    "recall": (f"recall {QUESTION!r}", OPENED),
    "list": ("list --limit 10", NAMESPACE),
    "profile": ("profile", NAMESPACE),
    "context": (f"context {QUESTION!r}", NAMESPACE),
    "namespaces move": (f"namespaces move {SMALL} team0/ada/moved", NAMESPACE),
    "consolidate": (f"consolidate --preview --namespace {SMALL}", NAMESPACE),
    "compare": (f"compare {QUESTION!r} --recipe default-fast --recipe bm25", STORE),
    "decay": ("decay", STORE),
    "stats": ("stats", STORE),
    "doctor": ("doctor", STORE),
}
"""Command → how it is typed, and the most steps it may take."""
OTHER_STORES = {"import", "migrate", "recover", "restore-backup", "reembed", "calibrate", "demo", "tend"}
"""They read another store or file, or write all of this one anew. `tend` takes minutes; test_growth.py bounds it."""
READ_ALL = {"check", "export", "backup"}
"""They read every row, by one call of the façade, which is walked there."""
NOT_A_READ = {"serve", "mcp", "trust", "hooks", "partitions", "row-security"}
"""They read no memories of a file by themselves. What a server answers is below."""


def _commands(command, path=()):
    if hasattr(command, "commands"):
        for name, inner in command.commands.items():
            yield from _commands(inner, (*path, name))
    else:
        yield " ".join(path)


def test_every_command_is_walked():
    real = {name for name in _commands(typer.main.get_command(app)) if not name.startswith("bench ")}
    assert {name for name in real if name.split()[0] not in NOT_A_READ} == {*COMMANDS, *OTHER_STORES, *READ_ALL}


@pytest.fixture
def typed(large, monkeypatch):
    """Runs a command on the large store, in this process."""
    mind, counting, folder = large
    monkeypatch.setattr(config, "files", lambda: [])
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "hashing")
    (folder / "talk.json").write_text(json.dumps(SAID), encoding="utf-8")

    def run(line, most):
        if "RECALL" in line:
            line = line.replace("RECALL", mind.recall(QUESTION, recipe="bm25").id)
        if "EVENT" in line:
            line = line.replace("EVENT", mind.history(mind.update(id_of(455), importance=0.8).id)[-1].id)
        if SMALL in line:
            mind.remember("A note that is moved", namespace=SMALL)
        if line.startswith("brief"):
            mind.ingest(SAID, session_id="talk")
        words = shlex.split(line.replace("FOLDER", str(folder)))
        place = () if "--namespace" in words or words[0] in ("keys", "recipes") else ("--namespace", NAMESPACES[0])
        with counting.read(most) as read:
            done = CliRunner().invoke(app, [*words, "--db", mind.url, *place], prog_name="recollect")
        assert done.exit_code == 0, (done.output, done.exception)
        return read

    return run


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_reads_no_more_than_its_bound(name, typed):
    line, most = COMMANDS[name]
    assert typed(line, most).steps <= most


# Routes -------------------------------------------------------------------------------------------

WORDS = QUESTION.replace(" ", "+")
ONE, TWO, THREE = (f"/v1/memories/{id_of(n)}" for n in (500, 505, 510))
ROUTES = {
    "POST /v1/memories": ("/v1/memories", {"text": "I work at Globex"}, FEW),
    "POST /v1/memories/batch": ("/v1/memories/batch", {"items": [{"text": "Tea at five"}]}, FEW),
    "GET /v1/memories/{id}": (ONE, None, FEW),
    "PATCH /v1/memories/{id}": (ONE, {"importance": 0.9}, FEW),
    "DELETE /v1/memories/{id}": (TWO, None, FEW),
    "POST /v1/memories/{id}/restore": (f"{TWO}/restore", None, FEW),
    "POST /v1/memories/{id}/pin": (f"{ONE}/pin", {"pinned": True}, NAMESPACE),
    "POST /v1/memories/{id}/reinforce": (f"{ONE}/reinforce", None, FEW),
    "POST /v1/memories/{id}/supersede": (f"{THREE}/supersede", {"by": id_of(515)}, FEW),
    "GET /v1/memories/{id}/history": (f"{ONE}/history", None, FEW),
    "GET /v1/memories/{id}/recalls": (f"{ONE}/recalls", None, FEW),
    "GET /v1/memories/{id}/links": (f"{ONE}/links", None, FEW),
    "POST /v1/memories/{id}/links": (f"{ONE}/links", {"to": id_of(520), "kind": "supports"}, FEW),
    "DELETE /v1/memories/{id}/links/{other}": (f"{ONE}/links/{id_of(520)}", None, FEW),
    "POST /v1/recall": ("/v1/recall", {"query": QUESTION}, OPENED),
    "POST /v1/recall/batch": ("/v1/recall/batch", {"queries": [{"query": QUESTION}]}, OPENED),
    "POST /v1/feedback": ("/v1/feedback", {"recall_id": "RECALL", "outcome": "helped"}, FEW),
    "POST /v1/ingest": ("/v1/ingest", {"messages": SAID}, FEW),
    "POST /v1/ingest/batch": ("/v1/ingest/batch", {"conversations": [{"messages": SAID}]}, FEW),
    "POST /v1/events/{id}/undo": ("/v1/events/EVENT/undo", None, FEW),
    "POST /v1/archive": ("/v1/archive", {"namespace": SMALL}, NAMESPACE),
    "POST /v1/forget": ("/v1/forget", {"namespace": SMALL}, NAMESPACE),
    "POST /v1/purge": ("/v1/purge", {"namespace": SMALL}, NAMESPACE),
    "POST /v1/namespaces/move": ("/v1/namespaces/move", {"from": SMALL, "to": "team0/ada/other"}, NAMESPACE),
    "GET /v1/memories": ("/v1/memories?limit=10", None, NAMESPACE),
    "POST /v1/context": ("/v1/context", {"query": QUESTION}, NAMESPACE),
    "GET /v1/profile": ("/v1/profile", None, NAMESPACE),
    "GET /v1/stats": ("/v1/stats", None, NAMESPACE),
    "GET /v1/sessions": ("/v1/sessions", None, FEW),
    "GET /v1/conversation": ("/v1/conversation?session_id=TALK", None, FEW),
    "POST /v1/consolidate": ("/v1/consolidate", {"namespace": SMALL, "preview": True}, NAMESPACE),
    "POST /v1/compare": ("/v1/compare", {"query": QUESTION, "recipes": ["bm25", "vector"]}, STORE),
    "POST /v1/decay": ("/v1/decay", {}, STORE),
    "GET /v1/audit": ("/v1/audit?limit=10", None, FEW),
    "GET /v1/changes": ("/v1/changes?limit=10", None, FEW),
    "GET /v1/recalls": ("/v1/recalls", None, FEW),
    "GET /v1/recalls/days": ("/v1/recalls/days", None, FEW),
    "GET /v1/recalls/{id}": ("/v1/recalls/RECALL", None, FEW),
    "GET /v1/graph": (f"/v1/graph?name={WORDS}", None, NAMESPACE),
    "GET /v1/matching": (f"/v1/matching?words={WORDS}", None, NAMESPACE),
    "POST /v1/change": ("/v1/change", {"ids": [id_of(530)], "action": "tag", "add_tags": ["seen"]}, FEW),
    "GET /v1/keys": ("/v1/keys", None, FEW),
    "POST /v1/keys": ("/v1/keys", {"name": "build server", "role": "read"}, FEW),
    "POST /v1/import": ("/v1/import", {"name": "a.txt", "content": "# Tea\n\nAt five.", "preview": True}, STORE),
    "GET /v1/backups": ("/v1/backups", None, FEW),
    "GET /v1/export": (f"/v1/export?namespace={SMALL}", None, STORE),
    "GET /v1/namespaces": ("/v1/namespaces", None, STORE),
    "GET /v1/recipes": ("/v1/recipes", None, FEW),
    "GET /v1/recipes/{name}": ("/v1/recipes/bm25", None, FEW),
    "GET /v1/session": ("/v1/session", None, FEW),
    "GET /metrics": ("/metrics", None, STORE),
    "GET /healthz": ("/healthz", None, FEW),
    "GET /readyz": ("/readyz", None, FEW),
}
"""Route → its path, what is sent, and the most steps it may take."""
JOBS = {"POST /v1/check", "POST /v1/backups", "GET /v1/jobs/{id}", "DELETE /v1/keys/{id}"}
"""They run after the answer, by calls of the façade that are walked in test_bounded_reads.py, or need one."""
UNREAD = {"DELETE /v1/session", "POST /v1/tend", *JOBS, *WITHOUT_A_KEY, *ELSEWHERE} - set(ROUTES)
"""They read no memories: logging in and out, and files. `tend` takes minutes here; test_growth.py bounds it."""


@pytest.fixture(scope="module")
def server(large):
    with running_server(large[0]) as running:
        assert running.ask("GET", "/healthz", key=None).status == 200
        running.app.state.services.model.join()  # it reads the store
        running.key()
        yield running


def test_every_route_is_walked(server):
    assert routes(server.app) == {*ROUTES, *UNREAD}


@pytest.mark.parametrize("name", ROUTES)
def test_a_route_reads_no_more_than_its_bound(name, large, server):
    mind, counting, _ = large
    path, body, most = ROUTES[name]
    if "EVENT" in path:
        path = path.replace("EVENT", mind.history(mind.update(id_of(525), importance=0.8).id)[-1].id)
    if "RECALL" in path:
        path = path.replace("RECALL", mind.recall(QUESTION, recipe="bm25").id)
    if body and body.get("recall_id"):
        body = {**body, "recall_id": mind.recall(QUESTION, recipe="bm25").id}
    if "TALK" in path:
        path = path.replace("TALK", "told")
        mind.ingest(SAID, session_id="told")
    if SMALL in (body or {}).values():
        mind.remember("A note that goes", namespace=SMALL)
    with counting.read(most) as read:
        answer = server.ask(name.split()[0], path, body)
    assert answer.status < 300, (answer.status, answer.body)
    assert read.steps <= most


# Tools --------------------------------------------------------------------------------------------

ACCEPTED = {"Accept": "application/json, text/event-stream", "MCP_Protocol_Version": "2025-06-18"}
CALLED = {
    "remember": ({"text": "I play the oboe"}, FEW),
    "recall": ({"query": QUESTION}, OPENED),
    "get": ({"id": id_of(600)}, FEW),
    "update": ({"id": id_of(600), "importance": 0.7}, FEW),
    "supersede": ({"old": id_of(605), "new": id_of(610)}, FEW),
    "forget": ({"id": id_of(615)}, FEW),
    "link": ({"a": id_of(600), "b": id_of(620)}, FEW),
    "ingest": ({"messages": SAID, "session_id": "by a tool"}, FEW),
    "feedback": ({"recall_id": "RECALL", "used": [], "outcome": "helped"}, FEW),
    "context": ({"query": QUESTION}, NAMESPACE),
    "profile": ({}, NAMESPACE),
    "stats": ({}, NAMESPACE),
    "compare": ({"query": QUESTION, "recipes": ["bm25", "vector"]}, STORE),
    "list": ({"limit": 5}, NAMESPACE),
}
"""Tool → its arguments, and the most steps it may take."""


def test_every_tool_is_walked():
    assert set(TOOLS) == set(CALLED)


@pytest.mark.parametrize("name", CALLED)
def test_a_tool_reads_no_more_than_its_bound(name, large, server):
    mind, counting, _ = large
    arguments, most = CALLED[name]
    if "recall_id" in arguments:
        arguments = {**arguments, "recall_id": mind.recall(QUESTION, recipe="bm25").id}
    with counting.read(most) as read:
        answer = server.ask("POST", "/mcp", calling(1, name, **arguments), **ACCEPTED)
    assert answer.status == 200 and b'"isError":true' not in answer.body.replace(b" ", b""), answer.body
    assert read.steps <= most
