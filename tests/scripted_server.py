"""A loopback HTTP server that answers as a test says, and keeps connections open as a good one does."""

import json
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_RDWR
from types import SimpleNamespace

MEMORY = {"id": "m1", "text": "Ada prefers dark mode", "created_at": "2026-11-01T12:00:00Z"}


def good(body=MEMORY, status=200):
    return status, {"Content-Type": "application/json"}, json.dumps(body).encode()


def problem(status, detail, **headers):
    body = {"type": "about:blank", "title": "A problem", "status": status, "detail": detail}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return status, {"Content-Type": "application/problem+json", **named}, json.dumps(body).encode()


HANG_UP = "hang up"


class ScriptedServer:
    """Gives the queued replies first, then good ones."""

    def __init__(self):
        self.queued = []
        self.requests = []
        self.connections = 0
        self.release = threading.Event()
        self._open = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._server.server_port}"

    def answer(self):
        first = self.queued.pop(0) if self.queued else good()
        return first(self) if callable(first) else first

    def hang(self):
        """Answers only once the test is over."""
        self.release.wait(10)
        return HANG_UP

    def hang_up(self):
        """Closes the connections that are idle."""
        while self._open:
            with suppress(OSError):  # it has ended already
                self._open.pop().shutdown(SHUT_RDWR)

    def close(self):
        self.release.set()
        self.hang_up()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(server):  # noqa: N805 - the handler has a self of its own
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def setup(self):
                super().setup()
                server.connections += 1
                server._open.append(self.connection)

            def handle(self):
                with suppress(OSError):  # hung up
                    super().handle()

            def do_GET(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                server.requests.append(
                    SimpleNamespace(
                        method=self.command, path=self.path, headers=self.headers, body=json.loads(body or b"null")
                    )
                )
                self.give(server.answer())

            do_POST = do_PATCH = do_DELETE = do_GET

            def give(self, reply):
                if reply == HANG_UP:
                    self.close_connection = True
                    return
                status, headers, body = reply
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        return Handler
