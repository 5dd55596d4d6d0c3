"""The command `calibrate`: fits confidence to a store, if that makes it better."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import show
from .app import command
from .bench_options import Cache, OneRecipe, Questions, cached_embedder, load_datasets
from .bench_tables import table
from .options import Place

if TYPE_CHECKING:
    from ..keep.confidence_fit import Example
    from ..keep.model_choice import Calibration, Quality, RefusedQuestion
    from ..recollect import Recollect


@command(
    "calibrate",
    """
    recollect calibrate --db agent.db --preview
    recollect calibrate --db agent.db --data labelled.json
    recollect calibrate --db agent.db --clear
    """,
)
def calibrate(
    place: Place,
    data: Annotated[
        str | None,
        typer.Option("--data", metavar="PATH", help="Fit on the questions of this benchmark file or scenario."),
    ] = None,
    recipe: OneRecipe = "default",
    limit_questions: Questions = None,
    cache: Cache = None,
    preview: Annotated[
        bool, typer.Option("--preview", help="Show the numbers and what would be refused; change nothing.")
    ] = False,
    clear: Annotated[
        bool, typer.Option("--clear", help="Remove the fitted model; the built-in one is used again.")
    ] = False,
) -> None:
    """Fit confidence to your store, if that makes it better.

    Asks questions on a copy of the store, with their answers there and without them. The questions are those of the
    recall log with feedback, or are made from memories; at least 50 are needed. With --data, they are the questions of
    a file. The fitted model is used only if it refuses fewer answerable questions and has a higher AUROC than the
    built-in one, both beyond chance. Otherwise the built-in one is used. Shows questions that the fitted model would
    refuse.
    """
    with place.open(recipe=recipe) as mind:
        if clear:
            mind.clear_calibration()
            return show.answer(place.as_json, {"cleared": True}, lambda: show.line("the built-in model is used again"))
        examples = None if data is None else _examples(mind, data, limit_questions, cache)
        found = mind.calibrate(examples, namespace=place.namespace, preview=preview, progress=True)
        name = mind.embedder.name
    show.answer(place.as_json, _values(found, name, preview), lambda: _draw(found, name, preview))


def _examples(mind: Recollect, data: str, questions: int | None, cache: str | None) -> list[Example]:
    """From a benchmark file or scenario."""
    from ..bench.calibrate import from_dataset
    from ..bench.run import Plan

    plan = Plan(recipes=(mind.recipe,), embedder=cached_embedder(mind.embedder.name, cache), progress=True)
    with tempfile.TemporaryDirectory(prefix="recollect-calibrate-") as folder:
        return from_dataset(load_datasets([data], questions)[0], plan, Path(folder))


def _values(found: Calibration, embedder: str, preview: bool) -> dict[str, Any]:
    data = asdict(found)
    return {"embedder": embedder, "kept": found.better and not preview, **data.pop("fitted"), **data}


def _draw(found: Calibration, embedder: str, preview: bool) -> None:
    fit = found.fitted
    asked = ", ".join(f"{count} {source}" for source, count in found.sources.items() if count)
    show.line(f"questions: {asked}; {fit.examples} examples with {embedder}")
    rows = [_qualities("built-in", found.built_in), _qualities("fitted", found.new)]
    table(["model", "AUROC", "answerable, refused", "absent, refused"], rows)
    show.line(show.dim(f"The fitted model is cross-validated; its calibration error is {fit.calibration_error:.3f}."))
    show.line("model: " + ", ".join(f"{name} {weight:+.2f}" for name, weight in asdict(fit.model).items()))
    similar = "" if fit.similarity_tau is None else f"; on similarity {fit.similarity_tau:.3f}"
    show.line(f"threshold on confidence {fit.tau:.3f}{similar} (for a recipe of your own)")
    if found.refused:
        _draw_refused(found.refused)
    show.line(_what_is_used(found, preview))


def _qualities(name: str, quality: Quality) -> list[str]:
    wrongly = f"{quality.wrongly_refused} of {quality.answerable}"
    return [name, f"{quality.auroc:.3f}", wrongly, f"{quality.rightly_refused} of {quality.absent}"]


def _draw_refused(refused: Sequence[RefusedQuestion]) -> None:
    show.line("The fitted model would refuse, among others:" if len(refused) > 1 else "The fitted model would refuse:")
    table(
        ["fitted", "built-in", "", "question"],
        [
            [
                f"{q.fitted:.2f}",
                f"{q.built_in:.2f}",
                "wrongly" if q.answerable else "rightly",
                show.printable(q.question),
            ]
            for q in refused
        ],
    )


def _what_is_used(found: Calibration, preview: bool) -> str:
    if not found.better:
        used = "nothing was changed" if preview else "the built-in model is used"
        return f"{used}. The fitted model is not better: {found.reason}"
    if preview:
        return f"nothing was changed. The fitted model is better: {found.reason}"
    return f"the fitted model is kept in the store: {found.reason}; --clear removes it"
