"""Servers: PostgreSQL with killed writers, and `recollect serve`, killed and under malformed traffic."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from recollect import Client
from recollect.errors import RecollectError
from recollect.serve.keys import Keys

from .acts import ACTS, Act
from .kills import dying_at, in_child, some_points
from .stores import Content, content, copied, opened, verify
from .tally import Problems, Tally

if TYPE_CHECKING:
    from postgres_server import Server


def postgres(original: Path, chosen: random.Random, rounds: int, most: int, names: Sequence[str]) -> list[Tally]:
    """Writers to PostgreSQL are killed. What they acknowledged must be there, once."""
    from postgres_server import Unavailable, running

    tally, points = Tally("SIGKILL of writers to PostgreSQL"), Tally("SIGKILL at a commit of each verb, PostgreSQL")
    try:
        with running(fsync="off") as server:
            url = server.database()
            opened(url).close()
            for number in range(rounds):
                told = _killed_writer(url, number, chosen)
                tally.count(verify(url, told))
            _at_points_of_postgres(server, original, chosen, most, names, points)
    except Unavailable as error:
        tally.notes.append(f"not tried: {error}")
    return [tally, points]


def _at_points_of_postgres(
    server: Server, original: Path, chosen: random.Random, most: int, names: Sequence[str], tally: Tally
) -> None:
    """Every try begins with a copy of one database."""
    template = server.database()
    with opened(template) as mind:
        mind.import_(original.with_suffix(".jsonl"))

    def copy() -> str:
        url = server.database(of=template)
        copies.append(url)
        return url

    copies: list[str] = []
    for name in names:
        act, whole = ACTS[name], copy()
        expected = _acted(act, whole)
        counted = copy()
        for point in some_points(lambda url=counted, act=act: _acted(act, url), chosen, most):
            url = copy()
            if in_child(lambda url=url, act=act, point=point: (dying_at(point), _acted(act, url))) != -signal.SIGKILL:
                continue
            tally.count(_again(name, url, expected, lambda url=url, act=act: _acted(act, url)))
        while copies:
            server.drop(copies.pop())


def _acted(act: Act, url: str) -> Content:
    with opened(url) as mind:
        act(mind)
        return content(mind)


def _again(name: str, place: Path | str, expected: Content, act: Callable[[], Content]) -> Problems:
    """After a kill, the verb is repeated. The result must be that of a run without a kill."""
    problems = verify(place)
    if problems.all:
        return problems
    found = act()
    problems.lost += [f"{name}: {what}" for what in (expected - found).elements()]
    problems.doubled += [f"{name}: {what}" for what in (found - expected).elements()]
    problems.unsound += verify(place).unsound
    return problems


def _killed_writer(url: str, number: int, chosen: random.Random) -> list[str]:
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            mind = opened(url)
            for n in range(10_000):
                text = f"Word {number} {n}: box {n * 31}"
                mind.remember(text)
                os.write(writing, f"{text}\n".encode())
        finally:
            os._exit(0)
    os.close(writing)
    time.sleep(chosen.uniform(0.2, 0.8))
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    with os.fdopen(reading) as said:
        return said.read().splitlines()


# recollect serve ----------------------------------------------------------------------------------


STARTED = (
    "import sys; sys.path[:0] = {path!r}; from drill.kills import dying_at; dying_at({point}); from recollect.cli "
)
STARTED += "import main; main()"
"""A server that kills itself at a point."""


@contextmanager
def served(path: Path, log: Path, point: int = 0) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    own = ["-c", STARTED.format(path=sys.path[:2], point=point)] if point else ["-m", "recollect"]
    line = [sys.executable, *own, "serve", "--db", str(path), "--port", "0", "--json"]
    environment = os.environ | {"RECOLLECT_EMBEDDER": "hashing"}
    with log.open("ab") as errors:
        process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=errors, env=environment)
    try:
        yield _announced(process), process
    finally:
        process.kill()
        process.wait(30)
        if process.stdout is not None:
            process.stdout.close()


def _announced(process: subprocess.Popen[bytes]) -> str:
    assert process.stdout is not None
    said = b""
    while line := process.stdout.readline():
        said += line
        if line.rstrip() == b"}":
            return str(json.loads(said)["url"])
    raise RecollectError("the server did not start")


def _key(path: Path, role: str = "write") -> str:
    with opened(path) as mind:
        return Keys(mind).add("drill", namespace="default", role=role)[1]


def killed(original: Path, folder: Path, chosen: random.Random, rounds: int) -> list[Tally]:
    tally = Tally("SIGKILL of `recollect serve` under load")
    path = copied(original, folder)
    key = _key(path)
    told: list[str] = []
    for number in range(rounds):
        with served(path, folder / "log") as (url, process):
            writers = [Thread(target=_write, args=(url, key, f"{number}-{n}", told)) for n in range(4)]
            for writer in writers:
                writer.start()
            time.sleep(chosen.uniform(0.5, 1.5))
            process.kill()
            for writer in writers:
                writer.join()
        tally.count(verify(path, told))
    _count_tracebacks(tally, folder / "log")
    return [tally]


def _write(url: str, key: str, name: str, told: list[str]) -> None:
    with Client(url, key=key, attempts=1) as client:
        for n in range(10_000):
            text = f"Served {name} {n}: box {n * 31}"
            try:
                client.remember(text)
            except RecollectError:
                return
            told.append(text)


def at_points_of_server(
    original: Path, folder: Path, chosen: random.Random, most: int, names: Sequence[str]
) -> list[Tally]:
    """For each verb over the wire: the server is killed at its n-th commit. Then it starts again, and the client
    repeats the verb."""
    tally = Tally("SIGKILL of `recollect serve` at a commit of each verb")
    keyed = folder / "keyed" / original.name
    copied(original, keyed.parent)
    key = _key(keyed, role="admin")
    for name in (name for name in names if name not in OUTSIDE):
        act = ACTS[name]
        whole = copied(keyed, folder / f"{name}-whole")
        expected = _asked(whole, key, act)
        for n in range(most):
            path = copied(keyed, folder / f"{name}-{n}")
            if not _dies(path, key, act, chosen.randrange(1, MOST_SERVED_POINTS) if n else 1):
                continue
            tally.count(_again(name, path, expected, lambda path=path, act=act: _asked(path, key, act)))
    return [tally]


OUTSIDE = ("restore", "move", "retention")
"""What a key of one namespace may not do, and what no route does."""
MOST_SERVED_POINTS = 5
"""A verb over the wire has at least a commit for itself: two points. A later point may not be reached."""


def _asked(path: Path, key: str, act: Act) -> Content:
    with served(path, path.with_suffix(".log")) as (url, _), Client(url, key=key) as client:
        act(client)
    with opened(path) as mind:
        return content(mind)


def _dies(path: Path, key: str, act: Act, point: int) -> bool:
    """Whether the server died before it was stopped."""
    with suppress(RecollectError), served(path, path.with_suffix(".log"), point) as (url, process):
        with suppress(RecollectError), Client(url, key=key, attempts=1) as client:
            act(client)
        return process.poll() is not None
    return True  # at its start


def malformed(original: Path, folder: Path) -> list[Tally]:
    """Requests that no client would send. The server refuses them and goes on."""
    tally = Tally("malformed requests to `recollect serve`")
    path = copied(original, folder)
    key = _key(path)
    with served(path, folder / "log") as (url, _):
        host, port = url.removeprefix("http://").split(":")
        for request in _requests(key):
            status = _sent(host, int(port), request)
            with Client(url, key=key) as client:
                alive = len(client.list(limit=1)) == 1
            problems = Problems(unsound=[] if alive else ["the server no longer answers"])
            if status >= 500:
                problems.tracebacks.append(f"{status} for {request[:60]!r}")
            tally.count(problems, detected=400 <= status < 500)
    _count_tracebacks(tally, folder / "log")
    return [tally]


def _requests(key: str) -> Iterator[bytes]:
    def post(body: bytes, path: str = "/v1/recall", **headers: str) -> bytes:
        given = {"Host": "127.0.0.1", "Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        given |= {"Content-Length": str(len(body)), "Connection": "close"} | headers
        lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in given.items())
        return f"POST {path} HTTP/1.1\r\n{lines}\r\n".encode() + body

    yield b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"  # TLS
    yield b"GET / HTTP/9.9\r\n\r\n"
    yield b"\r\n\r\n\r\n"
    yield b"\0" * 4096
    yield b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n"
    yield b"GET /v1/memories HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \xff\xfe\r\n\r\n"
    yield b"POST /v1/recall HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n"
    bodies = [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"x"',
        b"{}",
        b'{"query": 7}',
        b'{"query": "\\ud800"}',
        b'{"query": "\\u0000"}',
    ]
    bodies += [b"[" * 100_000, b'{"query": "x", "limit": -1}', b'{"query": "x", "limit": 1e999}', b"\xff\xfe{}"]
    bodies += [b'{"query": "x", "at": "never"}', b'{"query": "x", "where": {"$gt": {}}}', b'{"query":"x","limit":NaN}']
    yield from (post(body) for body in bodies)
    for route in (
        "/v1/memories",
        "/v1/ingest",
        "/v1/forget",
        "/v1/feedback",
        "/v1/memories/batch",
        "/v1/events/x/undo",
    ):
        yield from (post(body, route) for body in (b"{", b"[]", b'{"text": []}', b'{"messages": "x"}', b'{"items": 3}'))
    yield post(b'{"query": "x"}', Content_Length="-5")
    yield post(b'{"query": "x"}', Content_Type="text/plain")
    yield post(b'{"query": "x"}', Host="evil.example")
    yield post(b"{}", "/v1/memories/%00/links")
    yield post(b"{}", "/v1/memories/..%2f..%2fetc/restore")


def _sent(host: str, port: int, request: bytes) -> int:
    """The status of the answer; 400 if the server closed the connection without one."""
    with socket.create_connection((host, port), timeout=20) as line:
        try:
            line.sendall(request)
            line.shutdown(socket.SHUT_WR)
            first = line.recv(64).split(b" ")
        except OSError:
            return 400
    return int(first[1]) if len(first) > 1 and first[1].isdigit() else 400


def _count_tracebacks(tally: Tally, log: Path) -> None:
    found = log.read_bytes().count(b"Traceback")
    tally.tracebacks += found
    tally.notes += ["a traceback in the log of the server"] * bool(found)
