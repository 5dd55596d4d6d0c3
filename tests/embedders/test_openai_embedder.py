import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from inspect_store import python

from recollect.embedders import load
from recollect.embedders.openai import BATCH, OpenAI
from recollect.errors import EmbedderUnavailable
from recollect.extras import install_command
from recollect.http.request import ATTEMPTS, MAX_DELAY_SECONDS

Reply = tuple[int, dict[str, str], bytes]


def vector_of(text: str) -> list[float]:
    return [float(len(text)), 1.0, 2.0]


def embeddings(request: dict) -> Reply:
    data = [{"index": index, "embedding": vector_of(text)} for index, text in enumerate(request["input"])]
    return 200, {}, json.dumps({"data": data}).encode()


def data(*vectors: object) -> Reply:
    entries = [{"index": index, "embedding": vector} for index, vector in enumerate(vectors)]
    return 200, {}, json.dumps({"data": entries}).encode()


class Server:
    """A loopback server that gives the queued replies first, then good ones."""

    def __init__(self) -> None:
        self.queued: list[Reply | Callable[[], Reply]] = []
        self.requests: list[dict] = []
        self.headers: list[dict[str, str]] = []
        self.release = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def reply(self, path: str, request: dict) -> Reply:
        if path != "/v1/embeddings":
            return 404, {}, b"no such page"
        if not self.queued:
            return embeddings(request)
        first = self.queued.pop(0)
        return first() if callable(first) else first

    def hang(self) -> Reply:
        """Answers only once the test is over."""
        self.release.wait(10)
        return data([1.0])

    def close(self) -> None:
        self.release.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.requests.append(request)
                server.headers.append(dict(self.headers))
                status, headers, body = server.reply(self.path, request)
                try:
                    self.answer(status, headers, body)
                except OSError:  # the client has given up waiting
                    self.close_connection = True

            def answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        return Handler


@pytest.fixture
def server(monkeypatch):
    for name in ("RECOLLECT_OPENAI_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    running = Server()
    yield running
    running.close()


@pytest.fixture
def slept() -> list[float]:
    return []


@pytest.fixture
def embedder(server, slept) -> OpenAI:
    return OpenAI("small", server.base, sleep=slept.append)


def test_texts_become_unit_rows_in_their_order(embedder, server):
    rows = embedder.embed(["a", "bbbb"])
    expected = np.array([[1, 1, 2], [4, 1, 2]]) / np.sqrt([[6], [21]])
    assert rows.dtype == np.float32
    assert np.allclose(rows, expected, atol=1e-6)
    assert server.requests == [{"model": "small", "input": ["a", "bbbb"]}]


def test_a_shuffled_reply_is_put_in_order_by_its_index(embedder, server):
    shuffled = [{"index": 1, "embedding": [0, 1]}, {"index": 0, "embedding": [1, 0]}]
    server.queued = [(200, {}, json.dumps({"data": shuffled}).encode())]
    assert np.array_equal(embedder.embed(["first", "second"]), np.eye(2, dtype=np.float32))


def test_many_texts_are_sent_in_batches(embedder, server):
    rows = embedder.embed(["x" * (index + 1) for index in range(2 * BATCH + 1)])
    assert [len(request["input"]) for request in server.requests] == [BATCH, BATCH, 1]
    assert np.all(np.diff(rows[:, 0]) > 0)


def test_a_busy_server_is_asked_again_later_each_time(embedder, server, slept):
    server.queued = [(503, {}, b"loading"), (500, {}, b""), (429, {}, b"")]
    assert embedder.embed(["a"]).shape == (1, 3)
    assert 0.25 <= slept[0] <= 0.5 <= slept[1] <= 1.0 <= slept[2] <= 2.0


def test_retry_after_is_honoured_up_to_a_limit(embedder, server, slept):
    date = "Mon, 01 Jan 2001 00:00:00 GMT"
    server.queued = [(429, {"Retry-After": said}, b"") for said in ("7", "99999", date)]
    embedder.embed(["a"])
    assert slept == [7.0, MAX_DELAY_SECONDS, 0.0]


def test_an_unreadable_retry_after_falls_back_to_our_own_delay(embedder, server, slept):
    server.queued = [(429, {"Retry-After": "soon"}, b"")]
    embedder.embed(["a"])
    assert len(slept) == 1 and 0.25 <= slept[0] <= 0.5


def test_a_server_that_stays_busy_is_given_up_with_its_address(embedder, server, slept):
    server.queued = [(503, {}, b"out of memory")] * ATTEMPTS
    with pytest.raises(EmbedderUnavailable, match=f"{server.base}/embeddings .*HTTP 503 out of memory.*check"):
        embedder.embed(["a"])
    assert len(slept) == ATTEMPTS - 1


def test_a_refusal_is_not_asked_again_and_says_what_the_server_said(embedder, server, slept):
    server.queued = [(404, {}, b'{"error": "model small not found"}')]
    with pytest.raises(EmbedderUnavailable, match="HTTP 404: .*model small not found.*check the model's name"):
        embedder.embed(["a"])
    assert len(server.requests) == 1
    assert not slept


def test_a_slow_server_runs_into_the_timeout(server, slept):
    server.queued = [server.hang] * ATTEMPTS
    impatient = OpenAI("small", server.base, sleep=slept.append, timeout_seconds=0.05)
    with pytest.raises(EmbedderUnavailable, match="timed out"):
        impatient.embed(["a"])
    assert len(slept) == ATTEMPTS - 1


def test_a_server_that_is_not_there_is_named(server, slept):
    base = server.base
    server.close()
    with pytest.raises(EmbedderUnavailable, match=f"{base}/embeddings did not answer.*check that the server runs"):
        OpenAI("small", base, sleep=slept.append).embed(["a"])


def test_a_reply_that_breaks_off_is_asked_for_again(embedder, server, slept):
    server.queued = [(200, {"Content-Length": "1000"}, b'{"data": [')]
    # Without this the server would wait for more requests instead of closing.
    server.queued[0][1]["Connection"] = "close"
    assert embedder.embed(["a"]).shape == (1, 3)
    assert len(slept) == 1


def test_a_refusal_whose_page_breaks_off_is_a_refusal(embedder, server, slept):
    server.queued = [(404, {"Content-Length": "1000", "Connection": "close"}, b"no such")]
    with pytest.raises(EmbedderUnavailable, match="HTTP 404: no such"):
        embedder.embed(["a"])
    assert not slept


def test_an_address_or_proxy_that_is_none_is_said_to_be_so(server, slept, monkeypatch):
    with pytest.raises(EmbedderUnavailable, match="not a server's address"):
        OpenAI("small", "http://host:port/v1", sleep=slept.append).embed(["a"])
    monkeypatch.setenv("ALL_PROXY", "gopher://127.0.0.1:9")
    with pytest.raises(EmbedderUnavailable, match="proxy.*gopher"):
        OpenAI("small", server.base, sleep=slept.append).embed(["a"])
    assert not slept


MISSING = """
import sys
sys.modules["httpx2"] = None  # what import sees when it is not installed
from recollect.embedders import load
from recollect.errors import InvalidInput
try:
    load("openai:small")
except InvalidInput as error:
    print(error)
"""


def test_without_httpx2_the_error_says_how_to_install_it():
    assert install_command("client") in python(MISSING)


@pytest.mark.parametrize(
    "reply",
    [
        (200, {}, b"<html>hello</html>"),
        (200, {}, b"[]"),
        (200, {}, b'{"error": "no"}'),
        (200, {}, b'{"data": null}'),
        (200, {}, b"\xff\xfe"),
        (200, {}, b'{"data": [{"embedding": [1.0]}, {"embedding": [1.0]}]}'),
        data([1.0, 2.0]),
        data([1.0, 2.0], [1.0]),
        data("text", "text"),
        data(None, None),
        data([], []),
        data(1.0, 2.0),
        data([0.0, 0.0], [1.0, 0.0]),
        data([float("nan"), 1.0], [1.0, 0.0]),
        data([1e308, 1e308], [1.0, 0.0]),
        data([["a"]], [["b"]]),
    ],
    ids=lambda reply: reply[2].decode("latin-1")[:40],
)
def test_nonsense_is_refused_with_the_address_and_the_model(embedder, server, reply):
    server.queued = [reply]
    with pytest.raises(EmbedderUnavailable, match=f"{server.base}/embeddings gave .* for the model 'small'"):
        embedder.embed(["a", "b"])


def test_a_dimension_that_changes_between_calls_is_refused(embedder, server):
    embedder.embed(["a"])
    server.queued = [data([1.0, 2.0])]
    with pytest.raises(EmbedderUnavailable, match="2 dimensions instead of 3"):
        embedder.embed(["a"])


def test_a_stated_dimension_needs_no_request_and_is_checked(server):
    embedder = load(f"openai:org/small:latest@{server.base}#1024")
    assert embedder.dim == 1024
    assert not server.requests
    with pytest.raises(EmbedderUnavailable, match="3 dimensions instead of 1024"):
        embedder.embed(["a"])


def test_an_unstated_dimension_is_learnt_with_one_request(embedder, server):
    assert (embedder.dim, embedder.dim) == (3, 3)
    assert len(server.requests) == 1


def test_no_texts_give_no_rows(embedder):
    assert embedder.embed([]).shape == (0, 3)


def test_the_fingerprint_does_not_depend_on_the_address_or_on_requests():
    here, there = load("openai:small@http://one:1/v1"), load("openai:small@http://two:2/v1/")
    assert here.fingerprint == there.fingerprint == "openai:small"
    assert load("openai:small@http://one:1/v1#8").fingerprint == "openai:small#8"


def test_the_name_can_be_loaded_again():
    for spec in ("openai:org/m:latest@http://one:1/v1#8", "openai:m@https://api.openai.com/v1"):
        assert load(load(spec).name).name == spec


def test_empty_texts_and_lone_surrogates_can_be_sent(embedder, server):
    assert embedder.embed(["", "\ud800", "  "]).shape == (3, 3)
    assert server.requests[0]["input"] == [" ", "?", "  "]


def test_the_key_for_any_server_is_sent(embedder, server, monkeypatch):
    monkeypatch.setenv("RECOLLECT_OPENAI_KEY", "secret")
    embedder.embed(["a"])
    assert server.headers[0]["Authorization"] == "Bearer secret"


def test_openai_s_own_key_is_not_sent_to_another_server(embedder, server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    embedder.embed(["a"])
    assert "Authorization" not in server.headers[0]


def test_openai_without_a_key_says_which_variable_to_set(server):
    with pytest.raises(EmbedderUnavailable, match="set OPENAI_API_KEY or RECOLLECT_OPENAI_KEY"):
        load("openai:text-embedding-3-small").embed(["a"])


def test_a_redirect_is_not_followed_with_the_key(embedder, server, monkeypatch):
    monkeypatch.setenv("RECOLLECT_OPENAI_KEY", "secret")
    server.queued = [(307, {"Location": f"{server.base}/elsewhere"}, b"")]
    with pytest.raises(EmbedderUnavailable, match="HTTP 307"):
        embedder.embed(["a"])
    assert len(server.requests) == 1
