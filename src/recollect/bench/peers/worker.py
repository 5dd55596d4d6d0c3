"""Stores the given texts and vectors in one library, or asks it. Runs in the environment of that library.

It is started as a file, not as a module of recollect, and uses only numpy and the standard library.

    python worker.py JOB STORE VARIANT PHASE      PHASE: add, ask
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

LIMIT = 10
"""Hits of a search."""
WARM = 12
"""Questions that are asked before the clock runs."""
ROUNDING = 1e-3
"""Some libraries store vectors as float16."""


class Given:
    """The vector of a text: the libraries call it in place of an embedding model."""

    def __init__(self, texts: Sequence[str], vectors: Any) -> None:
        self._row = {text: row for row, text in enumerate(texts)}
        self._vectors = vectors
        self.dim = int(vectors.shape[1])

    def __call__(self, texts: Sequence[str]) -> Any:
        return self._vectors[[self._row[text] for text in texts]]


class Job:
    """What there is to do, as `task.py` wrote it."""

    def __init__(self, folder: Path) -> None:
        read = json.loads((folder / "job.json").read_text(encoding="utf-8"))
        self.texts: list[str] = read["texts"]
        self.questions: list[str] = read["questions"]
        self.seconds: float = read["seconds"]
        self.vectors = np.load(folder / "vectors.npy", mmap_mode="r")
        self.asked = np.load(folder / "questions.npy")
        self.tenth = np.load(folder / "tenth.npy")

    @property
    def all(self) -> Given:
        return Given([*self.texts, *self.questions], np.concatenate([self.vectors, self.asked]))

    @property
    def only_questions(self) -> Given:
        return Given(self.questions, self.asked)


class Took:
    """Seconds by the clock on the wall and of the processor."""

    def __init__(self) -> None:
        self.calls: list[dict[str, float]] = []

    def run(self, call: Callable[[], Any]) -> Any:
        wall, cpu = time.perf_counter(), time.process_time()
        result = call()
        spent = {"wall": (time.perf_counter() - wall) * 1000, "cpu": (time.process_time() - cpu) * 1000}
        self.calls.append(spent)
        return result

    def sum(self, clock: str) -> float:
        return sum(spent[clock] for spent in self.calls)


def add(module: Any, job: Job, folder: Path, variant: str) -> tuple[Any, dict[str, Any]]:
    """Stores the texts page by page until all are there or the time is over."""
    took, rows, given = Took(), 0, job.all
    store = took.run(lambda: module.Store(folder, given, variant))
    for first, texts in _pages(job.texts, module.PAGE):
        if took.sum("cpu") > job.seconds * 1000:
            break
        vectors = np.asarray(job.vectors[first : first + len(texts)])
        took.run(partial(store.add, first, texts, vectors))
        rows += len(texts)
    took.run(store.finish)
    return store, {"rows": rows, "wall_ms": took.sum("wall"), "cpu_ms": took.sum("cpu")}


def _pages(texts: Sequence[str], size: int) -> Iterator[tuple[int, Sequence[str]]]:
    for first in range(0, len(texts), size):
        yield first, texts[first : first + size]


def ask(store: Any, job: Job, kind: str) -> dict[str, Any]:
    """Some questions to warm up, then those that are timed."""

    def search(number: int) -> list[int]:
        found: list[int] = store.search(kind, job.questions[number], job.asked[number], LIMIT)
        return found

    for number in range(WARM):
        search(number)
    took = Took()
    found = [took.run(partial(search, number)) for number in range(WARM, len(job.questions))]
    return {"kind": kind, "calls": took.calls, "found": found}


def exact(found: Sequence[Sequence[int]], job: Job) -> float:
    """The share of the ten nearest vectors that were found. Equally near ones count as the same."""
    near = 0
    for rows, vector, tenth in zip(found, job.asked[WARM:], job.tenth[WARM:], strict=True):
        near += int((np.asarray(job.vectors[list(rows)]) @ vector >= tenth - ROUNDING).sum()) if rows else 0
    return near / (LIMIT * len(found))


def memory_mb() -> float:
    """The memory of this process. Linux only; 0 elsewhere."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0.0
    import resource

    return pages * resource.getpagesize() / 1e6


def _versions(packages: Sequence[str]) -> dict[str, str]:
    from importlib.metadata import version

    return {name: version(name) for name in packages}


def run(job: Job, name: str, variant: str, phase: str, folder: Path) -> dict[str, Any]:
    started = time.process_time()
    module = importlib.import_module(name)
    found: dict[str, Any] = {"import_ms": (time.process_time() - started) * 1000}
    if phase == "add":
        store, found["add"] = add(module, job, folder, variant)
        return found | (_closed(store) if module.KEPT else _asked(store, module, job, variant))
    took, given = Took(), job.only_questions
    store = took.run(lambda: module.Store(folder, given, variant))
    kind = module.KINDS[variant][0]
    took.run(lambda: store.search(kind, job.questions[0], job.asked[0], LIMIT))
    found["first_ms"] = {"wall": took.sum("wall"), "cpu": took.sum("cpu")}
    return found | _asked(store, module, job, variant)


def _closed(store: Any) -> dict[str, Any]:
    store.close()
    return {}


def _asked(store: Any, module: Any, job: Job, variant: str) -> dict[str, Any]:
    searches = [ask(store, job, kind) for kind in module.KINDS[variant]]
    found = {"memory_mb": memory_mb()}
    for search in searches:
        rows = search.pop("found")
        search["hits"] = sum(map(len, rows)) / len(rows)
        search["exact"] = exact(rows, job) if search["kind"].startswith("vectors") else None
    store.close()
    return {**found, "searches": searches}


if __name__ == "__main__":
    folder, (name, variant, phase) = Path(sys.argv[1]), sys.argv[2:5]
    sys.path[0] = str(Path(__file__).parent / "stores")  # the modules beside this file are not for importing here
    result = run(Job(folder), name, variant, phase, folder / "store")
    (folder / f"{phase}.json").write_text(json.dumps(result), encoding="utf-8")
