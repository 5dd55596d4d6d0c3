"""Is a fitted confidence model better than the built-in one? It is used only if that is certain.

Both models judge the same questions. The fitted one judges only questions that it has not seen.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..read.reject import confidence, reject
from ..recipes.confidence import Confidence, model_for
from ..recipes.fitted import Fitted
from ..recipes.recipe import Gate
from .confidence_fit import Example, folds
from .measures import auroc, quantile

RESAMPLES = 400
NOISE = 0.025
"""A difference counts if it is on the same side of 0 in all but this share of the resamples."""
MOST_SHOWN = 10
_SEED = 20260301


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """How a model judges the questions."""

    auroc: float
    wrongly_refused: int
    answerable: int
    rightly_refused: int
    absent: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedQuestion:
    """A question that the fitted model refuses, with its confidence under both models."""

    question: str
    answerable: bool
    fitted: float
    built_in: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What a fit came to, and whether it is used."""

    better: bool
    """Whether the fitted model refuses fewer answerable questions and has a higher AUROC, both beyond chance."""
    reason: str
    fitted: Fitted
    new: Quality
    built_in: Quality
    refused: tuple[RefusedQuestion, ...] = ()
    """Up to ten questions that the fitted model would refuse, wrongly refused ones first."""
    sources: Mapping[str, int] = field(default_factory=dict)
    """Where the questions come from → how many."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One example and what a model says of it."""

    example: Example
    sure: float
    refused: bool


def choose(examples: Sequence[Example], fitted: Fitted, gate: Gate, sources: Mapping[str, int]) -> Calibration:
    """Compares the fitted model, cross-validated, with the built-in one behind the same gate."""
    built_in_model = model_for(fitted.judged_by)
    new = [each for model, held in folds(examples) for each in _judged(held, model, gate, fitted.judged_by)]
    old = _judged([each.example for each in new], built_in_model, gate, fitted.judged_by)
    reason = _why_not(new, old)
    return Calibration(
        better=reason is None,
        reason=reason or "it refuses fewer answerable questions and tells them better from the others",
        fitted=fitted,
        new=quality(new),
        built_in=quality(old),
        refused=_shown(new, old),
        sources=sources,
    )


def _judged(examples: Sequence[Example], model: Confidence, gate: Gate, judged_by: str) -> list[Judged]:
    found = []
    for example in examples:
        sure = confidence(example.signals, model)
        found.append(Judged(example, sure, reject(example.signals, sure, gate, judged_by, model) is not None))
    return found


def quality(judged: Sequence[Judged]) -> Quality:
    there, absent = _apart(judged)
    return Quality(
        auroc=_auroc(judged),
        wrongly_refused=sum(each.refused for each in there),
        answerable=len(there),
        rightly_refused=sum(each.refused for each in absent),
        absent=len(absent),
    )


def _apart(judged: Sequence[Judged]) -> tuple[list[Judged], list[Judged]]:
    return [each for each in judged if each.example.there], [each for each in judged if not each.example.there]


def _auroc(judged: Sequence[Judged]) -> float:
    there, absent = _apart(judged)
    return auroc([each.sure for each in there], [each.sure for each in absent])


def _wrongly(judged: Sequence[Judged]) -> float:
    there, _ = _apart(judged)
    return sum(each.refused for each in there) / max(len(there), 1)


def _why_not(new: Sequence[Judged], old: Sequence[Judged]) -> str | None:
    """Why the fitted model is not used, or None if it is better in every respect."""
    if lost := sum(ours.refused and not theirs.refused for ours, theirs in _answerable_pairs(new, old)):
        return f"it refuses answerable questions that the built-in model answers: {lost}"
    if quality(new).rightly_refused < quality(old).rightly_refused:
        return "it refuses fewer of the questions whose answer is absent"
    fewer, higher = _gains(new, old)
    if quantile(fewer, NOISE) <= 0:
        return "it does not refuse fewer answerable questions, or by no more than chance"
    if quantile(higher, NOISE) <= 0:
        return "it does not tell answerable questions better from the others, or by no more than chance"
    return None


def _answerable_pairs(new: Sequence[Judged], old: Sequence[Judged]) -> list[tuple[Judged, Judged]]:
    return [pair for pair in zip(new, old, strict=True) if pair[0].example.there]


def _gains(new: Sequence[Judged], old: Sequence[Judged]) -> tuple[list[float], list[float]]:
    """What the fitted model gains in resamples of the questions: fewer wrong refusals, and AUROC."""
    by_group: defaultdict[int, list[int]] = defaultdict(list)
    for n, each in enumerate(new):
        by_group[each.example.group].append(n)
    chance, groups = random.Random(_SEED), list(by_group.values())
    fewer, higher = [], []
    for _ in range(RESAMPLES):
        drawn = [n for group in chance.choices(groups, k=len(groups)) for n in group]
        ours, theirs = [new[n] for n in drawn], [old[n] for n in drawn]
        fewer.append(_wrongly(theirs) - _wrongly(ours))
        higher.append(_auroc(ours) - _auroc(theirs))
    return fewer, higher


def _shown(new: Sequence[Judged], old: Sequence[Judged]) -> tuple[RefusedQuestion, ...]:
    refused = [pair for pair in zip(new, old, strict=True) if pair[0].refused]
    refused.sort(key=lambda pair: (not pair[0].example.there, pair[0].sure))
    return tuple(
        RefusedQuestion(
            question=ours.example.question, answerable=ours.example.there, fitted=ours.sure, built_in=theirs.sure
        )
        for ours, theirs in refused[:MOST_SHOWN]
    )
