"""Scores of answers per recipe and question type, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any, TypeAlias

from .. import recipes
from . import metrics, statistics
from .evaluate import Answer, Outcome
from .run import Measured

Formula: TypeAlias = Callable[[Sequence[str], frozenset[str]], float]
Figure: TypeAlias = dict[str, float]
"""value, low, high and n."""


def _at(formula: Callable[[Sequence[str], frozenset[str], int], float], k: int) -> Formula:
    return partial(_cut, formula, k)


def _cut(
    formula: Callable[[Sequence[str], frozenset[str], int], float], k: int, ranked: Sequence[str], gold: frozenset[str]
) -> float:
    return formula(ranked, gold, k)


METRICS: dict[str, Formula] = {
    **{f"hit@{k}": _at(metrics.hit, k) for k in (1, 3, 5, 10)},
    **{f"all@{k}": _at(metrics.all_gold, k) for k in (5, 10)},
    **{f"recall@{k}": _at(metrics.recall, k) for k in (1, 5, 10)},
    "mrr": metrics.reciprocal_rank,
    **{f"ndcg@{k}": _at(metrics.ndcg, k) for k in (5, 10)},
}
TOPIC_METRICS: dict[str, Formula] = {**METRICS, "coverage@5": _at(metrics.topic_coverage, 5)}
BINARY = ("hit@", "all@", "right")
MISS_ABOVE_TAU = 0.10
"""The miss threshold is this much above the rejection threshold. MemX prints no number, but its tables fit 0.60 with
tau 0.50: the pet question is between the two, and the cloud region with 0.621 is above both."""


def miss_threshold(embedder: str | None) -> float:
    gate = recipes.load("memx").reject
    assert gate is not None
    return gate.threshold(embedder) + MISS_ABOVE_TAU


def summary(measured: Measured, recipe: str) -> dict[str, Any]:
    """All results of one recipe on one dataset."""
    outcomes = measured.of(recipe)
    formulas = TOPIC_METRICS if measured.setup.unit == "topic" else METRICS
    answerable = [outcome for outcome in outcomes if outcome.answerable]
    scores = {outcome.question: scored(outcome, formulas) for outcome in answerable}
    types = sorted({outcome.type for outcome in outcomes})
    return {
        "overall": figures(list(scores.values())),
        "with_abstention": _right(outcomes),
        "types": {kind: _of_type(kind, outcomes, scores) for kind in types},
        "abstention": abstention(outcomes, miss_threshold(measured.setup.embedder.name)),
        "latency_ms": latencies([outcome.answer for outcome in outcomes]),
        "scores": scores,
    }


def scored(outcome: Outcome, formulas: Mapping[str, Formula] = METRICS) -> dict[str, float]:
    gold = frozenset(outcome.gold)
    return {name: formula(outcome.answer.ranked, gold) for name, formula in formulas.items()}


def figures(scores: Sequence[Mapping[str, float]]) -> dict[str, Figure]:
    names = list(scores[0]) if scores else []
    return {name: figure([score[name] for score in scores], binary=name.startswith(BINARY)) for name in names}


def figure(values: Sequence[float], *, binary: bool) -> Figure:
    """A mean with its 95% interval: Wilson's for binary values, a bootstrap otherwise."""
    low, high = statistics.wilson(sum(values), len(values)) if binary else statistics.mean_interval(values)
    return {"value": statistics.mean(values), "low": low, "high": high, "n": len(values)}


def _of_type(kind: str, outcomes: Sequence[Outcome], scores: Mapping[str, Mapping[str, float]]) -> dict[str, Figure]:
    mine = [outcome for outcome in outcomes if outcome.type == kind]
    known = [scores[outcome.question] for outcome in mine if outcome.answerable]
    return {**figures(known), **_right(mine)}


def _right(outcomes: Sequence[Outcome]) -> dict[str, Figure]:
    """Includes questions without an answer: right is a gold hit, or an empty result if there is no gold."""
    return {f"right@{k}": figure([_is_right(outcome, k) for outcome in outcomes], binary=True) for k in (1, 5)}


def _is_right(outcome: Outcome, k: int) -> float:
    if not outcome.answerable:
        return metrics.miss_empty(len(outcome.answer.ranked))
    return metrics.hit(outcome.answer.ranked, frozenset(outcome.gold), k)


# "Not in memory" ----------------------------------------------------------------------------------


def abstention(outcomes: Sequence[Outcome], threshold: float) -> dict[str, Any]:
    """How well confidence separates answerable questions from others."""
    there = [outcome.answer for outcome in outcomes if outcome.answerable]
    removed = [outcome.without_gold for outcome in outcomes if outcome.without_gold is not None]
    misses = [outcome.answer for outcome in outcomes if not outcome.answerable]
    return {
        "miss_threshold": threshold,
        "auroc_gold_removed": statistics.auroc(_sure(there), _sure(removed)),
        "auroc_unanswerable": statistics.auroc(_sure(there), _sure(misses)),
        "auroc": statistics.auroc(_sure(there), _sure([*removed, *misses])),
        "valid_rejected": figure([metrics.miss_empty(len(a.ranked)) for a in there], binary=True),
        "miss_empty": figure([metrics.miss_empty(len(a.ranked)) for a in misses], binary=True),
        "miss_strict": figure([_strict(a, threshold) for a in misses], binary=True),
        "removed_empty": figure([metrics.miss_empty(len(a.ranked)) for a in removed], binary=True),
        **calibration(_sure(there), _sure([*removed, *misses])),
    }


def _sure(answers: Sequence[Answer]) -> list[float]:
    return [answer.confidence for answer in answers]


def _strict(answer: Answer, threshold: float) -> float:
    return metrics.miss_strict(answer.signals.top_similarity, threshold)


def calibration(there: Sequence[float], not_there: Sequence[float]) -> dict[str, Any]:
    """The reliability diagram of confidence, and its calibration error."""
    said, true = [*there, *not_there], [1.0] * len(there) + [0.0] * len(not_there)
    low, high = statistics.calibration_interval(said, true)
    return {
        "calibration_error": {"value": statistics.calibration_error(said, true), "low": low, "high": high},
        "reliability": [asdict(one) for one in statistics.equal_mass_bins(said, true)],
        "said": [round(value, 4) for value in said],
        "true": [int(value) for value in true],
    }


def latencies(answers: Sequence[Answer]) -> dict[str, dict[str, float]]:
    """Stage → mean, p50 and p95 over the answers that have the stage."""
    stages = dict.fromkeys(stage for answer in answers for stage in answer.ms)
    return {
        stage: statistics.latency([answer.ms[stage] for answer in answers if stage in answer.ms]) for stage in stages
    }
