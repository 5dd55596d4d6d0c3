"""Bad requests: every refusal is a problem document, and the server keeps running."""

import json
import socket
from datetime import UTC, datetime, timedelta

import pytest
from rest_server import running_server

from recollect import Recollect
from recollect.serve.keys import Keys

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def is_problem(said, status):
    assert said.status == status, said.body
    assert said.headers["content-type"] == "application/problem+json"
    assert {"type", "title", "status", "detail"} <= said.json.keys()
    assert said.json["status"] == status
    return True


def raw(server, request: bytes, *, finish=True) -> bytes:
    """Sends raw bytes and returns everything until the server closes the connection."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as line:
        line.sendall(request)
        if finish:
            line.shutdown(socket.SHUT_WR)
        found = b""
        while part := line.recv(65536):
            found += part
        return found


def first_line(server, request: bytes) -> bytes:
    """Sends raw bytes, keeps the connection open and returns the beginning of the answer."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as line:
        line.sendall(request)
        return line.recv(65536).split(b"\r\n")[0]


def head(server, method="POST", path="/v1/memories", **headers):
    lines = {"Host": f"127.0.0.1:{server.port}", "Authorization": f"Bearer {server.key()}", **headers}
    return f"{method} {path} HTTP/1.1\r\n".encode() + "".join(f"{n}: {v}\r\n" for n, v in lines.items()).encode()


# Bodies -------------------------------------------------------------------------------------------


def test_a_body_that_is_too_large_is_refused_by_its_announced_length(server):
    said = server.ask("POST", "/v1/memories", b" " * (server.options.most_body_bytes + 1))
    assert is_problem(said, 413)


def test_a_body_that_grows_too_large_without_an_announced_length_is_refused(server):
    chunk = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
    many = server.options.most_body_bytes // 0x100000 + 1
    request = head(server, **{"Transfer-Encoding": "chunked", "Content-Type": "application/json"}) + b"\r\n"
    assert b" 413 " in first_line(server, request + chunk * many)


@pytest.mark.parametrize("body", [b"{", b"nonsense", b'{"text": "a",}', b"\xff\xfe", b'{"text": "a"} more', b"\0"])
def test_invalid_json_is_refused(server, body):
    assert is_problem(server.ask("POST", "/v1/memories", body), 400)


def test_no_body_where_one_is_needed_is_refused(server):
    assert is_problem(server.ask("POST", "/v1/memories"), 422)


@pytest.mark.parametrize("body", [b"[]", b"1", b"null", b'"text"', b"true"])
def test_json_that_is_no_object_is_refused(server, body):
    assert is_problem(server.ask("POST", "/v1/memories", body), 422)


@pytest.mark.parametrize(
    "given",
    [
        {"text": 1},
        {"text": ""},
        {"text": " \n\t"},
        {"text": "a\0b"},
        {"text": "a", "importance": "0.5"},
        {"text": "a", "importance": True},
        {"text": "a", "importance": 2},
        {"text": "a", "importance": 10**400},
        {"text": "a", "tags": "one"},
        {"text": "a", "tags": ["x"] * 257},
        {"text": "a", "kind": "k" * 129},
        {"text": "a", "dedup": "yes"},
        {"text": "a", "at": "soonish"},
        {"text": "a", "at": 1_700_000_000},
        {"text": "a", "namespace": "../other"},
        {"text": "a", "namespace": "acme//x"},
        {"text": "a", "metadata": []},
        {"text": "a", "unknown": 1},
        {"text": "a", "trust": "user"},
        {"text": "a", "origin": "user"},
    ],
    ids=lambda given: str(given)[:40],
)
def test_wrong_types_values_and_unknown_fields_are_refused(server, given):
    assert is_problem(server.ask("POST", "/v1/memories", given), 422)


def test_numbers_that_json_does_not_know_are_refused(server):
    assert is_problem(server.ask("POST", "/v1/memories", b'{"text": "a", "importance": NaN}'), 422)
    assert is_problem(server.ask("POST", "/v1/memories", b'{"text": "a", "metadata": {"n": Infinity}}'), 422)
    assert is_problem(
        server.ask("POST", "/v1/memories", b'{"text": "a", "metadata": {"n": ' + b"9" * 5000 + b"}}"), 400
    )


def test_half_a_surrogate_pair_is_refused(server):
    assert is_problem(server.ask("POST", "/v1/memories", b'{"text": "\\ud800"}'), 422)
    assert is_problem(server.ask("POST", "/v1/memories", b'{"text": "a", "\\ud800": 1}'), 422)


@pytest.mark.parametrize("opening, closing", [(b"[", b"]"), (b'{"a":', b"}")])
def test_deep_nesting_is_refused(server, opening, closing):
    deep = opening * 100_000 + b"1" + closing * 100_000
    assert is_problem(server.ask("POST", "/v1/memories", b'{"text": "a", "metadata": {"x": ' + deep + b"}}"), 400)


def test_brackets_in_a_text_are_no_nesting(server):
    said = server.ask("POST", "/v1/memories", {"text": 'he wrote "' + "[{" * 500 + '\\" and stopped'})
    assert said.status == 201


def test_a_where_that_is_nested_too_deep_is_refused(server):
    where = {"a": 1}
    for _ in range(20):
        where = {"AND": [where]}
    assert is_problem(server.ask("POST", "/v1/recall", {"query": "a", "where": where}), 422)


def test_a_body_of_another_type_is_refused(server):
    body = json.dumps({"text": "a"}).encode()
    assert is_problem(server.ask("POST", "/v1/memories", body, Content_Type="text/plain"), 415)
    assert is_problem(server.ask("POST", "/v1/memories", body, Content_Type="application/x-www-form-urlencoded"), 415)


# Queries and paths --------------------------------------------------------------------------------


@pytest.mark.parametrize("query", [{"limit": 0}, {"limit": 1001}, {"limit": "x"}, {"status": "dead"}, {"nope": 1}])
def test_wrong_queries_are_refused(server, query):
    assert is_problem(server.ask("GET", "/v1/memories", query=query), 422)


@pytest.mark.parametrize("cursor", ["x", "a" * 600, "=", "AAAA", "ÿ", "../..", "\0"])
def test_malformed_cursors_are_refused(server, cursor):
    said = server.ask("GET", "/v1/memories", query={"cursor": cursor})
    assert is_problem(said, 422 if len(cursor) > 512 else 400)


def test_a_cursor_is_valid_for_its_list_and_its_namespace_only(server):
    for n in range(3):
        server.ask("POST", "/v1/memories", {"text": f"cursor test {n}"})
    cursor = server.ask("GET", "/v1/memories", query={"limit": 1}).json["next"]
    assert server.ask("GET", "/v1/memories", query={"limit": 1, "cursor": cursor}).status == 200
    assert is_problem(server.ask("GET", "/v1/audit", query={"cursor": cursor}), 400)
    other = server.key(namespace="acme/below")
    assert is_problem(server.ask("GET", "/v1/memories", query={"cursor": cursor}, key=other), 400)
    swapped = ("A" if cursor[0] != "A" else "B") + cursor[1:]
    assert is_problem(server.ask("GET", "/v1/memories", query={"cursor": swapped}), 400)


@pytest.mark.parametrize(
    "path",
    [
        "/inspector/../rest/app.py",
        "/inspector/..%2frest%2fapp.py",
        "/inspector/%2e%2e/rest/app.py",
        "/inspector//etc/passwd",
        "/inspector/%00",
        "/inspector",
        "/v1/memories/",
        "/v1//memories",
        "/V1/memories",
        "/v1/memories/a%2fb",
        "/redoc",
        "/%",
        "//",
        "/v1/recipes/..%2f..%2fpyproject",
    ],
)
def test_tricks_with_paths_find_nothing(server, path):
    assert is_problem(server.ask("GET", path), 404)


def test_docs_leads_to_the_openapi_document(server):
    answer = server.ask("GET", "/docs", key=None)
    assert (answer.status, answer.headers["location"]) == (307, "/openapi.json")


@pytest.mark.parametrize("name", ["mine.toml", "..", "a.b", "x" * 65])
def test_a_recipe_is_a_name_and_never_a_file(server, name):
    assert is_problem(server.ask("GET", f"/v1/recipes/{name}"), 422)
    assert is_problem(server.ask("POST", "/v1/recall", {"query": "a", "recipe": name}), 422)


def test_an_id_that_no_memory_could_have_is_refused(server):
    assert is_problem(server.ask("GET", "/v1/memories/a%20b"), 422)
    assert is_problem(server.ask("GET", f"/v1/memories/{'x' * 200}"), 422)


@pytest.mark.parametrize("method", ["PUT", "HEAD", "OPTIONS", "TRACE", "NONSENSE"])
def test_another_method_is_refused(server, method):
    said = server.ask(method, "/v1/stats")
    assert said.status == 405
    assert said.headers["allow"] == "GET"


# Headers ------------------------------------------------------------------------------------------


def test_a_header_cannot_be_smuggled_in(server):
    said = server.ask("POST", "/v1/memories", {"text": "one", "source": "x\r\nSet-Cookie: a=b"})
    assert said.status in (201, 422)
    assert "set-cookie" not in said.headers
    answered = raw(server, head(server, "GET", "/v1/stats%0d%0aX-Evil:%201") + b"\r\n")
    assert b"X-Evil" not in answered.split(b"\r\n\r\n")[0]


@pytest.mark.parametrize(
    "extra", [b"Host: evil.example\r\n", b"X: a\0b\r\n", b"Bad Header: x\r\n", b"X: " + b"a" * 70_000 + b"\r\n"]
)
def test_malformed_headers_are_refused(server, extra):
    answered = raw(server, head(server, "GET", "/v1/stats") + extra + b"\r\n")
    assert answered == b"" or answered.split()[1] in (b"400", b"421")


def test_two_lengths_of_one_body_are_refused(server):
    request = head(server, **{"Content-Length": "5", "Transfer-Encoding": "chunked"}) + b"\r\n0\r\n\r\n"
    assert first_line(server, request).split()[1] in (b"400", b"422")


@pytest.mark.parametrize("key", ["x" * 256, "a b", "ä"])
def test_a_malformed_idempotency_key_is_refused(server, key):
    said = server.ask("POST", "/v1/memories", {"text": "a"}, Idempotency_Key=key)
    assert is_problem(said, 422)


# Keys ---------------------------------------------------------------------------------------------


def test_a_missing_wrong_or_malformed_key_is_refused(server):
    for headers in ({}, {"Authorization": "Bearer"}, {"Authorization": "Basic eA=="}, {"Authorization": "Bearer rk_x"}):
        said = server.ask("GET", "/v1/stats", key=None, **headers)
        assert is_problem(said, 401)
        assert said.headers["www-authenticate"].startswith("Bearer")


def test_an_expired_key_is_refused(server):
    soon = datetime.now(UTC) + timedelta(days=1)
    _, good = Keys(server.mind).add("good for a day", namespace="acme", role="read", expires_at=soon)
    _, expired = Keys(server.mind).add("expired", namespace="acme", role="read", expires_at=LONG_AGO)
    assert server.ask("GET", "/v1/stats", key=good).status == 200
    assert is_problem(server.ask("GET", "/v1/stats", key=expired), 401)


def test_a_revoked_key_is_refused_from_then_on(server):
    _, token = Keys(server.mind).add("soon revoked", namespace="acme", role="read")
    assert server.ask("GET", "/v1/stats", key=token).status == 200
    Keys(server.mind).revoke("soon revoked")
    assert is_problem(server.ask("GET", "/v1/stats", key=token), 401)


def test_without_a_key_no_body_is_read(server):
    announced = {"Content-Length": "1000000", "Content-Type": "application/json", "Authorization": "Bearer rk_no"}
    # nothing of the body is ever sent, and still there is an answer
    assert b" 401 " in first_line(server, head(server, **announced) + b"\r\n")


# Slow and absent clients --------------------------------------------------------------------------


@pytest.fixture
def impatient(path):
    with Recollect(path, embedder="hashing") as mind:
        with running_server(mind, body_seconds=0.3, header_seconds=0.3) as served:
            yield served


def test_a_body_that_arrives_too_slowly_is_refused(impatient):
    request = head(impatient, **{"Content-Length": "100", "Content-Type": "application/json"}) + b'\r\n{"text": '
    assert b" 408 " in first_line(impatient, request)


def test_a_connection_whose_headers_arrive_too_slowly_is_closed(impatient):
    assert raw(impatient, b"", finish=False) == b""
    assert raw(impatient, b"GET /healthz HTTP/1.1\r\nHost: ", finish=False) == b""


def test_a_client_that_leaves_in_mid_body_changes_nothing(server):
    before = server.ask("GET", "/v1/stats").json["memories"]
    raw(server, head(server, **{"Content-Length": "100", "Content-Type": "application/json"}) + b'\r\n{"text": "left')
    assert server.ask("GET", "/v1/stats").json["memories"] == before


def test_requests_cancelled_in_mid_write_leave_the_store_whole(path):
    items = [{"text": f"cancelled write {n}", "dedup": False} for n in range(100)]
    body = json.dumps({"items": items}).encode()
    sent = {"Content-Length": str(len(body)), "Content-Type": "application/json"}
    with Recollect(path, embedder="hashing") as mind:
        with running_server(mind) as server:
            lines = [socket.create_connection(("127.0.0.1", server.port), timeout=30) for _ in range(8)]
            for line in lines:
                line.sendall(head(server, path="/v1/memories/batch", **sent) + b"\r\n" + body)
            assert server.ask("GET", "/healthz").status == 200
            for line in lines:
                line.close()
        # a server that ends waits for what it began
        assert mind.stats().memories % 100 == 0
        assert mind.check() == []


def test_a_moment_may_be_given_in_words(server):
    """As at the command line; what is no moment is still refused in our words."""
    told = server.ask("POST", "/v1/memories", {"text": "Ada sails", "at": "2020-02", "tags": ["words"]}).json
    assert told["created_at"].startswith("2020-02-01")
    listed = {
        moment: server.ask("GET", f"/v1/memories?tag=words&until={moment}") for moment in ("yesterday", "2020-01")
    }
    assert [len(answer.json["memories"]) for answer in listed.values()] == [1, 0]
    asked = {"query": "who sails?", "since": "last March", "tags": ["words"]}
    assert server.ask("POST", "/v1/recall", asked).json["hits"] == []
    refused = server.ask("POST", "/v1/recall", {**asked, "since": "soonish"})
    assert refused.status == 422 and "not a date or time" in refused.json["detail"]


def test_a_list_takes_the_names_of_filters_that_bodies_have_and_repeats_both(server):
    for kind in ("one", "two", "three"):
        server.ask(
            "POST", "/v1/memories", {"text": f"Ada wrote a note of kind {kind}", "kind": kind, "tags": ["names"]}
        )
    asked = "/v1/memories?tags=names&namespaces=acme&statuses=active&tiers=searchable"
    for name in ("kind", "kinds"):
        found = server.ask("GET", f"{asked}&{name}=one&{name}=two").json["memories"]
        assert {memory["kind"] for memory in found} == {"one", "two"}
    assert len(server.ask("GET", asked).json["memories"]) == 3
    assert server.ask("GET", f"{asked}&sorts=one").status == 422
    offered = server.ask("GET", "/openapi.json").json["paths"]["/v1/memories"]["get"]["parameters"]
    assert "kind" in {each["name"] for each in offered} and "kinds" not in {each["name"] for each in offered}
