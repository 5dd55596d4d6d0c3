"""Compares recipes: one table per dataset, the report as data, and the changes since an older report."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .. import __version__
from ..errors import InvalidInput
from ..keep.confidence_fit import enough, held_out
from ..recipes import toml
from . import calibrate, statistics
from .run import Measured, Plan
from .score import calibration, summary

VERSION = 1
HEADLINE = {
    "session": ("hit@1", "hit@5", "hit@10", "all@5", "mrr", "ndcg@10"),
    "turn": ("recall@1", "recall@5", "recall@10", "hit@5", "mrr", "ndcg@10"),
    "round": ("recall@1", "recall@5", "recall@10", "hit@5", "mrr", "ndcg@10"),
    "topic": ("hit@1", "hit@3", "hit@5", "coverage@5", "mrr", "ndcg@10"),
}
"""Unit → the columns of a dataset's table."""
MAIN = {"session": "hit@5", "turn": "recall@5", "round": "recall@5", "topic": "hit@1"}
"""Unit → the metric that a table is sorted by."""
COMPARED = ("hit@1", "hit@5", "recall@5", "recall@10", "mrr")


def report(plan: Plan, measured: Sequence[Measured]) -> dict[str, Any]:
    """The results of a run as JSON data."""
    sets = [_set(plan, each) for each in measured]
    found: dict[str, Any] = clean(
        {
            "report": VERSION,
            "recollect": __version__,
            "made": datetime.now(UTC).isoformat(timespec="seconds"),
            "embedder": plan.embedder.name,
            "protocol": plan.protocol,
            "granularity": plan.granularity,
            "limit": plan.limit,
            "recipes": {recipe.name: toml.to_dict(recipe) for recipe in plan.recipes},
            "sets": sets,
            "pooled_confidence": {recipe.name: _pooled(measured, recipe.name) for recipe in plan.recipes},
        }
    )
    return found


def _set(plan: Plan, measured: Measured) -> dict[str, Any]:
    dataset = measured.setup.dataset
    return {
        "name": dataset.name,
        "form": dataset.form,
        "unit": measured.setup.unit,
        "haystacks": len(dataset.haystacks),
        "stored": len({(place, getattr(what, "id", "")) for place, what in measured.setup.contents()}),
        "records": sum(len(haystack.records) for haystack in dataset.haystacks),
        "questions": len(dataset.questions),
        "answerable": sum(question.answerable for question in dataset.questions),
        "notes": list(dataset.notes),
        "recipes": {recipe.name: summary(measured, recipe.name) for recipe in plan.recipes},
    }


def _pooled(measured: Sequence[Measured], recipe: str) -> dict[str, Any]:
    """Calibration over all datasets together, because a threshold is one number for all questions. `five_fold` is the
    same by five-fold cross-validation: each model is fitted on four fifths of the questions, tested on the rest."""
    outcomes = [outcome for each in measured for outcome in each.of(recipe)]
    answers = [(outcome.answer, outcome.answerable) for outcome in outcomes]
    answers += [(outcome.without_gold, False) for outcome in outcomes if outcome.without_gold is not None]
    there, not_there = ([a.confidence for a, true in answers if true is wanted] for wanted in (True, False))
    examples = calibrate.of_outcomes(outcomes)
    refitted = _calibrated(*held_out(examples)) if enough(examples) else None
    return {**_calibrated(there, not_there), "five_fold": refitted}


def _calibrated(there: Sequence[float], not_there: Sequence[float]) -> dict[str, Any]:
    found = calibration(there, not_there)
    return {"auroc": statistics.auroc(there, not_there), **{k: found[k] for k in ("calibration_error", "reliability")}}


def clean(value: Any) -> Any:  # noqa: ANN401 - JSON
    """The value with NaN, which JSON does not have, replaced by null."""
    if isinstance(value, float):
        return None if math.isnan(value) else round(value, 6)
    if isinstance(value, Mapping):
        return {key: clean(item) for key, item in value.items()}
    return [clean(item) for item in value] if isinstance(value, list | tuple) else value


# Tables -------------------------------------------------------------------------------------------


def rows(found: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """(recipe, cells) of one dataset, best first."""
    columns = HEADLINE[found["unit"]]
    order = sorted(found["recipes"], key=lambda name: _main(found["recipes"][name], found["unit"]), reverse=True)
    for name in order:
        recipe = found["recipes"][name]
        cells = [share(recipe["overall"].get(column)) for column in columns]
        sure = recipe["abstention"]
        cells += [number(sure[key]) for key in ("auroc_gold_removed", "auroc")]
        cells.append(number(sure["calibration_error"]["value"]))
        cells += [share(sure["miss_empty"]), share(sure["valid_rejected"])]
        yield name, [*cells, f"{recipe['latency_ms']['total']['p50']:.1f}"]


def overview(found: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Every recipe's main metric on every dataset, sorted by the mean rank."""
    sets = found["sets"]
    places = {name: [_place(each, name) for each in sets] for name in found["recipes"]}
    order = sorted(places, key=lambda name: (statistics.mean(places[name]), name))
    head = ["recipe", *(f"{each['name']} {MAIN[each['unit']]}" for each in sets), "mean rank"]
    return head, [_overview_row(name, sets, places[name]) for name in order]


def _place(each: Mapping[str, Any], name: str) -> float:
    """The rank of a recipe, from 1. Recipes with the same value share the better rank."""
    mine = _main(each["recipes"][name], each["unit"])[0]
    return 1.0 + sum(_main(other, each["unit"])[0] > mine for other in each["recipes"].values())


def _overview_row(name: str, sets: Sequence[Mapping[str, Any]], places: Sequence[float]) -> list[str]:
    values = [share(each["recipes"][name]["overall"].get(MAIN[each["unit"]])) for each in sets]
    return [name, *values, f"{statistics.mean(places):.1f}"]


def headings(found: Mapping[str, Any]) -> list[str]:
    return [
        *HEADLINE[found["unit"]],
        "AUROC removed",
        "AUROC all",
        "cal. error",
        "miss empty",
        "valid rejected",
        "ms p50",
    ]


def _main(recipe: Mapping[str, Any], unit: str) -> tuple[float, float]:
    overall = recipe["overall"]
    return (overall[MAIN[unit]]["value"] or 0.0, overall["mrr"]["value"] or 0.0) if overall else (0.0, 0.0)


def number(value: float | None) -> str:
    """`.913`, or a dash if there is no value."""
    if value is None or math.isnan(value):
        return "–"
    return f"{value:.3f}".removeprefix("0") if 0 <= value < 0.9995 else f"{value:.3f}"


def share(figure: Mapping[str, Any] | None) -> str:
    """A value with its interval in percent: `.913 [73, 98]`."""
    if not figure or figure["value"] is None or not figure["n"]:
        return "–"
    return f"{number(figure['value'])} [{figure['low'] * 100:.0f}, {figure['high'] * 100:.0f}]"


def confidence(found: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """AUROC and calibration error with its interval, over all datasets: of the model in use, and by five-fold
    cross-validation."""
    pooled = found["pooled_confidence"]
    kinds = ("", "five-fold ")
    head = ["recipe", *(f"{kind}{what}" for kind in kinds for what in ("AUROC", "cal. error", "95% interval"))]
    return head, [[name, *_sure(each), *_sure(each["five_fold"])] for name, each in pooled.items()]


def _sure(each: Mapping[str, Any] | None) -> list[str]:
    if each is None:
        return ["–", "–", "–"]
    error = each["calibration_error"]
    return [number(each["auroc"]), number(error["value"]), f"[{number(error['low'])}, {number(error['high'])}]"]


# Comparison with an earlier report ----------------------------------------------------------------


def load(path: str | Path) -> dict[str, Any]:
    """Loads the report of an earlier run."""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidInput(f"{path} can't be read: {error.strerror}") from None
    except ValueError:
        raise InvalidInput(f"{path}: not a JSON report of `recollect bench quality`") from None
    if not isinstance(found, dict) or found.get("report") != VERSION or "sets" not in found:
        raise InvalidInput(f"{path}: not a version {VERSION} report of `recollect bench quality`")
    return found


def compare(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The changes for each dataset, recipe and metric of both reports, over the questions of both."""
    before = {(each["name"], each["unit"]): each for each in old["sets"]}
    return [
        change
        for each in new["sets"]
        if (each["name"], each["unit"]) in before
        for change in _changes(before[each["name"], each["unit"]], each)
    ]


def _changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for recipe in new["recipes"]:
        if recipe not in old["recipes"]:
            continue
        first, second = old["recipes"][recipe]["scores"], new["recipes"][recipe]["scores"]
        both = sorted(first.keys() & second.keys())
        for metric in COMPARED if both else ():
            found = statistics.paired([first[q][metric] for q in both], [second[q][metric] for q in both])
            yield {"set": new["name"], "recipe": recipe, "metric": metric, **_change(found)}


def head_to_head(found: Mapping[str, Any], first: str, metric: str) -> list[dict[str, Any]]:
    """One recipe compared with every other on the same questions."""
    scores = {name: recipe["scores"] for name, recipe in found["recipes"].items()}
    mine = scores.get(first, {})
    return [
        {
            "set": found["name"],
            "recipe": f"{first} against {name}",
            "metric": metric,
            **_change(statistics.paired([other[q][metric] for q in mine], [mine[q][metric] for q in mine])),
        }
        for name, other in scores.items()
        if name != first and mine
    ]


def _change(found: statistics.Difference) -> dict[str, Any]:
    return clean({**asdict(found), "change": found.change, "verdict": found.verdict})  # type: ignore[no-any-return]
