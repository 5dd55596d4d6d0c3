"""Tables that show recipes side by side, for answers that are right or wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from . import league, report, svg
from .html_page import Picture, Table
from .score import Figure, figure


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """One answer of one recipe. `values` are 0 or 1; a measure that does not apply is missing."""

    question: str
    recipe: str
    type: str
    values: Mapping[str, float]


Figures: TypeAlias = dict[str, Figure]
Groups: TypeAlias = dict[str, dict[str, Figures]]
"""Group → recipe → measure → figure."""


def grouped(scored: Iterable[Scored], group: Callable[[Scored], str], measures: Sequence[str]) -> Groups:
    """The figures of each group, in the order of the groups' first answers."""
    found: dict[str, dict[str, list[Scored]]] = {}
    for one in scored:
        found.setdefault(group(one), {}).setdefault(one.recipe, []).append(one)
    return {
        name: {recipe: figures(answers, measures) for recipe, answers in by_recipe.items()}
        for name, by_recipe in found.items()
    }


def figures(answers: Sequence[Scored], measures: Sequence[str]) -> Figures:
    values = {measure: [one.values[measure] for one in answers if measure in one.values] for measure in measures}
    return {measure: figure(each, binary=True) for measure, each in values.items() if each}


def table(title: str, what: str, groups: Groups, measures: Sequence[str], counted: Sequence[str], note: str) -> Table:
    """One row for each group and recipe. Its n are the numbers of answers that the `counted` measures apply to."""
    rows = [
        (group, recipe, _count(found, counted), *(league.share(found.get(measure)) for measure in measures))
        for group, by_recipe in groups.items()
        for recipe, found in by_recipe.items()
    ]
    return Table(title=title, head=(what, "recipe", "n", *measures), rows=tuple(rows), notes=(note,))


def _count(found: Figures, counted: Sequence[str]) -> str:
    return " + ".join(str(found[measure]["n"]) for measure in counted if measure in found)


def picture(title: str, groups: Groups, measure: str) -> Picture:
    spans = {
        group: {recipe: report.span(found[measure]) for recipe, found in by_recipe.items() if measure in found}
        for group, by_recipe in groups.items()
    }
    return Picture(title=title, svg=svg.bars(title, {group: shown for group, shown in spans.items() if shown}))


def compared(name: str, scored: Sequence[Scored], measures: Sequence[str]) -> list[Table]:
    """The first recipe against each other one, paired over the same questions. Empty if there is only one."""
    recipes = list(dict.fromkeys(one.recipe for one in scored))
    changes = [change for measure in measures for change in _changes(name, scored, recipes, measure)]
    return [report.changes(f"{recipes[0]} compared with the others", changes)] if changes else []


def _changes(name: str, scored: Sequence[Scored], recipes: Sequence[str], measure: str) -> list[dict[str, Any]]:
    scores: dict[str, dict[str, Any]] = {recipe: {"scores": {}} for recipe in recipes}
    for one in scored:
        if measure in one.values:
            scores[one.recipe]["scores"][one.question] = one.values
    return league.head_to_head({"name": name, "recipes": scores}, recipes[0], measure)
