"""Fits the confidence model to a store: how likely is the answer in memory?

The model is logistic regression over the signals of a recall. Examples come in pairs: a question whose answer is in
the store, and the same question after the answer was removed. They are made from the store's own memories (on a copy
of the store) or come from a labelled file.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ..config import Settings
from ..errors import InvalidInput
from ..recipes.confidence import Confidence
from ..recipes.fitted import SETTING, Fitted
from ..recipes.recipe import Recipe
from ..recollect import Recollect
from ..text.analyze import analyze_query
from ..types import Memory, Signals
from . import statistics
from .ablate import ungated
from .data import Dataset
from .evaluate import Outcome
from .results import Results
from .run import Plan, measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.float64]

LEAST_MEMORIES = 50
MOST_MEMORIES = 400
LEAST_WORDS = 3
"""Content words that a memory needs so that a question can be made from it."""
QUESTION_WORDS = 4
WORDS_FROM_ELSEWHERE = 1
"""Words of other memories in each question: people do not ask only in the words of the memory."""
RIDGE = 0.05
STEPS = 50
CLOSE_ENOUGH = 1e-8
FOLDS = 5
MOST_VALID_REJECTED = 0.02
SEED = 20260301
_SIGNALS = ("similarity", "coverage", "agreement", "margin", "lead", "evidence")


@dataclass(frozen=True, slots=True)
class Example:
    signals: Signals
    answerable: bool
    group: int
    """Examples of one question are kept together in cross-validation."""


# Fitting ------------------------------------------------------------------------------------------


def fit(examples: Sequence[Example]) -> Confidence:
    """Logistic regression with a small ridge penalty. Signals with a negative weight are left out: a higher signal
    never makes an answer less likely, so a negative weight is an accident of one store."""
    background = _usual_background(examples)
    rows = _rows(examples, background)
    truth = [float(example.answerable) for example in examples]
    used = list(range(len(_SIGNALS)))
    weights = _newton(rows, truth, used)
    while used and min(weights[1:]) < 0:
        used.pop(weights.index(min(weights[1:])) - 1)
        weights = _newton(rows, truth, used)
    found = dict.fromkeys(_SIGNALS, 0.0) | {_SIGNALS[n]: round(w, 4) for n, w in zip(used, weights[1:], strict=True)}
    return Confidence(bias=round(weights[0], 4), background=round(background, 4), **found)


def _newton(rows: Rows, truth: Sequence[float], used: Sequence[int]) -> list[float]:
    """Newton's method for the penalised likelihood (iteratively reweighted least squares)."""
    import numpy as np

    chosen = rows[:, [0, *(n + 1 for n in used)]]
    penalty = np.diag([0.0] + [RIDGE] * len(used))
    weights = np.zeros(chosen.shape[1])
    for _ in range(STEPS):
        said = 1 / (1 + np.exp(-np.clip(chosen @ weights, -30, 30)))
        slope = chosen.T @ (said - np.asarray(truth)) + penalty @ weights
        curve = (chosen * np.maximum(said * (1 - said), 1e-6)[:, None]).T @ chosen + penalty
        step = np.linalg.solve(curve, slope)
        weights = weights - step
        if float(np.abs(step).max()) < CLOSE_ENOUGH:
            break
    return [float(weight) for weight in weights]


def _usual_background(examples: Sequence[Example]) -> float:
    known = [s.background for s in _signals(examples) if s.background is not None]
    return statistics.mean(known) if known else 0.0


def _rows(examples: Sequence[Example], background: float) -> Rows:
    import numpy as np

    from ..read.reject import lead

    return np.array(
        [
            [
                1.0,
                s.top_similarity or 0.0,
                s.coverage,
                s.agreement,
                s.margin,
                lead(s, background),
                s.evidence or 0.0,
            ]
            for s in _signals(examples)
        ]
    )


def _signals(examples: Sequence[Example]) -> Iterator[Signals]:
    return (example.signals for example in examples)


def predict(model: Confidence, examples: Sequence[Example]) -> list[float]:
    from ..read.reject import confidence

    return [confidence(signals, model) for signals in _signals(examples)]


def held_out(examples: Sequence[Example]) -> tuple[list[float], list[float]]:
    """Predictions of models that were fitted on other questions: for answerable examples, and for the others."""
    there: list[float] = []
    not_there: list[float] = []
    for fold in range(FOLDS):
        held = [example for example in examples if example.group % FOLDS == fold]
        model = fit([example for example in examples if example.group % FOLDS != fold])
        for said, example in zip(predict(model, held), held, strict=True):
            (there if example.answerable else not_there).append(said)
    return there, not_there


def cross_validated(examples: Sequence[Example]) -> tuple[float, float]:
    """AUROC and calibration error on questions that the model was not fitted on."""
    there, not_there = held_out(examples)
    truth = [1.0] * len(there) + [0.0] * len(not_there)
    return statistics.auroc(there, not_there), statistics.calibration_error([*there, *not_there], truth)


def enough(examples: Sequence[Example]) -> bool:
    """Whether there are enough examples with and without an answer."""
    return min(sum(e.answerable for e in examples), sum(not e.answerable for e in examples)) >= LEAST_MEMORIES


def highest_threshold(there: Sequence[float]) -> float:
    """The highest threshold that rejects at most 2% of the answerable questions."""
    return round(statistics.quantile(there, MOST_VALID_REJECTED), 3)


def fitted(examples: Sequence[Example], fingerprint: str) -> Fitted:
    _refuse_too_few(len({example.group for example in examples if example.answerable}), "questions with an answer")
    model = fit(examples)
    auroc, error = cross_validated(examples)
    there = [example for example in examples if example.answerable]
    similar = [e.signals.top_similarity for e in there if e.signals.top_similarity is not None]
    return Fitted(
        model=model,
        fingerprint=fingerprint,
        tau=highest_threshold(predict(model, there)),
        similarity_tau=highest_threshold(similar) if similar else None,
        auroc=auroc,
        calibration_error=error,
        examples=len(examples),
    )


def _refuse_too_few(count: int, what: str) -> None:
    if count < LEAST_MEMORIES:
        raise InvalidInput(f"there are {count} {what}, but fitting needs {LEAST_MEMORIES}: store more first")


# The user's own store -----------------------------------------------------------------------------


def from_store(
    mind: Recollect, *, recipe: Recipe, namespace: str | None = None, advance: Callable[[int], None] = lambda n: None
) -> list[Example]:
    """Leave-one-out questions on a copy of the store. The store itself is only read."""
    usable = _usable(mind, namespace)
    _refuse_too_few(len(usable), f"memories of at least {LEAST_WORDS} content words in {namespace or mind.namespace}")
    chosen = _sampled(usable)
    with TemporaryDirectory(prefix="recollect-calibrate-") as folder:
        copy = mind.backup(Path(folder) / "copy.db")
        with Recollect(copy, embedder=mind.embedder, settings=Settings(log_queries=False)) as other:
            return list(_leave_one_out(other, chosen, _questions(chosen, usable), ungated(recipe), advance))


def _usable(mind: Recollect, namespace: str | None) -> list[tuple[Memory, tuple[str, ...]]]:
    held = mind.list(namespace=namespace, statuses=["active"]) if namespace else mind.list(statuses=["active"])
    worded = [(memory, _words(memory.text)) for memory in sorted(held, key=lambda memory: memory.id)]
    return [(memory, words) for memory, words in worded if len(words) >= LEAST_WORDS]


def _words(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(analyze_query(text[:2000]).content))


def _sampled(usable: Sequence[tuple[Memory, tuple[str, ...]]]) -> list[tuple[Memory, tuple[str, ...]]]:
    picked = random.Random(SEED).sample(range(len(usable)), min(len(usable), MOST_MEMORIES))
    return [usable[n] for n in sorted(picked)]


def _questions(
    chosen: Sequence[tuple[Memory, tuple[str, ...]]], usable: Sequence[tuple[Memory, tuple[str, ...]]]
) -> Iterator[str]:
    """A memory's gist, or its rarest words plus one word of another memory."""
    counts: dict[str, int] = {}
    for _, words in usable:
        for word in words:
            counts[word] = counts.get(word, 0) + 1
    chance, vocabulary = random.Random(SEED), sorted(counts)
    for memory, words in chosen:
        rarest = sorted(words, key=lambda word: (counts[word], word))[:QUESTION_WORDS]
        yield memory.gist or " ".join([*rarest, *chance.sample(vocabulary, WORDS_FROM_ELSEWHERE)])


def _leave_one_out(
    mind: Recollect,
    chosen: Sequence[tuple[Memory, tuple[str, ...]]],
    questions: Iterator[str],
    recipe: Recipe,
    advance: Callable[[int], None],
) -> Iterator[Example]:
    for n, ((memory, _), question) in enumerate(zip(chosen, questions, strict=True)):
        asked: dict[str, Any] = {"namespace": memory.namespace, "recipe": recipe, "track": False}
        yield Example(mind.recall(question, **asked).signals, True, n)
        gone = [other for twin in _same(mind, memory) for other in mind.forget(twin.id)]
        yield Example(mind.recall(question, **asked).signals, False, n)
        for other in gone:
            mind.restore(other.id)
        advance(1)


def _same(mind: Recollect, memory: Memory) -> list[Memory]:
    """The memory, its linked duplicates, and other memories of the same turn."""
    linked = [other for link, other in mind.neighbours(memory.id) if link.kind == "same_as"]
    if memory.session_id is None or memory.turn is None:
        return [memory, *linked]
    beside = mind.list(namespace=memory.namespace, session_id=memory.session_id)
    found = [memory, *linked, *(other for other in beside if other.turn == memory.turn)]
    return list({other.id: other for other in found}.values())


# A labelled file ----------------------------------------------------------------------------------


def from_dataset(dataset: Dataset, plan: Plan, folder: Path) -> list[Example]:
    """Examples from a dataset: its questions, the same after removing their gold, and its unanswerable questions."""
    recipe = ungated(plan.recipes[0])
    measured = measure(dataset, replace(plan, recipes=(recipe,), abstention=True), folder, Results(folder))
    return of_outcomes(measured.outcomes)


def of_outcomes(outcomes: Sequence[Outcome]) -> list[Example]:
    found: list[Example] = []
    for n, outcome in enumerate(outcomes):
        found.append(Example(outcome.answer.signals, outcome.answerable, n))
        if outcome.without_gold is not None:
            found.append(Example(outcome.without_gold.signals, False, n))
    return found


# Keeping it ---------------------------------------------------------------------------------------


def keep(mind: Recollect, found: Fitted) -> None:
    """Saves the fitted model in the store's settings."""
    mind._store.set_setting(SETTING, found.dumps())


def forget(mind: Recollect) -> None:
    """Removes the fitted model, so that the built-in one is used again."""
    mind._store.set_setting(SETTING, "null")
