"""The kinds of work that are timed on one store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from ...recollect import Recollect
from ...types import Filter, Recall
from . import sentences
from .clock import Clock, Scan, Spread, Took
from .figures import Figure, Stages

NAMESPACE, SMALL = "bench/all", "bench/small"
SMALL_SIZE = 1_000
PAGE = 8_192
SINGLES, CONVERSATIONS, QUESTIONS, REPEATS = 200, 60, 60, 3
WARM = 12
"""Questions that are asked before the clock runs, so that lists and vectors are read."""
FIRST = "default-fast"
"""The recipe whose first recalls are shown too."""
READER = "read"
"""The stage in which a model reads the candidates. It is not timed."""


def build(mind: Recollect, clock: Clock, size: int) -> Iterator[Figure]:
    """Stores the sentences in batches, with duplicates merged."""
    spent = []
    for first in range(0, size, PAGE):
        items = [{"text": text} for text in sentences.sentences(first, min(PAGE, size - first))]
        spent.append((len(items), clock.run(partial(mind.remember_many, items))[1]))
    yield _rate("batch add, from empty", spent)
    if len(spent) > 10:
        yield _rate("batch add, last tenth", spent[-len(spent) // 10 :])


def single(mind: Recollect, clock: Clock, size: int) -> Iterator[Figure]:
    texts = [sentences.sentence(sentences.MOST + size + number) for number in range(SINGLES)]
    for name, dedup in (("remember", True), ("remember, without dedup", False)):
        took = clock.each(partial(mind.remember, f"{text}, {name}", dedup=dedup) for text in texts)
        yield Figure.of(name, took, rows=len(took))


def conversations(mind: Recollect, clock: Clock) -> Iterator[Figure]:
    """The same number of conversations one by one, and in one call."""
    made = [sentences.conversation(number) for number in range(2 * CONVERSATIONS)]
    held = _held(mind)
    took = clock.each(partial(mind.ingest, **each) for each in made[:CONVERSATIONS])
    between = _held(mind)
    yield Figure.of("ingest, one by one", took, rows=between - held)
    _, together = clock.run(partial(mind.ingest_many, made[CONVERSATIONS:]))
    yield Figure.of("ingest, many at once", [together], rows=_held(mind) - between)


def recalls(mind: Recollect, clock: Clock, size: int, recipes: Sequence[str]) -> Iterator[tuple[Figure, Stages]]:
    questions = [sentences.question(number, size) for number in range(QUESTIONS + WARM)]
    for recipe in recipes:
        ask = partial(mind.recall, recipe=recipe, track=recipe.startswith("default"))
        for question in questions[:WARM]:
            ask(question)
        for again in (False, True):
            found = [clock.run(partial(ask, question)) for question in questions[WARM:]]
            took = [spent.less(_reading(recall)) for recall, spent in found]
            if again or recipe == FIRST:
                yield _asked(recipe, again, took), Stages.of(recipe, [recall for recall, _ in found])


def _asked(recipe: str, again: bool, took: Sequence[Took]) -> Figure:
    """The first time, vectors near to a question and lists of its words may have to be read from the file."""
    return Figure.of(f"recall {recipe}" if again else f"first recalls {recipe}", took)


def _reading(recall: Recall) -> float:
    return sum(step.ms for step in recall.trace if step.stage == READER)


def small(mind: Recollect, clock: Clock, name: str) -> Figure:
    """Recalls in a namespace of 1,000 memories."""
    questions = [sentences.question(number, SMALL_SIZE) for number in range(QUESTIONS + WARM)]
    ask = partial(mind.recall, recipe="default-fast", namespace=SMALL)
    for question in questions[:WARM]:
        ask(question)
    return Figure.of(name, clock.each(partial(ask, question) for question in questions[WARM:]))


def others(mind: Recollect, clock: Clock, folder: Path) -> Iterator[Figure]:
    """What reads a namespace or the whole store."""
    questions = iter([sentences.question(number, SMALL_SIZE) for number in range(100, 200)])
    calls: dict[str, Callable[[], object]] = {
        "stats": mind.stats,
        "profile": mind.profile,
        "assemble": lambda: mind.assemble(next(questions)),
        "list": lambda: mind.list(limit=20),
        "export": lambda: mind.export(_absent(folder / "export.jsonl")),
        "tend": mind.tend,
    }
    for name, call in calls.items():
        repeats = 1 if name in ("export", "tend") else 2 * REPEATS
        if repeats > 1:
            call()
        yield Figure.of(name, clock.each([call] * repeats))


def accuracy(mind: Recollect, scan: Scan, size: int, count: int = 10) -> float:
    """The share of the exact nearest vectors that a search finds. Equally near ones count as the same."""
    found = 0
    for number in range(QUESTIONS):
        asked = mind.embedder.embed([sentences.question(number, size)])[0]
        least = scan.nearest(asked, count)[-1] - ROUNDING
        hits = mind.store.search_vector(asked, "full", Filter(), limit=count)
        found += sum(cosine >= least for _, cosine in hits)
    return found / (count * QUESTIONS)


ROUNDING = 1e-3
"""Stored vectors are float16."""


def _rate(name: str, spent: Sequence[tuple[int, Took]]) -> Figure:
    return Figure(work=name, spread=Spread.of([took for _, took in spent]), rows=sum(rows for rows, _ in spent))


def _held(mind: Recollect) -> int:
    return sum(mind.namespaces().values())


def _absent(path: Path) -> Path:
    path.unlink(missing_ok=True)
    return path
