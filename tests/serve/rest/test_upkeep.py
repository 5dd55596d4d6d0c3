"""Keys, files, checks and backups over HTTP: who may, and what happens."""

import json
from pathlib import Path

import pytest
from rest_server import running_server

from recollect import Recollect

HOME = "acme/ada"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    path = tmp_path_factory.mktemp("upkeep") / "agent.db"
    with Recollect(path, embedder="hashing", namespace="acme") as mind, running_server(mind) as server:
        yield server


def finished(server, started, **who):
    """The job, once it has ended."""
    assert started.status == 202, started.body
    job = started.json
    while job["state"] == "running":
        job = server.ask("GET", f"/v1/jobs/{job['id']}", **who).json
    return job


def imported(server, name, content, **more):
    key = more.pop("key", None) or server.key("admin", HOME)
    return finished(
        server, server.ask("POST", "/v1/import", {"name": name, "content": content, **more}, key=key), key=key
    )


def test_a_new_key_works_at_once_only_where_it_should_and_until_it_is_revoked(server):
    admin = server.key("admin", HOME)
    body = {"name": "build server", "role": "read", "namespace": f"{HOME}/build"}
    made = server.ask("POST", "/v1/keys", body, key=admin).json
    token = made["token"]
    assert server.ask("GET", "/v1/session", key=token).json["namespace"] == f"{HOME}/build"
    assert server.ask("POST", "/v1/memories", {"text": "x"}, key=token).status == 403
    assert server.ask("GET", "/v1/memories", query={"namespace": HOME}, key=token).status == 403
    listed = server.ask("GET", "/v1/keys", key=admin)
    assert "build server" in {key["name"] for key in listed.json["keys"]} and token.encode() not in listed.body
    assert server.ask("DELETE", f"/v1/keys/{made['key']['id']}", key=admin).status == 200
    assert server.ask("GET", "/v1/session", key=token).status == 401
    assert "build server" not in {key["name"] for key in server.ask("GET", "/v1/keys", key=admin).json["keys"]}


def test_a_key_can_neither_see_nor_revoke_nor_make_keys_beyond_its_namespace(server):
    admin, other = server.key("admin", HOME), server.key("admin", "acme/bob")
    theirs = server.ask("POST", "/v1/keys", {"name": "of bob"}, key=other).json["key"]["id"]
    assert "of bob" not in server.ask("GET", "/v1/keys", key=admin).body.decode()
    assert server.ask("DELETE", f"/v1/keys/{theirs}", key=admin).status == 404
    assert server.ask("POST", "/v1/keys", {"name": "x", "namespace": "acme"}, key=admin).status == 403
    own = next(key["id"] for key in server.ask("GET", "/v1/keys", key=admin).json["keys"] if key["namespace"] == HOME)
    assert server.ask("DELETE", f"/v1/keys/{own}", key=admin).status == 422


@pytest.mark.parametrize("role", ["read", "write"])
def test_upkeep_needs_an_admin_key(server, role):
    key = server.key(role, HOME)
    for method, path, body in (
        ("GET", "/v1/keys", None),
        ("DELETE", "/v1/keys/abc", None),
        ("POST", "/v1/import", {"name": "a.txt", "content": "x"}),
        ("POST", "/v1/check", None),
        ("POST", "/v1/backups", None),
        ("GET", "/v1/backups", None),
        ("GET", "/v1/export", None),
    ):
        assert server.ask(method, path, body, key=key).status == 403, path


def test_an_import_says_before_what_it_would_add_and_stays_in_the_namespace_of_the_key(server):
    lines = "\n".join(json.dumps({"text": f"Fact {n}", "namespace": "globex"}) for n in range(3)) + "\nnot JSON\n"
    before = server.mind.namespaces()
    job = imported(server, "facts.jsonl", lines, preview=True)
    assert (job["state"], job["result"]["added"], job["result"]["skipped"]) == ("done", 3, 1), job
    assert server.mind.namespaces() == before
    assert imported(server, "facts.jsonl", lines)["state"] in ("done", "failed")
    assert "globex" not in server.mind.namespaces()
    assert imported(server, "picture.png", "x")["state"] == "failed"


def test_an_import_goes_where_the_key_may_write_and_names_what_it_made(server):
    line = json.dumps({"text": "Gulls nest on the roof"})
    found = imported(server, "gulls.csv.jsonl", f"{line}\n{{}}\n", namespace=f"{HOME}/roof", preview=True)["result"]
    assert (found["examples"], found["ids"]) == (["Gulls nest on the roof"], [])
    assert found["broken"][0]["where"].startswith("gulls.csv.jsonl, line 2")
    (made,) = imported(server, "gulls.jsonl", line, namespace=f"{HOME}/roof")["result"]["ids"]
    assert server.mind.get(made).namespace == f"{HOME}/roof"
    elsewhere = {"name": "a.jsonl", "content": line, "namespace": "acme/bob"}
    assert server.ask("POST", "/v1/import", elsewhere, key=server.key("admin", HOME)).status == 403


def test_two_files_of_notes_are_two_imports_each_under_its_own_name(server):
    place = f"{HOME}/notes"
    for name, content in (("bread.md", "# Bread\nFlour and water"), ("../..\x00/jam?.txt", "Quinces and sugar")):
        found = imported(server, name, content, namespace=place)["result"]
        assert (found["added"], found["known"]) == (1, 0), found
    assert imported(server, "bread.md", "# Bread\nFlour and water", namespace=place)["result"]["known"] == 1
    held = {(memory.source or "").split("/")[0]: memory.text for memory in server.mind.list(namespace=place)}
    assert held == {"note:bread.md": "# Bread\nFlour and water", "note:jam_.md": "Quinces and sugar"}


def test_a_list_says_how_many_lines_it_has_and_is_imported_by_them(server):
    place, content = f"{HOME}/list", "- Rye bread\n- Quince jelly\nand tea\n"
    whole = imported(server, "food.txt", content, namespace=place, preview=True)["result"]
    assert (whole["added"], whole["lines"], whole["list"]) == (1, 3, True)
    found = imported(server, "food.txt", content, namespace=place, lines=True)["result"]
    assert [server.mind.get(id).text for id in found["ids"]] == ["Rye bread", "Quince jelly", "and tea"]
    assert server.mind.get(found["ids"][0]).metadata["file"] == "food.txt"
    assert imported(server, "tea.csv", "text\nTea is at four\n", preview=True)["result"]["lines"] == 0


def test_an_export_of_one_place_comes_back_and_one_from_elsewhere_is_refused(server):
    key = server.key("admin", HOME)
    server.ask("POST", "/v1/memories", {"text": "Ada keeps bees", "namespace": HOME}, key=key)
    server.mind.remember("Bob keeps goats", namespace="acme/bob")
    said = server.ask("GET", "/v1/export", key=key)
    assert said.status == 200 and b"Ada keeps bees" in said.body and b"goats" not in said.body
    assert "attachment" in said.headers["Content-Disposition"]
    assert imported(server, "memories.jsonl", said.body.decode(), preview=True)["result"]["added"] == 0
    whole = server.ask("GET", "/v1/export").body.decode()
    assert "outside" in imported(server, "memories.jsonl", whole)["error"]


def test_checks_and_backups_are_for_the_owner(server):
    below = server.key("admin", HOME)
    assert {server.ask("POST", path, key=below).status for path in ("/v1/check", "/v1/backups")} == {403}
    found = finished(server, server.ask("POST", "/v1/check"))
    assert found["state"] == "done" and found["result"]["findings"] == [] and found["result"]["advice"]
    made = finished(server, server.ask("POST", "/v1/backups"))["result"]
    listed = server.ask("GET", "/v1/backups").json
    assert [each["name"] for each in listed["backups"]] == [made["name"]]
    with Recollect(Path(listed["folder"]) / made["name"], embedder="hashing", namespace="acme") as copy:
        assert copy.stats().memories == server.mind.stats().memories


def test_a_job_is_shown_only_to_who_started_it(server):
    job = finished(server, server.ask("POST", "/v1/check"))
    assert server.ask("GET", f"/v1/jobs/{job['id']}", key=server.key("admin", HOME)).status == 404


def test_a_reader_sees_only_what_they_asked_themselves(server):
    server.mind.remember("Ada sails a boat", namespace=HOME)
    reader, writer, admin = (server.key(role, HOME) for role in ("read", "write", "admin"))
    for key, query in ((reader, "what does Ada sail?"), (writer, "which boat?")):
        server.ask("POST", "/v1/recall", {"query": query}, key=key)

    def asked(key, **query):
        return [each["query"] for each in server.ask("GET", "/v1/recalls", query=query, key=key).json["recalls"]]

    assert asked(reader) == ["what does Ada sail?"]
    assert asked(admin, limit=2) == ["which boat?", "what does Ada sail?"]
    assert asked(admin, text="BOAT") == ["which boat?"]
    theirs = server.ask("GET", "/v1/recalls", query={"text": "boat"}, key=admin).json["recalls"][0]
    assert theirs["ms"] > 0
    assert server.ask("GET", f"/v1/recalls/{theirs['id']}", key=reader).status == 403
    assert server.ask("GET", "/v1/recalls", query={"actor": theirs["actor"]}, key=reader).status == 403
    assert server.ask("GET", f"/v1/recalls/{theirs['id']}", key=admin).json["memories"]


def test_many_are_changed_in_parts_and_taken_back_at_once(server):
    key = server.key("admin", HOME)
    ids = [server.mind.remember(f"Rain fell on day {n}", namespace=HOME).id for n in range(4)]
    body = {"action": "forget", "ids": ids[:2]}
    first = server.ask("POST", "/v1/change", body, key=key).json
    last = server.ask("POST", "/v1/change", {**body, "ids": ids[2:], "previous": first["event"]}, key=key).json
    assert {memory.status for memory in server.mind.store.get(ids).values()} == {"forgotten"}
    assert server.ask("POST", f"/v1/events/{last['event']}/undo", key=key).status == 200
    assert {memory.status for memory in server.mind.store.get(ids).values()} == {"active"}


def test_a_change_does_not_continue_what_somebody_else_did(server):
    key, mine = server.key("write", HOME), server.mind.remember("Mine to change", namespace=HOME)
    foreign = server.mind.history(server.mind.remember("Not theirs", namespace=HOME).id)[-1].id
    body = {"action": "tag", "ids": [mine.id], "add_tags": ["a"], "previous": foreign}
    assert server.ask("POST", "/v1/change", body, key=key).status == 404
    move = {"action": "move", "ids": [mine.id], "to": f"{HOME}/x"}
    assert server.ask("POST", "/v1/change", move, key=key).status == 403
