"""Options of the commands that measure, and what they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from ..errors import InvalidInput
from .options import complete_recipe, one_of

if TYPE_CHECKING:
    from ..bench.data import Dataset
    from ..embedders.protocol import Embedder
    from ..recipes.recipe import Recipe

GRANULARITIES = ("hybrid", "turn", "round", "session", "fact")
PROTOCOLS = ("own", "pooled")

Data: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--data",
        metavar="PATH",
        help="An official file of LongMemEval, LoCoMo, BEAM or MemDaily, or a scenario (repeatable); "
        "default: the scenarios included in the package.",
    ),
]
Recipes: TypeAlias = Annotated[
    str, typer.Option("--recipes", metavar="A,B", help="Recipes or .toml files, separated by commas; or all.")
]
ProtocolOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--protocol",
        metavar="HOW",
        help="own: each question on its own haystack. pooled: all haystacks in one store.",
        autocompletion=one_of(lambda: PROTOCOLS),
    ),
]
GranularityOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--granularity",
        metavar="SIZE",
        help="How conversations are stored: hybrid, turn, round, session or fact.",
        autocompletion=one_of(lambda: GRANULARITIES),
    ),
]
EmbedderOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--embedder",
        metavar="NAME",
        help="recollect-30m, recollect-multilingual, granite, hashing or openai:MODEL@URL.",
    ),
]
Questions: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--limit-questions",
        metavar="N",
        help="At most N questions of each file, evenly spread (scenarios: all).",
        min=1,
    ),
]
Out: TypeAlias = Annotated[
    str,
    typer.Option("--out", metavar="DIR", help="Folder for stores, answers and reports; later runs reuse them."),
]
Cache: TypeAlias = Annotated[
    str | None, typer.Option("--cache", metavar="DIR", help="Folder for cached vectors; default: your cache folder.")
]
Fresh: TypeAlias = Annotated[
    bool, typer.Option("--fresh", help="Ask everything again; needed after a change of the code.")
]

OneRecipe: TypeAlias = Annotated[
    str,
    typer.Option("--recipe", metavar="NAME", help="A recipe's name, or a .toml file.", autocompletion=complete_recipe),
]


# What was given -----------------------------------------------------------------------------------


def load_datasets(paths: Sequence[str] | None, questions: int | None) -> list[Dataset]:
    from ..bench.datasets import load, scenario_files

    chosen = [part for path in paths or () for part in path.split(",") if part]
    found = [load(path) for path in chosen or scenario_files().values()]
    return [dataset if dataset.form == "scenario" else dataset.sample(questions) for dataset in found]


def recipes_named(named: str) -> tuple[Recipe, ...]:
    from .. import recipes

    chosen = recipes.names() if named == "all" else [name.strip() for name in named.split(",") if name.strip()]
    if not chosen:
        raise InvalidInput("--recipes is empty: name at least one, or all")
    found = {recipe.name: recipe for recipe in map(recipes.load, dict.fromkeys(chosen))}
    if len(found) < len(set(chosen)):
        raise InvalidInput("--recipes: two of them have the same name: change `name` in one of the files")
    return tuple(found.values())


def cached_embedder(name: str, folder: str | None) -> Embedder:
    from .. import embedders
    from ..embedders.cached import Cached

    inner = embedders.load(name)
    return inner if name == "hashing" else Cached(inner, folder or cache_folder())


def cache_folder() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("recollect") / "bench"


def word_of(option: str, value: str, known: Sequence[str]) -> Any:  # noqa: ANN401 - the literal itself
    if value not in known:
        raise InvalidInput(f"{option} must be one of {', '.join(known)}, not {value!r}")
    return value
