"""A real REST server on a free port, for tests: `with running_server(mind) as server: server.ask(…)`."""

from __future__ import annotations

import contextlib
import http.client
import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import uvicorn

from recollect import Recollect
from recollect.serve.keys import Keys
from recollect.serve.rest.options import Options
from recollect.serve.rest.serving import settings
from recollect.serve.rest.sockets import address, listen


@dataclass(frozen=True)
class Response:
    """An answer of the server."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class RunningServer:
    """A running server, and keys for it."""

    def __init__(self, mind: Recollect, options: Options, port: int, app: Any) -> None:
        self.mind, self.options, self.port, self.app = mind, options, port, app
        self.url = address(options, port)
        self._keys: dict[tuple[str, str, str], str] = {}

    def key(self, role: str = "admin", namespace: str | None = None, trust: str = "user") -> str:
        """A key's token; the same one when asked again."""
        place = namespace or self.mind.namespace
        wanted = (role, place, trust)
        if wanted not in self._keys:
            name = f"{role} {trust} of {place.replace('/', '.')}"
            self._keys[wanted] = Keys(self.mind).add(name, namespace=place, role=role, trust=trust)[1]
        return self._keys[wanted]

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        key: str | None = "",
        query: Mapping[str, Any] | None = None,
        **headers: str,
    ) -> Response:
        """One request. `key=None` sends none, "" an admin's; headers are written with underscores."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if key is not None:
            sent.setdefault("Authorization", f"Bearer {key or self.key()}")
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        if data is not None:
            sent.setdefault("Content-Type", "application/json")
        return self.send(method, path + (f"?{urlencode(query, doseq=True)}" if query else ""), data, sent)

    def send(self, method: str, target: str, data: bytes | None, headers: Mapping[str, str]) -> Response:
        """One request, sent unchanged."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, target, data, dict(headers))
            got = connection.getresponse()
            return Response(got.status, got.headers, got.read())
        finally:
            connection.close()


@contextlib.contextmanager
def running_server(mind: Recollect, **options: Any) -> Iterator[RunningServer]:
    """Serves a memory until the block ends."""
    chosen = Options(**{"port": 0, "requests_per_second": 1e6, "request_burst": 1_000_000, **options})
    taken = listen(chosen)
    port = taken.getsockname()[1]
    config = settings(mind, chosen)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([taken],), daemon=True)
    thread.start()
    try:
        yield RunningServer(mind, chosen, port, config.app)
    finally:
        server.should_exit = True
        thread.join(30)
