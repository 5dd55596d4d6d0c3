"""How fast the ground floor is: importing, starting, recalling by words, remembering many.

    python bench/foundation.py

prints one table: what was measured, what came out, and the bar it should clear on an idle machine. The texts are
made up from a seeded vocabulary of 8,000 words whose use falls off as in real text (Zipf), about ten words each and
all different; vectors come from the hashing embedder. It takes about 20 seconds. Milliseconds depend on the machine
and on what else it is doing: compare runs on one machine.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from recollect import Recollect

WORDS, SHORT, LARGE, SMALL, QUESTIONS, REPEATS = 8_000, 10, 10_000, 4_300, 300, 5
IMPORT = "import time; t = time.perf_counter(); import recollect; print(time.perf_counter() - t)"
ASK = """import sys
from recollect import Recollect
print(len(Recollect(sys.argv[1]).recall(sys.argv[2], recipe="bm25").hits))"""


def main() -> None:
    chosen = random.Random(42)
    vocabulary = list(dict.fromkeys(_word(chosen) for _ in range(WORDS)))
    with TemporaryDirectory() as folder:
        rows = list(_measured(chosen, vocabulary, Path(folder)))
    width = max(len(name) for name, _, _ in rows)
    for name, value, bar in [("measured", "value", "bar"), *rows]:
        print(f"{name:<{width}}  {value:>16}  {bar}")


def _measured(chosen: random.Random, vocabulary: list[str], folder: Path) -> Iterator[tuple[str, str, str]]:
    imported = min(float(_python(IMPORT)) for _ in range(REPEATS))
    yield "import recollect", f"{imported * 1000:.0f} ms", "< 150 ms"

    large = folder / "large.db"
    items = [{"text": text} for text in _texts(chosen, vocabulary, LARGE)]
    with Recollect(large, embedder="hashing") as mind:
        mind.remember("the first, so that the embedder is there")
        with _clock() as took:
            mind.remember_many(items)
    yield f"remember_many, {LARGE:,} short texts, hashing, dedup on", f"{LARGE / took():,.0f} rows/s", ">= 5,000 rows/s"

    question = " ".join(chosen.choices(vocabulary[:500], k=4))
    started = min(_timed(lambda: _python(ASK, str(large), question)) for _ in range(REPEATS))
    yield f"process start to lexical recall, {LARGE:,} memories", f"{started * 1000:.0f} ms", "< 400 ms"

    with Recollect(folder / "small.db", embedder="hashing") as mind:
        mind.remember_many({"text": text} for text in _texts(chosen, vocabulary, SMALL))
        questions = [_question(chosen, vocabulary) for _ in range(QUESTIONS)]
        for track in (False, True):
            times = [_timed(lambda q=q, track=track: mind.recall(q, recipe="bm25", track=track)) for q in questions]  # type: ignore[misc]
            middle, slow = statistics.median(times), statistics.quantiles(times, n=20)[-1]
            yield (
                f"lexical recall, {SMALL:,} memories, track={track}",
                f"{middle * 1000:.2f} / {slow * 1000:.2f} ms",
                "p50 / p95; p50 < 1 ms",
            )


def _word(chosen: random.Random) -> str:
    return "".join(chosen.choices("abcdefghijklmnoprstuvwy", k=chosen.randint(3, 9)))


def _texts(chosen: random.Random, vocabulary: list[str], count: int) -> list[str]:
    weights = [1 / rank for rank in range(1, len(vocabulary) + 1)]
    drawn = chosen.choices(vocabulary, weights, k=count * SHORT)
    return [" ".join(drawn[n * SHORT : (n + 1) * SHORT]) + f" {n}" for n in range(count)]


def _question(chosen: random.Random, vocabulary: list[str]) -> str:
    """What does … of the …: two to four content words among stop-words, common and rare ones."""
    return "what does the " + " of the ".join(chosen.choices(vocabulary[20:4000], k=chosen.randint(2, 4))) + "?"


def _python(script: str, *arguments: str) -> str:
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True)
    return done.stdout


def _timed(action: Callable[[], object]) -> float:
    with _clock() as took:
        action()
    return took()


@contextmanager
def _clock() -> Iterator[Callable[[], float]]:
    """Called afterwards: the seconds the block took."""
    start, end = time.perf_counter(), [0.0]
    yield lambda: end[0]
    end[0] = time.perf_counter() - start


if __name__ == "__main__":
    main()
