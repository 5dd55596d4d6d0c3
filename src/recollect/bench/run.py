"""A run: data sets × recipes over isolated stores, every answer kept on the way."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from ..embedders.protocol import Embedder
from ..recipes import toml
from ..recipes.recipe import Recipe
from .asking import Asker, Outcome
from .build import Advance, Protocol, Setup, build, parts
from .data import Dataset
from .results import Results

LIMIT = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be measured, and how."""

    recipes: tuple[Recipe, ...]
    embedder: Embedder
    protocol: Protocol = "own"
    granularity: str = "hybrid"
    limit: int = LIMIT
    abstention: bool = True
    progress: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """All answers of one data set under one plan."""

    setup: Setup
    outcomes: tuple[Outcome, ...]

    def of(self, recipe: str) -> tuple[Outcome, ...]:
        return tuple(outcome for outcome in self.outcomes if outcome.recipe == recipe)


def measure(dataset: Dataset, plan: Plan, folder: Path, results: Results | None = None) -> Measured:
    """Asks what has not been asked yet, and gives all answers."""
    setup = Setup(dataset=dataset, protocol=plan.protocol, granularity=plan.granularity, embedder=plan.embedder)
    kept = results or Results(folder)
    files = parts(setup)
    for part in files:
        _ask_part(part, plan, folder, kept)
    return Measured(setup=setup, outcomes=tuple(outcome for part in files for outcome in _all(kept, part, plan)))


def _ask_part(setup: Setup, plan: Plan, folder: Path, kept: Results) -> None:
    questions = setup.dataset.questions
    todo = [question for question in questions if _missing(kept, setup, plan, question.id)]
    if not todo:
        return
    with _bars(plan.progress) as bar, build(setup, folder, bar) as mind:
        asker = Asker(mind=mind, setup=setup, limit=plan.limit, abstention=plan.abstention)
        asker.warm_up(todo[0], plan.recipes)
        advance = bar(f"asking {setup.dataset.name}", len(questions))
        advance(len(questions) - len(todo))
        for question in todo:
            recipes = _missing(kept, setup, plan, question.id)
            kept.add([_run(setup, plan, recipe) for recipe in recipes], asker.ask(question, recipes))
            advance(1)


def _missing(kept: Results, setup: Setup, plan: Plan, question: str) -> list[Recipe]:
    return [r for r in plan.recipes if kept.get(_run(setup, plan, r), r.name, question) is None]


def _all(kept: Results, setup: Setup, plan: Plan) -> Iterator[Outcome]:
    for recipe in plan.recipes:
        run = _run(setup, plan, recipe)
        for question in setup.dataset.questions:
            if outcome := kept.get(run, recipe.name, question.id):
                yield outcome


def _run(setup: Setup, plan: Plan, recipe: Recipe) -> str:
    """Names what the answers depend on: the store, the recipe's numbers, and how deep was asked."""
    said = f"{setup.digest}\0{plan.limit}\0{plan.abstention}\0{toml.dumps(recipe)}"
    return blake2b(said.encode(), digest_size=8).hexdigest()


@contextmanager
def _bars(wanted: bool) -> Iterator[Callable[[str, int], Advance]]:
    """One bar after the other on stderr, or none."""
    with ExitStack() as last:

        def bar(what: str, total: int) -> Advance:
            last.close()
            if not wanted or not sys.stderr.isatty():
                return lambda count: None
            from ..progress import bar as drawn

            return last.enter_context(drawn(what, total))

        yield bar
