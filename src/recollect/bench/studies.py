"""Studies: the rejection threshold, the parts of a recipe, the granularity, the types of questions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from ..read.reject import reject
from ..recipes.recipe import Gate, Recipe
from . import ablate, league, metrics, statistics, svg
from .data import Dataset
from .evaluate import Answer, Outcome
from .html_page import Part, Picture, Table
from .league import number, share
from .report import span
from .results import Results
from .run import Measured, Plan, measure
from .score import figure, miss_threshold, scored, summary

PUBLISHED_TAUS = (0.48, 0.50, 0.52, 0.64)
"""MemX, Table 4."""
FINER_TAUS = tuple(n / 100 for n in range(30, 92, 2))
CONFIDENCE_TAUS = tuple(n / 100 for n in range(0, 100, 5))
Against = Literal["the row above", "the first row"]
GRANULARITIES = ("session", "round", "turn", "fact", "hybrid")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lab:
    """The data, plan and results that studies share."""

    datasets: tuple[Dataset, ...]
    plan: Plan
    out: Path
    results: Results

    def measure(self, recipes: Sequence[Recipe], **changes: Any) -> list[Measured]:  # noqa: ANN401 - Plan's
        plan = replace(self.plan, recipes=tuple(recipes), **changes)
        return [measure(dataset, plan, self.out, self.results) for dataset in self.datasets]


# The threshold ------------------------------------------------------------------------------------


def sweep(lab: Lab, recipe: Recipe) -> list[Part]:
    """Asks once without the gate, then computes what each threshold would have refused."""
    ungated = ablate.ungated(recipe)
    measured = lab.measure([ungated])
    gate = ablate.gate_of(recipe)
    taus = CONFIDENCE_TAUS if gate.rule == "confidence" else tuple(sorted({*PUBLISHED_TAUS, *FINER_TAUS}))
    found = {tau: _at_tau(measured, ungated.name, replace(gate, tau=tau, by_embedder={})) for tau in taus}
    rows = [
        (f"{tau:.2f}", *(number(each[name]) for name in _SWEPT), "printed in MemX" if tau in PUBLISHED_TAUS else "")
        for tau, each in found.items()
    ]
    title = f"Threshold sweep of {recipe.name} (rule {gate.rule}), means over {len(measured)} sets"
    curves = {name: [(tau, each[name]) for tau, each in found.items() if not math.isnan(each[name])] for name in _SWEPT}
    return [
        Table(title=title, head=("tau", *_SWEPT, "note"), rows=tuple(rows), notes=(_SWEEP_NOTE,)),
        Picture(title=f"Sweep {recipe.name}", svg=svg.curves(title, curves, x="tau", y="share")),
    ]


_SWEPT = ("hit@1", "hit@5", "miss empty", "miss strict", "removed empty", "valid rejected")
_SWEEP_NOTE = "removed empty: share of answerable questions for which nothing is returned after their gold was removed."


def _at_tau(measured: Sequence[Measured], recipe: str, gate: Gate) -> dict[str, float]:
    """Means over the datasets, as in MemX."""
    each = [gated(one.of(recipe), gate, one.setup.embedder.name) for one in measured]
    return {name: mean_known([values[name] for values in each]) for name in _SWEPT}


def mean_known(values: Sequence[float]) -> float:
    """The mean of the values that are not NaN: some datasets have no such questions."""
    return statistics.mean([value for value in values if not math.isnan(value)])


def gated(outcomes: Sequence[Outcome], gate: Gate, embedder: str, strict: float | None = None) -> dict[str, float]:
    """The metrics that this gate would have given, computed from ungated answers. `strict`: the miss threshold."""
    strict = miss_threshold(embedder) if strict is None else strict
    there = [o for o in outcomes if o.answerable]
    misses = [o.answer for o in outcomes if not o.answerable]
    removed = [o.without_gold for o in outcomes if o.without_gold is not None]
    passed = [refused(o.answer, gate, embedder) is None for o in there]
    hits = {k: [metrics.hit(o.answer.ranked, frozenset(o.gold), k) for o in there] for k in (1, 5)}
    return {
        **{
            f"hit@{k}": statistics.mean([h * p for h, p in zip(found, passed, strict=True)])
            for k, found in hits.items()
        },
        "miss empty": statistics.mean([_empty(answer, gate, embedder) for answer in misses]),
        "miss strict": statistics.mean([metrics.miss_strict(a.signals.top_similarity, strict) for a in misses]),
        "removed empty": statistics.mean([_empty(answer, gate, embedder) for answer in removed]),
        "valid rejected": statistics.mean([float(not one) for one in passed]),
    }


def refused(answer: Answer, gate: Gate, embedder: str) -> str | None:
    return reject(answer.signals, answer.confidence, gate, embedder)


def _empty(answer: Answer, gate: Gate, embedder: str) -> float:
    return float(not answer.ranked or refused(answer, gate, embedder) is not None)


# The parts of a recipe ----------------------------------------------------------------------------


def ablation(lab: Lab, steps: Sequence[Recipe], title: str, against: Against = "the row above") -> list[Part]:
    """A table per dataset. Each row is compared with another row by a paired test."""
    return [_ablation_table(measured, steps, title, against) for measured in lab.measure(steps)]


def _ablation_table(measured: Measured, steps: Sequence[Recipe], title: str, against: Against) -> Table:
    unit = measured.setup.unit
    columns = league.HEADLINE[unit]
    found = {recipe.name: summary(measured, recipe.name) for recipe in steps}
    rows, before = [], None
    for recipe in steps:
        each = found[recipe.name]
        sure = each["abstention"]
        cells = [share(each["overall"].get(column)) for column in columns]
        cells += [share(sure["miss_empty"]), share(sure["valid_rejected"]), number(sure["auroc"])]
        rows.append((recipe.name, *cells, _step(before, each["scores"], league.MAIN[unit])))
        if before is None or against == "the row above":
            before = each["scores"]
    head = ("recipe", *columns, "miss empty", "valid rejected", "AUROC", f"{league.MAIN[unit]} against {against}")
    return Table(title=f"{title}: {measured.setup.dataset.name}", head=head, rows=tuple(rows))


def _step(before: Mapping[str, Mapping[str, float]] | None, after: Mapping[str, Any], metric: str) -> str:
    if before is None or not after:
        return ""
    found = statistics.paired([before[q][metric] for q in after], [after[q][metric] for q in after])
    return f"{found.change:+.3f} ({found.better} / {found.worse}, p {found.p:.2g})"


# Granularity --------------------------------------------------------------------------------------


def granularity(lab: Lab, recipe: Recipe) -> list[Part]:
    """The same questions on stores of sessions, rounds, turns, facts, or turns and facts."""
    talks = replace(lab, datasets=tuple(d for d in lab.datasets if d.unit != "topic"))
    by_size = {size: talks.measure([recipe], granularity=size) for size in GRANULARITIES}
    return [
        _granularity_table(recipe, dataset, {size: measured[n] for size, measured in by_size.items()})
        for n, dataset in enumerate(talks.datasets)
    ]


def _granularity_table(recipe: Recipe, dataset: Dataset, by_size: Mapping[str, Measured]) -> Table:
    rows = []
    for size, measured in by_size.items():
        scores = [scored(outcome) for outcome in measured.of(recipe.name) if outcome.answerable]
        cells = [share(_figure(scores, name)) for name in _SIZED]
        rows.append((size, f"{measured.setup.unit}s", *cells, f"{_p50(measured, recipe.name):.1f}"))
    title = f"Granularity, {recipe.name}: {dataset.name}"
    note = "If only rounds or sessions are stored, a hit is the round or session of a gold turn, which is easier."
    return Table(title=title, head=("stored", "counted", *_SIZED, "ms p50"), rows=tuple(rows), notes=(note,))


_SIZED = ("hit@1", "hit@5", "recall@5", "recall@10", "mrr")


def _figure(scores: Sequence[Mapping[str, float]], name: str) -> dict[str, float]:
    return figure([score[name] for score in scores], binary=name.startswith("hit"))


def _p50(measured: Measured, recipe: str) -> float:
    return statistics.quantile([outcome.answer.ms["total"] for outcome in measured.of(recipe)], 0.5)


# Types of questions -------------------------------------------------------------------------------


def slices(lab: Lab, compared: Sequence[Recipe]) -> list[Part]:
    """Compares recipes on each type of question."""
    made: list[Part] = []
    for measured in lab.measure(compared):
        found = {recipe.name: summary(measured, recipe.name) for recipe in compared}
        made += _slices(measured, found)
    return made


def _slices(measured: Measured, found: Mapping[str, Any]) -> list[Part]:
    name, metric = measured.setup.dataset.name, league.MAIN[measured.setup.unit]
    types = sorted({kind for each in found.values() for kind in each["types"]})
    by_type = {kind: {r: each["types"][kind] for r, each in found.items()} for kind in types}
    rows = [
        (kind, str(next(iter(each.values()))["right@1"]["n"]), *(share(e.get(metric)) for e in each.values()))
        for kind, each in by_type.items()
    ]
    spans = {kind: {r: span(e[metric]) for r, e in each.items() if metric in e} for kind, each in by_type.items()}
    title = f"{name}: {metric} by type"
    return [
        Table(title=title, head=("type", "n", *found), rows=tuple(rows)),
        Picture(title=title, svg=svg.bars(title, {kind: group for kind, group in spans.items() if group})),
    ]
