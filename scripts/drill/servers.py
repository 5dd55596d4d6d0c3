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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

from recollect import Client
from recollect.errors import RecollectError
from recollect.serve.keys import Keys

from .stores import copied, opened, verify
from .tally import Problems, Tally


def postgres(chosen: random.Random, rounds: int) -> list[Tally]:
    """Writers to PostgreSQL are killed. What they acknowledged must be there, once."""
    from postgres_server import Unavailable, running

    tally = Tally("SIGKILL of writers to PostgreSQL")
    try:
        with running(fsync="off") as server:
            url = server.database()
            opened(url).close()
            for number in range(rounds):
                told = _killed_writer(url, number, chosen)
                tally.count(verify(url, told))
    except Unavailable as error:
        tally.notes.append(f"not tried: {error}")
    return [tally]


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


@contextmanager
def served(path: Path, log: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    line = [sys.executable, "-m", "recollect", "serve", "--db", str(path), "--port", "0", "--json"]
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
    raise RuntimeError("the server did not start")


def _key(path: Path) -> str:
    with opened(path) as mind:
        return Keys(mind).add("drill", namespace="default", role="write")[1]


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
