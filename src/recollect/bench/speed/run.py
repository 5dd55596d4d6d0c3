"""Builds one store of each size and times the works on it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ...config import Settings
from ...recollect import Recollect
from . import sentences, works
from .clock import Clock, Scan
from .figures import Figure, Opened, Sized
from .vectors import Counted, embedder

if TYPE_CHECKING:
    from ...embedders.protocol import Vectors

SCANNED = 220_000
"""The most vectors that the exact scan keeps in memory. For larger stores its time is multiplied."""
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    sizes: Sequence[int]
    recipes: Sequence[str]
    vectors: Sequence[str] = ("dense",)


def measure(plan: Plan, folder: Path, say: Say) -> list[Sized]:
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for kind in plan.vectors:
        for size in plan.sizes:
            with TemporaryDirectory(dir=folder, prefix="store-") as place:
                found.append(_sized(size, kind, plan.recipes, Path(place), say))
    return found


def _sized(size: int, kind: str, recipes: Sequence[str], folder: Path, say: Say) -> Sized:
    counted = embedder(kind)
    clock, scan, path = Clock(counted), Scan(_vectors(counted, size)), folder / "store.db"
    found = Sized(size=size, vectors=kind, scan=scan.spread(size))

    def note(figure: Figure) -> None:
        found.figures.append(figure)
        say(f"{size:,} {kind}: {figure.work} {figure.spread.p50:,.1f} ms ({_of(found, figure)})")

    with _open(path, counted) as mind:
        for figure in works.build(mind, clock, size):
            note(figure)
    found.opened = _opened(path, kind, size)
    with _open(path, counted) as mind:
        found.recall_at_10 = works.accuracy(mind, scan, size) if size <= SCANNED else None
        for figure, stages in works.recalls(mind, clock, size, recipes):
            note(figure)
            if figure.work.startswith("recall"):
                found.stages.append(stages)
        for made in (works.single(mind, clock, size), works.conversations(mind, clock)):
            for figure in made:
                note(figure)
        note(_small_inside(mind, clock))
        for figure in works.others(mind, clock, folder):
            note(figure)
    note(_small_alone(folder / "small.db", counted, clock))
    found.file_mb = path.stat().st_size / 1e6
    found.scan = scan.spread(size)
    return found


def _of(found: Sized, figure: Figure) -> str:
    if figure.rows:
        return f"{figure.per_second:,.0f} memories/s"
    return f"{found.ratio(figure.spread.cpu_p50):.2f} × scan"


def _open(path: Path, counted: Counted) -> Recollect:
    return Recollect(path, embedder=counted, namespace=works.NAMESPACE, settings=Settings())


def _vectors(counted: Counted, size: int) -> Vectors:
    return counted.embed(sentences.sentences(0, min(size, SCANNED)))


def _small_inside(mind: Recollect, clock: Clock) -> Figure:
    mind.remember_many({"text": text, "namespace": works.SMALL} for text in sentences.sentences(0, works.SMALL_SIZE))
    return works.small(mind, clock, "recall in 1,000 of the store")


def _small_alone(path: Path, counted: Counted, clock: Clock) -> Figure:
    with _open(path, counted) as mind:
        _small_inside(mind, clock)
        return works.small(mind, clock, "recall in 1,000 alone")


_NEW_PROCESS = """
import json, sys, time
start = time.perf_counter()
import numpy
from recollect.bench.speed import run
from recollect import recipes
imported = time.perf_counter()
print(json.dumps(run.first_recall(*sys.argv[1:], (imported - start) * 1000)))
"""


def _opened(path: Path, kind: str, size: int) -> Opened:
    command = [sys.executable, "-c", _NEW_PROCESS, str(path), kind, str(size)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return Opened(**json.loads(done.stdout))


def first_recall(path: str, kind: str, size: str, import_ms: float) -> dict[str, float]:
    """Runs in a process of its own."""
    counted = embedder(kind)
    clock = Clock(counted)
    asked = [sentences.question(number, int(size)) for number in range(works.QUESTIONS)]
    counted.embed(asked)  # makes the table of directions
    mind, opening = clock.run(lambda: _open(Path(path), counted))
    _, first = clock.run(lambda: mind.recall(asked[0], recipe="default-fast"))
    for question in asked[1:]:
        mind.recall(question, recipe="default-fast")
    return {"import_ms": import_ms, "first_recall_ms": opening.cpu + first.cpu, "memory_mb": _resident_mb()}


def _resident_mb() -> float:
    """The memory of this process. Linux only; 0 elsewhere."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0.0
    import resource

    return pages * resource.getpagesize() / 1e6
