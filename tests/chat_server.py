"""A loopback server that speaks OpenAI's chat protocol, well or badly."""

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Reply = tuple[int, dict[str, str], bytes]
USAGE = {"prompt_tokens": 900, "completion_tokens": 60, "total_tokens": 960}


def said(text: str = "Ada lives in Lyon.", **changes) -> dict:
    """One statement as a model would write it."""
    plain = {"text": text, "facets": ["personal_info"], "entities": ["Lyon"], "date": None}
    return plain | {"subject": "ada", "attribute": "live in", "value": "Lyon"} | changes


def completion(content: object, usage: object = USAGE, **choice) -> Reply:
    message = {"role": "assistant", "content": content}
    body = {"choices": [{"message": message, "finish_reason": "stop"} | choice]} | ({"usage": usage} if usage else {})
    return 200, {}, json.dumps(body).encode()


def answer(*statements: object) -> Reply:
    return completion(json.dumps({"statements": statements}))


class ChatServer:
    """Gives the queued replies first, then good ones."""

    def __init__(self) -> None:
        self.queued: list[Reply | Callable[[], Reply]] = []
        self.requests: list[dict] = []
        self.headers: list[dict[str, str]] = []
        self.release = threading.Event()
        self.pause_between_bytes = 0.0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def reply(self, path: str) -> Reply:
        if path != "/v1/chat/completions":
            return 404, {}, b"no such page"
        first = self.queued.pop(0) if self.queued else answer(said())
        return first() if callable(first) else first

    def hang(self) -> Reply:
        """Answers only once the test is over."""
        self.release.wait(10)
        return answer(said())

    def close(self) -> None:
        self.release.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def write(self, file, body: bytes) -> None:
        if not self.pause_between_bytes:
            file.write(body)
            return
        for byte in body:
            file.write(bytes([byte]))
            time.sleep(self.pause_between_bytes)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                server.requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                server.headers.append(dict(self.headers))
                status, headers, body = server.reply(self.path)
                try:
                    self.answer(status, headers, body)
                except OSError:  # the client has given up waiting
                    self.close_connection = True

            def answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                server.write(self.wfile, body)

            def log_message(self, *_: object) -> None:
                pass

        return Handler
