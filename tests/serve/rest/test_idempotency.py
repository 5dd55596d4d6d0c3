"""A write that is sent twice happens once."""

import itertools
import json
import threading

import pytest
from inspect_store import everything
from rest_server import running_server

from recollect import Recollect
from recollect.ids import new_id
from recollect.serve import storage
from recollect.serve.rest.idempotency import KEPT_SECONDS, Answered, Reader, Replies
from recollect.serve.storage import ServerStorage
from recollect.store import tables


def test_the_same_key_and_request_get_the_first_answer_again(server):
    key, body = new_id(), {"text": f"said once {new_id()}", "dedup": False}
    first = server.ask("POST", "/v1/memories", body, Idempotency_Key=key)
    again = server.ask("POST", "/v1/memories", body, Idempotency_Key=key)
    assert (first.status, again.status) == (201, 201)
    assert again.json["id"] == first.json["id"]
    assert again.json["text"] == first.json["text"]
    assert server.ask("POST", "/v1/memories", body).json["id"] != first.json["id"]


def test_the_first_answer_names_what_was_replaced_again_too(server):
    key, who = new_id(), f"Ada{new_id()[-6:]}"
    old = server.ask("POST", "/v1/memories", {"text": f"{who}'s manager is Priya", "at": "2026-01-01"})
    body = {"text": f"{who}'s manager is Owen now", "at": "2026-02-01"}
    first, again = (server.ask("POST", "/v1/memories", body, Idempotency_Key=key) for _ in range(2))
    assert first.json["superseded"] == again.json["superseded"] == [old.json["id"]]


def test_the_same_key_with_another_request_is_refused(server):
    key = new_id()
    assert server.ask("POST", "/v1/memories", {"text": f"one {key}"}, Idempotency_Key=key).status == 201
    said = server.ask("POST", "/v1/memories", {"text": f"two {key}"}, Idempotency_Key=key)
    assert said.status == 422
    assert "Idempotency-Key" in said.json["detail"]


def test_the_same_idempotency_key_of_another_caller_is_another_request(server):
    key, body = new_id(), {"text": f"mine {new_id()}"}
    mine = server.ask("POST", "/v1/memories", body, Idempotency_Key=key)
    theirs = server.ask("POST", "/v1/memories", body, Idempotency_Key=key, key=server.key(namespace="globex"))
    assert theirs.status == 201
    assert theirs.json["id"] != mine.json["id"]


def test_a_refused_request_can_be_corrected_under_its_key(server):
    key = new_id()
    assert server.ask("POST", "/v1/memories/nope/pin", Idempotency_Key=key).status == 404
    assert server.ask("POST", "/v1/memories", {"text": f"corrected {key}"}, Idempotency_Key=key).status == 201


@pytest.mark.parametrize("path", ["pin", "reinforce", "restore"])
def test_a_change_is_made_once(server, memory, path):
    key = new_id()
    if path == "restore":
        server.ask("DELETE", f"/v1/memories/{memory['id']}")
    first = server.ask("POST", f"/v1/memories/{memory['id']}/{path}", Idempotency_Key=key)
    events = server.ask("GET", f"/v1/memories/{memory['id']}/history").json["events"]
    again = server.ask("POST", f"/v1/memories/{memory['id']}/{path}", Idempotency_Key=key)
    assert (first.status, again.status) == (200, 200)
    assert server.ask("GET", f"/v1/memories/{memory['id']}/history").json["events"] == events


def test_links_batches_and_undos_are_repeated_alike(server, memory):
    other = server.ask("POST", "/v1/memories", {"text": f"another {new_id()}"}).json
    requests = [
        (f"/v1/memories/{memory['id']}/links", {"to": other["id"]}),
        ("/v1/memories/batch", {"items": [{"text": f"in a batch {new_id()}"}, {"text": f"with {new_id()}"}]}),
        ("/v1/ingest", {"messages": [{"role": "user", "content": f"I moved to Porto {new_id()}"}]}),
    ]
    for path, body in requests:
        key = new_id()
        first, again = (server.ask("POST", path, body, Idempotency_Key=key) for _ in range(2))
        assert (first.status, again.status) == (201, 201)
        assert again.json.keys() == first.json.keys()
        assert _ids(again.json) == _ids(first.json)
    event = server.ask("GET", f"/v1/memories/{other['id']}/history").json["events"][0]["id"]
    first, again = (server.ask("POST", f"/v1/events/{event}/undo", Idempotency_Key="undo") for _ in range(2))
    assert (first.status, again.status) == (200, 200)
    assert again.json["id"] == first.json["id"]


def _ids(answer):
    match answer:
        case dict():
            return [answer.get("id"), *(found for value in answer.values() for found in _ids(value))]
        case list():
            return [found for value in answer for found in _ids(value)]
    return []


def test_a_memory_that_was_purged_since_is_not_answered_again(server):
    key, body = new_id(), {"text": f"soon purged {new_id()}"}
    made = server.ask("POST", "/v1/memories", body, Idempotency_Key=key).json
    server.ask("DELETE", f"/v1/memories/{made['id']}", query={"purge": "true"})
    assert server.ask("POST", "/v1/memories", body, Idempotency_Key=key).status == 404


def test_a_reply_survives_a_restart(path):
    body = {"text": "the wording of Ada's will"}
    with Recollect(path, embedder="hashing") as mind, running_server(mind) as server:
        key = server.key()
        first = server.ask("POST", "/v1/memories", body, key=key, Idempotency_Key="kept")
    with Recollect(path, embedder="hashing") as mind, running_server(mind) as server:
        again = server.ask("POST", "/v1/memories", body, key=key, Idempotency_Key="kept")
        assert (again.status, again.json["id"]) == (201, first.json["id"])


def test_a_reply_keeps_neither_text_nor_key_in_the_store(path):
    with Recollect(path, embedder="hashing") as mind, running_server(mind) as server:
        body = {"text": "the wording of Ada's will"}
        made = server.ask("POST", "/v1/memories", body, Idempotency_Key="a-clients-key").json
        server.ask("DELETE", f"/v1/memories/{made['id']}", query={"purge": "true"})
        held = repr(everything(path))
    assert f"memory:{made['id']}" in held
    assert "wording" not in held and "a-clients-key" not in held


def test_a_reply_is_dropped_after_a_day(mind):
    now = [1000.0]
    replies = Replies(ServerStorage(mind), clock=lambda: now[0])
    read, made = Reader(lambda id: {}, lambda id: {}), []

    def work():
        made.append(1)
        return Answered(200, {})

    for later in (0, KEPT_SECONDS - 1, 2):
        now[0] += later
        replies.once("me", "key", b"request", work, read)
    assert len(made) == 2


def test_only_so_many_replies_are_kept(mind, monkeypatch):
    monkeypatch.setattr(storage, "MOST_REPLIES", 3)
    monkeypatch.setattr(storage, "CUT_EVERY", 1)
    clock = itertools.count(1_000)
    replies = Replies(ServerStorage(mind), clock=lambda: next(clock))
    read = Reader(memory=lambda id: {}, event=lambda id: {})
    for n in range(8):
        replies.once("key:ada", f"k{n}", b"{}", lambda n=n: Answered(200, {"n": n}), read)
    assert sorted(json.loads(row.body)["n"] for row in mind.store.rows(tables.Reply)) == [5, 6, 7]
    assert replies.once("key:ada", "k7", b"{}", lambda: Answered(200, {"n": "again"}), read).body == {"n": 7}


def test_a_key_in_progress_is_refused(mind):
    replies, began, go_on = Replies(ServerStorage(mind)), threading.Event(), threading.Event()
    read = Reader(lambda id: {}, lambda id: {})

    def slow():
        began.set()
        go_on.wait(30)
        return Answered(200, {})

    thread = threading.Thread(target=replies.once, args=("me", "key", b"", slow, read))
    thread.start()
    began.wait(30)
    with pytest.raises(Exception, match="in progress"):
        replies.once("me", "key", b"", slow, read)
    go_on.set()
    thread.join()
