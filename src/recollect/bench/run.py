"""Runs datasets × recipes on separate stores, and saves every answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from ..embedders.protocol import Embedder
from ..progress import progress
from ..recipes import toml
from ..recipes.recipe import Recipe
from .build import Advance, Protocol, Setup, build, parts, reopened
from .data import Dataset, Question
from .evaluate import Evaluator, Outcome
from .results import Results

LIMIT = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to measure, and how."""

    recipes: tuple[Recipe, ...]
    embedder: Embedder
    protocol: Protocol = "own"
    granularity: str = "hybrid"
    limit: int = LIMIT
    abstention: bool = True
    progress: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """All answers of one dataset for one plan."""

    setup: Setup
    outcomes: tuple[Outcome, ...]

    def of(self, recipe: str) -> tuple[Outcome, ...]:
        return tuple(outcome for outcome in self.outcomes if outcome.recipe == recipe)


def measure(dataset: Dataset, plan: Plan, folder: Path, results: Results | None = None) -> Measured:
    """Asks the questions that were not asked yet, and returns all answers."""
    setup = Setup(dataset=dataset, protocol=plan.protocol, granularity=plan.granularity, embedder=plan.embedder)
    kept = results or Results(folder)
    stores = parts(setup)
    todo = [(part, _todo(kept, part, plan)) for part in stores]
    open_ones = [(part, missing) for part, missing in todo if missing]
    _store([part for part, _ in open_ones], plan, folder)
    with progress(f"asking {dataset.name}", len(dataset.questions), plan.progress) as advance:
        advance(len(dataset.questions) - sum(len(missing) for _, missing in open_ones))
        for part, missing in open_ones:
            _ask(part, plan, folder, kept, missing, advance)
    return Measured(setup=setup, outcomes=tuple(outcome for part in stores for outcome in _all(kept, part, plan)))


def _todo(kept: Results, setup: Setup, plan: Plan) -> dict[Question, list[Recipe]]:
    runs = _runs(setup, plan)
    found = {question: _missing(kept, runs, plan, question.id) for question in setup.dataset.questions}
    return {question: recipes for question, recipes in found.items() if recipes}


def _store(setups: Sequence[Setup], plan: Plan, folder: Path) -> None:
    total = sum(1 for setup in setups for _ in setup.contents())
    name = setups[0].dataset.name if setups else ""
    with progress(f"storing {name}", total, plan.progress and bool(setups)) as advance:
        for setup in setups:
            build(setup, folder, advance)


def _ask(
    setup: Setup,
    plan: Plan,
    folder: Path,
    kept: Results,
    todo: Mapping[Question, Sequence[Recipe]],
    advance: Advance,
) -> None:
    runs = _runs(setup, plan)
    with reopened(setup, folder) as mind:
        evaluator = Evaluator(mind=mind, setup=setup, limit=plan.limit, abstention=plan.abstention)
        evaluator.warm_up(next(iter(todo)), plan.recipes)
        for question, recipes in todo.items():
            kept.add([runs[recipe.name] for recipe in recipes], evaluator.ask(question, recipes))
            advance(1)


def _missing(kept: Results, runs: Mapping[str, str], plan: Plan, question: str) -> list[Recipe]:
    return [recipe for recipe in plan.recipes if kept.get(runs[recipe.name], recipe.name, question) is None]


def _all(kept: Results, setup: Setup, plan: Plan) -> Iterator[Outcome]:
    for name, run in _runs(setup, plan).items():
        found = (kept.get(run, name, question.id) for question in setup.dataset.questions)
        yield from (outcome for outcome in found if outcome is not None)


def _runs(setup: Setup, plan: Plan) -> dict[str, str]:
    """Recipe → a digest of everything its answers depend on: the store, the recipe and the limit."""
    shared = f"{setup.digest}\0{plan.limit}\0{plan.abstention}"
    said = {recipe.name: f"{shared}\0{toml.dumps(recipe)}".encode() for recipe in plan.recipes}
    return {name: blake2b(each, digest_size=8).hexdigest() for name, each in said.items()}
