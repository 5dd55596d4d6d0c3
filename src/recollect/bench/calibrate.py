"""Examples for calibrating confidence, from the questions of a labelled file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ..keep.calibrate import ungated
from ..keep.confidence_fit import Example
from .data import Dataset
from .evaluate import Outcome
from .results import Results
from .run import Plan, measure


def from_dataset(dataset: Dataset, plan: Plan, folder: Path) -> list[Example]:
    """Examples from a dataset: its questions, the same after removing their gold, and its unanswerable questions."""
    recipe = ungated(plan.recipes[0])
    measured = measure(dataset, replace(plan, recipes=(recipe,), abstention=True), folder, Results(folder))
    return of_outcomes(measured.outcomes, {question.id: question.text for question in dataset.questions})


def of_outcomes(outcomes: Sequence[Outcome], texts: Mapping[str, str] | None = None) -> list[Example]:
    """`texts` has the wording of the questions by id."""
    found: list[Example] = []
    for n, outcome in enumerate(outcomes):
        text = (texts or {}).get(outcome.question, outcome.question)
        found.append(Example(outcome.answer.signals, outcome.answerable, n, text))
        if outcome.without_gold is not None:
            found.append(Example(outcome.without_gold.signals, False, n, text))
    return found
