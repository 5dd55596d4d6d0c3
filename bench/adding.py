"""What adding costs in processor time: a batch, single memories, conversations. One run per state of the code.

    python bench/adding.py batch|remember|ingest|ingest_many --size 220000 --store FOLDER

The store of that size is built once in the folder, and every run works on a copy of it. To compare two states of the
code, run both in turn, each with its `src` as PYTHONPATH. Vectors are made beforehand, so embedding is not timed.
"""

from __future__ import annotations

import argparse
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from recollect import Recollect
from recollect.bench.speed import sentences, works
from recollect.bench.speed.vectors import Counted, embedder
from recollect.config import Settings

FRESH = 10_000_000
"""Numbers of sentences that no store has begin here."""
WARM, SINGLE, BATCH, CONVERSATIONS = 600, 1_500, 8_192, 240


def main() -> None:
    asked = _arguments()
    asked.store.mkdir(parents=True, exist_ok=True)
    base = asked.store / f"{asked.size}.db"
    if not base.exists():
        _build(base, asked.size)
    with TemporaryDirectory(dir=asked.store) as folder:
        path = Path(shutil.copy(base, folder))
        _measure(path, asked.work, asked.synchronous)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", choices=("batch", "remember", "ingest", "ingest_many"))
    parser.add_argument("--size", type=int, default=20_000)
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--synchronous", choices=("full", "normal"), default="full")
    return parser.parse_args()


def _open(path: Path, counted: Counted, synchronous: str = "full") -> Recollect:
    settings = Settings(synchronous=synchronous)
    return Recollect(path, embedder=counted, namespace=works.NAMESPACE, settings=settings)


def _build(base: Path, size: int) -> None:
    new = base.with_suffix(".new")
    with _open(new, embedder("dense")) as mind:
        for first in range(0, size, works.PAGE):
            mind.remember_many(_items(sentences.sentences(first, min(works.PAGE, size - first))))
    new.rename(base)


def _items(texts: Sequence[str]) -> list[dict[str, str]]:
    return [{"text": text} for text in texts]


def _measure(path: Path, work: str, synchronous: str) -> None:
    counted = embedder("dense")
    with _open(path, counted, synchronous) as mind:
        call = _works(mind)[work]
        held, spent, embedded = _held(mind), time.process_time(), counted.cpu_seconds
        call()
        seconds = time.process_time() - spent - (counted.cpu_seconds - embedded)
        added = BATCH if work == "batch" else SINGLE if work == "remember" else _held(mind) - held
    print(
        f"{work}: {added:,} memories, {seconds / added * 1e6:,.0f} µs of processor time each, {added / seconds:,.0f}/s"
    )


def _works(mind: Recollect) -> dict[str, Callable[[], object]]:
    """The work of each name. Some memories and conversations are added before, so that patterns are compiled and looked
    at."""
    mind.remember_many(_items(sentences.sentences(FRESH, WARM)))
    told = [sentences.conversation(number) for number in range(2 * CONVERSATIONS)]
    for conversation in told[CONVERSATIONS:]:
        mind.ingest(**conversation)
    batch, single = sentences.sentences(FRESH + WARM, BATCH), sentences.sentences(FRESH + WARM + BATCH, SINGLE)
    return {
        "batch": lambda: mind.remember_many(_items(batch)),
        "remember": lambda: [mind.remember(text) for text in single],
        "ingest": lambda: [mind.ingest(**conversation) for conversation in told[:CONVERSATIONS]],
        "ingest_many": lambda: mind.ingest_many(told[:CONVERSATIONS]),
    }


def _held(mind: Recollect) -> int:
    return sum(mind.namespaces().values())


if __name__ == "__main__":
    main()
