"""How a served memory bears many clients at once: latency beside that of one client alone, errors, memory.

    python bench/serve.py                                 # 50,000 memories, 32 clients, 60 s: about 4 minutes
    python bench/serve.py --memories 500 --clients 8 --seconds 3 --embedder hashing --thinking-seconds 0.1

starts a real `recollect serve` on a copy of a store that is made once and kept under bench/out/, and asks it over
loopback with `recollect.Client`. The store's vectors are the embedder's for every 25th text and lie near those for the
others, which takes a twenty-fifth of the time; questions and new memories are embedded as always.

The clients are agents: each asks, thinks for a while (a second in the mean, exponentially distributed), and asks
again. Of ten requests seven are recalls, two remember something new and one reads or changes a memory. One client
alone goes first; it thinks for a twentieth of that, so that there is enough to count. Last, for the record, all ask
without thinking, as fast as they are answered: what the server can do at most. The latencies of that part say only how
long the queue is: with 32 requests always waiting for two cores, each takes at least 16 times as long as alone.

The clients run in processes of their own beside the server: on a machine with few cores they take some of its time.
At the end, a key of another tenant ingests conversations, eight at a time and as fast as it can, while one client asks
as in the first part. A flood must slow itself, not the others.

Milliseconds depend on the machine and on what else it is doing; the ratio of two runs one after the other does less.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.pool import Pool
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import IO

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent))

from foundation import _question, _texts, _word  # noqa: E402

from recollect import Client, Recollect, embedders  # noqa: E402
from recollect.errors import RecollectError  # noqa: E402
from recollect.serve.keys import Keys  # noqa: E402

OUT = Path(__file__).parent / "out"
WORDS, EVERY, WARM_UP, ALONE_SHARE, PROCESSES = 8_000, 25, 20, 0.5, 2
ALONE_THINKING_SECONDS = 0.05
FLOODING = 8
RATIO_BAR, GROWTH_BAR, FLOOD_BAR = 5.0, 1.10, 3.0
MEGABYTE = 1024 * 1024

Row = tuple[str, str, str]


@dataclass
class Told:
    """What the clients saw: seconds by kind of request, and what went wrong."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    def add(self, other: Told) -> None:
        for kind, times in other.seconds.items():
            self.seconds.setdefault(kind, []).extend(times)
        self.errors += other.errors

    @property
    def count(self) -> int:
        return sum(map(len, self.seconds.values()))

    def p95(self, kind: str) -> float:
        return statistics.quantiles(self.seconds[kind], n=20, method="inclusive")[-1]


# One client ---------------------------------------------------------------------------------------


class Agent:
    """Asks, thinks, asks again."""

    def __init__(self, number: int, client: Client, thinking_seconds: float) -> None:
        self._client, self._thinking_seconds = client, thinking_seconds
        self._chosen = random.Random(number)
        self._vocabulary = vocabulary()
        self._number, self._done, self._known = number, 0, [""]
        self.told = Told()

    def run(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while self._think() < end:
            kind = self._chosen.choices(("recall", "remember", "get", "update"), (14, 4, 1, 1))[0]
            began = time.perf_counter()
            try:
                getattr(self, f"_{kind}")()
                self.told.seconds.setdefault(kind, []).append(time.perf_counter() - began)
            except RecollectError as error:
                self.told.errors.append(f"{kind}: {error}")

    def _think(self) -> float:
        if self._thinking_seconds:
            time.sleep(self._chosen.expovariate(1 / self._thinking_seconds))
        return time.monotonic()

    def _recall(self) -> None:
        found = self._client.recall(_question(self._chosen, self._vocabulary))
        self._known = [hit.memory.id for hit in found.hits] or self._known

    def _remember(self) -> None:
        self._done += 1
        words = " ".join(self._chosen.choices(self._vocabulary, k=10))
        self._known = [self._client.remember(f"{words} {self._number} {self._done}").id]

    def _get(self) -> None:
        self._client.get(self._some())

    def _update(self) -> None:
        self._client.update(self._some(), importance=round(self._chosen.random(), 3))

    def _some(self) -> str:
        if not self._known[0]:
            self._remember()
        return self._chosen.choice(self._known)


def vocabulary() -> list[str]:
    chosen = random.Random(42)
    return list(dict.fromkeys(_word(chosen) for _ in range(WORDS)))


def agents(url: str, keys: Sequence[str], first: int, seconds: float, thinking_seconds: float) -> Told:
    """One process: a thread for each of these clients."""
    team = [Agent(first + n, Client(url, key=key, attempts=1), thinking_seconds) for n, key in enumerate(keys)]
    threads = [Thread(target=agent.run, args=(seconds,)) for agent in team]
    for thread in threads:
        thread.start()
    told = Told()
    for agent, thread in zip(team, threads, strict=True):
        thread.join()
        told.add(agent.told)
    return told


def flood(url: str, key: str, seconds: float) -> int:
    """Another tenant: ingests long conversations as fast as it can, eight at a time. Returns how many."""
    end, done = time.monotonic() + seconds, [0] * FLOODING

    def run(number: int) -> None:
        words, chosen = vocabulary(), random.Random(number)
        with Client(url, key=key, attempts=1, timeout_seconds=120) as client:
            while time.monotonic() < end:
                said = [{"role": "user", "content": " ".join(chosen.choices(words, k=20))} for _ in range(40)]
                try:
                    client.ingest(said, session_id=f"{number}-{done[number]}")
                except RecollectError:
                    continue  # it is refused or slowed down, which is what the others need
                done[number] += 1

    threads = [Thread(target=run, args=(number,)) for number in range(FLOODING)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(done)


class Crowd:
    """All clients, spread over a few processes; they share nothing."""

    def __init__(self, url: str, keys: Sequence[str], pool: Pool) -> None:
        self._url, self._keys, self._pool = url, keys, pool

    def ask(self, clients: int, seconds: float, thinking_seconds: float) -> Told:
        shares = [self._keys[:clients][n::PROCESSES] for n in range(PROCESSES)]
        jobs = [(self._url, share, 1000 * n, seconds, thinking_seconds) for n, share in enumerate(shares) if share]
        told = Told()
        for part in self._pool.starmap(agents, jobs):
            told.add(part)
        return told


# The server ---------------------------------------------------------------------------------------


class Nearly:
    """An embedder that reads one text in 25, and gives the others a vector near that one."""

    def __init__(self, name: str) -> None:
        self._whole, self._chosen = embedders.load(name), np.random.default_rng(1)
        self.name, self.fingerprint, self.dim = self._whole.name, self._whole.fingerprint, self._whole.dim

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        read = self._whole.embed(texts[::EVERY])
        near = np.repeat(read, EVERY, axis=0)[: len(texts)]
        near += self._chosen.normal(scale=0.7 / self.dim**0.5, size=near.shape).astype(np.float32)
        return near / np.linalg.norm(near, axis=1, keepdims=True)


def kept_store(memories: int, embedder: str, folder: Path) -> Path:
    """A store of that size, made the first time."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"serve-{embedder}-{memories}.db"
    if not path.exists():
        making = path.with_suffix(".making")
        making.unlink(missing_ok=True)
        texts = _texts(random.Random(7), vocabulary(), memories)
        with Recollect(making, embedder=Nearly(embedder), namespace="acme") as mind:
            mind.remember_many(({"text": text} for text in texts), progress=True)
        making.rename(path)
    return path


def made_keys(path: Path, count: int) -> list[str]:
    """Keys of one tenant, and last one of another tenant."""
    with Recollect(path, namespace="acme") as mind:
        flooding = Keys(mind).add("flood", namespace="flood", role="write")[1]
        agents = [Keys(mind).add(f"agent {n}", namespace="acme", role="write")[1] for n in range(count)]
        return [*agents, flooding]


@contextmanager
def served(path: Path, log: Path) -> Iterator[tuple[str, int]]:
    """A real server; its address and process id."""
    line = [sys.executable, "-m", "recollect", "serve", "--db", str(path), "--namespace", "acme", "--port", "0"]
    with log.open("wb") as errors:
        process = subprocess.Popen([*line, "--json"], stdout=subprocess.PIPE, stderr=errors)
    try:
        assert process.stdout is not None
        yield _announced(process.stdout), process.pid
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


def _announced(stdout: IO[bytes]) -> str:
    """The address, which the server says first, in a few lines of JSON."""
    said = b""
    while line := stdout.readline():
        said += line
        if line.rstrip() == b"}":
            return str(json.loads(said)["url"])
    raise SystemExit("the server did not start")


def resident_bytes(pid: int) -> int:
    """What the process holds in memory."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except FileNotFoundError:  # no /proc on this system
        said = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True)
        return int(said.stdout) * 1024


# What comes out -----------------------------------------------------------------------------------


@dataclass
class Run:
    alone: Told
    together: Told
    at_once: Told
    beside_flood: Told
    flooded: int
    """Conversations that the flooding key could ingest."""
    resident: tuple[int, int, int]
    """Before the clients came, after the first half of their time, and at its end."""
    seconds: float

    @property
    def ratio(self) -> float:
        return self.together.p95("recall") / self.alone.p95("recall")

    @property
    def flood_ratio(self) -> float:
        """How much longer the recalls of one client take while a key of another tenant floods the server."""
        return self.beside_flood.p95("recall") / self.alone.p95("recall")

    @property
    def growth(self) -> float:
        """Over the second half: what is needed for that many at once is there by then."""
        return self.resident[2] / self.resident[1]

    @property
    def errors(self) -> list[str]:
        return self.alone.errors + self.together.errors + self.at_once.errors + self.beside_flood.errors


def measure(given: argparse.Namespace) -> Run:
    clients, seconds, thinking_seconds = given.clients, given.seconds, given.thinking_seconds
    with TemporaryDirectory() as scratch:
        path = Path(scratch) / "agent.db"
        shutil.copy(kept_store(given.memories, given.embedder, given.out), path)
        keys = made_keys(path, clients)
        with served(path, Path(scratch) / "log") as (url, pid), get_context("spawn").Pool(PROCESSES + 1) as pool:
            warm_up(url, keys[0])
            crowd = Crowd(url, keys, pool)
            # alone, a client would ask too little to count: it thinks less
            alone = crowd.ask(1, seconds * ALONE_SHARE, ALONE_THINKING_SECONDS)
            before = resident_bytes(pid)
            together = crowd.ask(clients, seconds / 2, thinking_seconds)
            middle = resident_bytes(pid)
            together.add(crowd.ask(clients, seconds / 2, thinking_seconds))
            after = resident_bytes(pid)
            at_once = crowd.ask(clients, seconds / 4, 0.0)
            flooding = pool.apply_async(flood, (url, keys[-1], seconds * ALONE_SHARE))
            beside = crowd.ask(1, seconds * ALONE_SHARE, ALONE_THINKING_SECONDS)
            flooded = flooding.get()
    return Run(alone, together, at_once, beside, flooded, (before, middle, after), seconds)


def warm_up(url: str, key: str) -> None:
    chosen, words = random.Random(1), vocabulary()
    with Client(url, key=key, timeout_seconds=120) as client:
        for _ in range(WARM_UP):
            client.recall(_question(chosen, words), track=False)


def rows(run: Run, clients: int) -> Iterator[Row]:
    for name, told in (
        ("one client", run.alone),
        (f"{clients} clients", run.together),
        ("at once", run.at_once),
        ("beside a flood", run.beside_flood),
    ):
        for kind in ("recall", "remember", "get", "update"):
            if len(times := told.seconds.get(kind, [])) > 1:
                middle, slow = statistics.median(times), told.p95(kind)
                figures = f"{middle * 1000:.1f} / {slow * 1000:.1f} / {max(times) * 1000:.0f} ms"
                yield f"{name}: {kind} ({len(times):,})", figures, "p50 / p95 / longest"
    yield f"{clients} clients, thinking", f"{run.together.count / run.seconds:,.0f} requests/s", ""
    yield f"{clients} clients, at once", f"{run.at_once.count / (run.seconds / 4):,.0f} requests/s", ""
    yield f"p95 of recall, {clients} clients to one", f"{run.ratio:.2f} ×", f"< {RATIO_BAR:g} ×"
    yield "p95 of recall, beside a flood to alone", f"{run.flood_ratio:.2f} ×", f"< {FLOOD_BAR:g} ×"
    yield "conversations of the flood", str(run.flooded), ""
    before, middle, after = (f"{held / MEGABYTE:,.0f}" for held in run.resident)
    yield "server's memory before, in the middle, at the end", f"{before} / {middle} / {after} MB", ""
    yield "growth over the second half", f"{run.growth:.3f} ×", f"< {GROWTH_BAR:g} ×"
    yield "errors", str(len(run.errors)), "0"


def _given() -> argparse.Namespace:
    wanted = argparse.ArgumentParser(description="Load on a real `recollect serve`.")
    wanted.add_argument("--memories", type=int, default=50_000)
    wanted.add_argument("--clients", type=int, default=32)
    wanted.add_argument("--seconds", type=float, default=60.0)
    wanted.add_argument("--thinking-seconds", type=float, default=1.0)
    wanted.add_argument("--embedder", default=embedders.DEFAULT)
    wanted.add_argument("--out", type=Path, default=OUT, help="where the store is kept")
    return wanted.parse_args()


def main() -> None:
    given = _given()
    run = measure(given)
    table = [("measured", "value", "bar"), *rows(run, given.clients)]
    width = max(len(name) for name, _, _ in table)
    for name, value, bar in table:
        print(f"{name:<{width}}  {value:>28}  {bar}")
    for error in run.errors[:5]:
        print(f"error: {error}")
    sys.exit(bool(run.errors) or run.ratio >= RATIO_BAR or run.growth >= GROWTH_BAR or run.flood_ratio >= FLOOD_BAR)


if __name__ == "__main__":
    main()
