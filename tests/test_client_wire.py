"""What a client does when a server is busy, broken, strange or gone; and that a write sent twice is one write."""

import ssl
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from scripted_server import HANG_UP, MEMORY, ScriptedServer, good, problem

from recollect import Client
from recollect.errors import (
    Conflict,
    Forbidden,
    InvalidInput,
    NotFound,
    RecollectError,
    ServerUnavailable,
    StoreError,
    Unauthorized,
)
from recollect.recipes import load


@pytest.fixture
def server():
    started = ScriptedServer()
    yield started
    started.close()


@pytest.fixture
def slept():
    return []


@pytest.fixture
def client(server, slept):
    with Client(server.url, key="rk_1", timeout_seconds=5, sleep=slept.append) as opened:
        yield opened


def keys(server):
    return [request.headers["Idempotency-Key"] for request in server.requests]


# Once more ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("busy", [HANG_UP, problem(503, "locked"), problem(429, "slowly"), (502, {}, b"bad gateway")])
def test_a_busy_server_is_asked_again_with_the_same_key(client, server, slept, busy):
    server.queued = [busy, busy]
    assert client.remember("Ada prefers dark mode").id == "m1"
    assert len(server.requests) == 3 and len(set(keys(server))) == 1 and all(keys(server))
    assert len(slept) == 2 and slept[0] < slept[1] * 1.01


def test_every_write_has_a_key_of_its_own_and_a_question_has_none(client, server):
    client.remember("one")
    client.remember("one")
    client.update("m1", gist="one")
    client.pin("m1")
    server.queued = [good({"links": []})]
    client.unlink("m1", "m2")
    client.get("m1")
    written = keys(server)[:5]
    assert len(set(written)) == 5 and all(written) and keys(server)[5] is None


def test_the_wait_that_the_server_asks_for_is_kept(client, server, slept):
    server.queued = [problem(429, "slowly", Retry_After="7")]
    client.get("m1")
    assert slept == [7.0]


def test_an_attempt_that_is_still_under_way_is_waited_for(client, server):
    server.queued = [HANG_UP, problem(409, "a request with this Idempotency-Key is under way")]
    assert client.remember("Ada prefers dark mode").id == "m1" and len(server.requests) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 422, 500])
def test_a_refusal_is_not_asked_again(client, server, status):
    server.queued = [problem(status, "no")]
    with pytest.raises(RecollectError, match="^no$"):
        client.remember("Ada prefers dark mode")
    assert len(server.requests) == 1


def test_a_server_that_stays_away_is_given_up_after_some_attempts(client, server, slept):
    server.queued = [HANG_UP] * 9
    with pytest.raises(ServerUnavailable, match="did not answer in 4 attempts.*recollect serve"):
        client.get("m1")
    assert len(server.requests) == 4 and len(slept) == 3


def test_a_server_that_is_not_there_is_said_to_be_so(slept):
    gone = ScriptedServer()
    gone.close()
    with Client(gone.url, key="rk_1", sleep=slept.append) as client, pytest.raises(ServerUnavailable, match="refused"):
        client.get("m1")


def test_a_reply_that_does_not_come_is_not_waited_for_forever(server, slept):
    server.queued = [ScriptedServer.hang]
    with Client(server.url, key="rk_1", timeout_seconds=0.2, sleep=slept.append) as client:
        assert client.get("m1").id == "m1" and len(server.requests) == 2


# Errors -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, InvalidInput),
        (401, Unauthorized),
        (403, Forbidden),
        (404, NotFound),
        (409, Conflict),
        (413, InvalidInput),
        (422, InvalidInput),
        (429, ServerUnavailable),
        (503, StoreError),
    ],
)
def test_a_problem_is_raised_as_the_facades_error(client, server, status, error):
    server.queued = [problem(status, "äöü 你好", Retry_After="0")] * 4
    with pytest.raises(error, match="^äöü 你好$"):
        client.get("m1")


@pytest.mark.parametrize("reply", [(200, {}, b"<html>"), (404, {}, b"no such page"), (307, {"Location": "/x"}, b"")])
def test_what_is_no_recollect_server_is_said_to_be_none(client, server, reply):
    server.queued = [reply]
    with pytest.raises(ServerUnavailable, match=f"HTTP {reply[0]}, not as a recollect server"):
        client.get("m1")


@pytest.mark.parametrize("url", ["", "127.0.0.1:7411", "ftp://host", "http://", "http://user@host", "http://h:x", "x"])
def test_an_address_that_is_none_is_refused(url):
    with pytest.raises(InvalidInput, match="not a server's address"):
        Client(url, key="rk_1")


@pytest.mark.parametrize("key", ["", "rk_1\r\nX-Evil: 1", "rk 1", "rk_ä", None])
def test_a_key_that_is_none_is_refused(key):
    with pytest.raises(InvalidInput, match="recollect keys add"):
        Client("http://127.0.0.1:7411", key=key)


def test_what_cannot_travel_is_refused_before_it_is_sent(client, server):
    for recipe in (load("bm25"), {"weight": float("nan")}):
        with pytest.raises(InvalidInput, match="can't be sent"):
            client.recall("dark mode", recipe=recipe)
    with pytest.raises(InvalidInput, match="can't be sent"):
        client.tend(summarise=lambda memories: "")
    assert not server.requests


def test_arguments_are_checked_as_the_facades_are(client):
    with pytest.raises(TypeError, match="text"):
        client.remember()
    with pytest.raises(TypeError, match="colour"):
        client.remember("x", colour="blue")


# Connections --------------------------------------------------------------------------------------


def test_one_connection_serves_many_requests(client, server):
    for _ in range(20):
        client.get("m1")
    assert server.connections == 1


def test_a_connection_that_was_closed_meanwhile_costs_no_attempt(client, server, slept):
    client.get("m1")
    server.hang_up()
    client.get("m1")
    assert not slept and server.connections == 2


def test_threads_share_a_client(client, server):
    gate = threading.Barrier(8)

    def use(n):
        gate.wait(10)
        return [client.get(f"m{n}").id for _ in range(20)]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(use, range(8)))
    assert found == [["m1"] * 20] * 8 and server.connections <= 8


def test_a_closed_client_says_so(client):
    client.get("m1")
    client.close()
    client.close()
    with pytest.raises(StoreError, match="closed"):
        client.get("m1")


def test_a_certificate_that_proves_nothing_is_refused_at_once(server, slept, tmp_path):
    _speak_tls(server, tmp_path)
    url = server.url.replace("http:", "https:")
    with Client(url, key="rk_1", sleep=slept.append) as client, pytest.raises(ServerUnavailable, match="who it is"):
        client.get("m1")
    assert not slept and not server.requests


def test_a_proxy_in_the_environment_does_not_see_the_key(server, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "")
    with Client(server.url, key="rk_1") as client:
        assert client.get("m1").id == "m1"


def _speak_tls(server, folder):
    names = ["-keyout", "key.pem", "-out", "cert.pem", "-subj", "/CN=127.0.0.1", "-days", "1"]
    line = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *names]
    try:
        subprocess.run(line, cwd=folder, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("openssl is not installed")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    server._server.socket = context.wrap_socket(server._server.socket, server_side=True)


# What is sent -------------------------------------------------------------------------------------


def test_arguments_travel_as_they_were_given(client, server):
    at = datetime(2026, 11, 1, 12, tzinfo=UTC)
    client.remember("Grüße aus 東京 🗼", tags=("ui",), occurred_at=at, metadata={"when": at}, gist=None)
    sent = server.requests[-1]
    assert (sent.method, sent.path) == ("POST", "/v1/memories")
    assert sent.headers["Authorization"] == "Bearer rk_1" and sent.headers["Content-Type"] == "application/json"
    moment = "2026-11-01T12:00:00Z"
    said = {"text": "Grüße aus 東京 🗼", "tags": ["ui"], "occurred_at": moment, "metadata": {"when": moment}}
    assert sent.body == said


def test_an_id_cannot_leave_its_place_in_the_path(client, server):
    client.get("../purge?x=1#ü")
    assert server.requests[-1].path == "/v1/memories/..%2Fpurge%3Fx%3D1%23%C3%BC"


@pytest.mark.parametrize("dots", [".", ".."])
def test_an_id_of_dots_names_no_other_folder(client, server, dots):
    client.get(dots)
    assert server.requests[-1].path == f"/v1/memories/{dots.replace('.', '%2E')}"


def test_a_folder_in_the_address_is_kept(server):
    with Client(f"{server.url}/memory/", key="rk_1") as client:
        client.get("m1")
    assert server.requests[-1].path == "/memory/v1/memories/m1"


def test_none_takes_a_field_away_when_it_is_changed(client, server):
    client.update("m1", expires_at=None)
    assert server.requests[-1].body == {"expires_at": None}


def test_long_lists_are_sent_in_portions_and_read_page_by_page(client, server):
    server.queued = [good({"memories": [MEMORY] * 1000}, 201), good({"memories": [MEMORY]}, 201)]
    assert len(client.remember_many({"text": str(n)} for n in range(1001))) == 1001
    assert [len(request.body["items"]) for request in server.requests] == [1000, 1] and len(set(keys(server))) == 2
    server.queued = [good({"memories": [MEMORY] * 1000, "next": "c"}), good({"memories": [MEMORY] * 5, "next": None})]
    assert len(client.list(kinds=["fact", "event"], tags=["ui"])) == 1005
    first, second = (request.path for request in server.requests[2:])
    assert first == "/v1/memories?kind=fact&kind=event&tag=ui&limit=1000" and second == first + "&cursor=c"


def test_no_more_is_read_than_was_asked_for(client, server):
    server.queued = [good({"memories": [MEMORY] * 3, "next": "c"})]
    assert len(client.list(limit=3)) == 3 and server.requests[0].path == "/v1/memories?limit=3"
