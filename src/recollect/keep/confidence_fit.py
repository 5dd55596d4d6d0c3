"""Fits the model behind `Recall.confidence`: is the answer in memory at all?

The model is logistic regression over the signals of a recall. Examples come in pairs: a question whose answer is in
memory, and the same question with the answer removed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import InvalidInput
from ..read.reject import confidence, lead
from ..recipes.confidence import Confidence
from ..recipes.fitted import Fitted
from ..types import Signals
from .measures import auroc, calibration_error, mean, quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.float64]

LEAST_EXAMPLES = 50
RIDGE = 0.05
STEPS = 50
CLOSE_ENOUGH = 1e-8
FOLDS = 5
MOST_VALID_REJECTED = 0.02
_READ = ("read", "read_mean", "read_first", "read_among")
_SIGNALS = ("similarity", "coverage", "agreement", "margin", "lead", "evidence", *_READ)


@dataclass(frozen=True, slots=True)
class Example:
    """The signals of one question, and whether its answer was in memory."""

    signals: Signals
    there: bool
    group: int
    """Examples of one question are kept together in cross-validation."""
    question: str = ""


def fit(examples: Sequence[Example]) -> Confidence:
    """Logistic regression with a small ridge penalty.

    Every signal should only raise the confidence. A negative weight is an accident of one store, so such a signal is
    left out and the rest is fitted again.
    """
    background = _usual_background(examples)
    rows = _rows(examples, background)
    truth = [float(example.there) for example in examples]
    used = list(range(len(_SIGNALS)))
    weights = _newton(rows, truth, used)
    while used and min(weights[1:]) < 0:
        used.pop(weights.index(min(weights[1:])) - 1)
        weights = _newton(rows, truth, used)
    found = dict.fromkeys(_SIGNALS, 0.0) | {_SIGNALS[n]: round(w, 4) for n, w in zip(used, weights[1:], strict=True)}
    return Confidence(bias=round(weights[0], 4), background=round(background, 4), **found)


def _newton(rows: Rows, truth: Sequence[float], used: Sequence[int]) -> list[float]:
    """Newton's method for the penalised likelihood (iteratively re-weighted least squares)."""
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
    return mean(known) if known else 0.0


def _rows(examples: Sequence[Example], background: float) -> Rows:
    import numpy as np

    return np.array([_row(signals, background) for signals in _signals(examples)])


def _row(s: Signals, background: float) -> list[float]:
    told = [s.top_similarity or 0.0, s.coverage, s.agreement, s.margin, lead(s, background), s.evidence or 0.0]
    return [1.0, *told, *(getattr(s, name) or 0.0 for name in _READ)]


def _signals(examples: Sequence[Example]) -> Iterator[Signals]:
    return (example.signals for example in examples)


def predict(model: Confidence, examples: Sequence[Example]) -> list[float]:
    return [confidence(signals, model) for signals in _signals(examples)]


def folds(examples: Sequence[Example]) -> Iterator[tuple[Confidence, list[Example]]]:
    """Each fold's examples, with a model that was fitted on the others."""
    for fold in range(FOLDS):
        held = [example for example in examples if example.group % FOLDS == fold]
        yield fit([example for example in examples if example.group % FOLDS != fold]), held


def held_out(examples: Sequence[Example]) -> tuple[list[float], list[float]]:
    """Cross-validated confidences: of questions whose answer is in memory, and of the others."""
    there: list[float] = []
    not_there: list[float] = []
    for model, held in folds(examples):
        for said, example in zip(predict(model, held), held, strict=True):
            (there if example.there else not_there).append(said)
    return there, not_there


def cross_validated(examples: Sequence[Example]) -> tuple[float, float]:
    """AUROC and calibration error on questions the model has not seen."""
    there, not_there = held_out(examples)
    truth = [1.0] * len(there) + [0.0] * len(not_there)
    return auroc(there, not_there), calibration_error([*there, *not_there], truth)


def enough(examples: Sequence[Example]) -> bool:
    """Whether there are enough examples of both kinds."""
    return min(sum(e.there for e in examples), sum(not e.there for e in examples)) >= LEAST_EXAMPLES


def highest_threshold(there: Sequence[float]) -> float:
    """The highest threshold that rejects hardly any question whose answer is in memory."""
    return round(quantile(there, MOST_VALID_REJECTED), 3)


def fitted(examples: Sequence[Example], fingerprint: str, judged_by: str = "") -> Fitted:
    """The model with its thresholds and its cross-validated quality, for the embedder with this fingerprint."""
    refuse_too_few(len({example.group for example in examples if example.there}), "questions with an answer")
    model = fit(examples)
    separation, error = cross_validated(examples)
    there = [example for example in examples if example.there]
    similar = [e.signals.top_similarity for e in there if e.signals.top_similarity is not None]
    return Fitted(
        model=model,
        fingerprint=fingerprint,
        judged_by=judged_by,
        tau=highest_threshold(predict(model, there)),
        similarity_tau=highest_threshold(similar) if similar else None,
        auroc=separation,
        calibration_error=error,
        examples=len(examples),
    )


def refuse_too_few(count: int, what: str) -> None:
    if count < LEAST_EXAMPLES:
        raise InvalidInput(
            f"nothing was changed: there are {count} {what}, and fitting needs {LEAST_EXAMPLES}; store more first"
        )
