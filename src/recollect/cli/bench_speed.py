"""The command that measures speed: bench speed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import InvalidInput
from . import show
from .app import command
from .bench import bench_group
from .bench_lives import ReportFolder
from .bench_options import Recipes, recipes_named
from .bench_tables import write_study
from .options import Place

SIZES = {"1k": 1_000, "10k": 10_000, "100k": 100_000, "220k": 220_000, "1M": 1_000_000}
VECTORS = ("dense", "sparse")


@command(
    "speed",
    """
    recollect bench speed
    recollect bench speed --sizes 1k,10k,100k,220k,1M --recipes all
    recollect bench speed --sizes 220k --vectors dense,sparse
    recollect bench speed --peers --sizes 10k,100k
    """,
    of=bench_group,
)
def speed(
    place: Place,
    sizes: Annotated[
        str | None,
        typer.Option(
            "--sizes",
            metavar="A,B",
            help="Memories in a store: 1k, 10k, 100k, 220k, 1M, or a number; default: 1k,10k, with --peers 10k.",
        ),
    ] = None,
    recipes: Recipes = "all",
    vectors: Annotated[
        str, typer.Option("--vectors", metavar="A,B", help="dense: as of a model. sparse: mostly zeros.")
    ] = "dense",
    peers: Annotated[
        bool, typer.Option("--peers", help="Run add, open and recall on other libraries, beside recollect.")
    ] = False,
    libraries: Annotated[
        str, typer.Option("--libraries", metavar="A,B", help="Libraries that --peers runs, or all.")
    ] = "all",
    out: ReportFolder = "bench-out",
    cache: Annotated[
        str | None,
        typer.Option("--cache", metavar="DIR", help="Folder for the libraries of --peers; default: your cache folder."),
    ] = None,
) -> None:
    """Measure how fast stores of several sizes are.

    Builds each store of sentences with given vectors, so that no embedding is timed. Times adding, ingesting, recalling
    by each recipe and stage, opening, and the other calls. Every time is also shown as a multiple of one exact scan of
    all vectors. A store of 220k takes some minutes, one of 1M half an hour.

    --peers installs chromadb, lancedb, mem0, LangGraph's stores, txtai and openmem-engine, each in an environment of
    its own (about 8 GB, kept for later runs), and gives all of them the same texts, vectors and questions. What can't
    be installed or run is named with the reason. Only --sizes, --libraries, --out and --cache count then.
    """
    if peers:
        return _peers(_sizes(sizes or "10k"), libraries, out, cache, place)
    from ..bench.speed import run, tables

    plan = run.Plan(
        sizes=_sizes(sizes or "1k,10k"),
        recipes=[recipe.name for recipe in recipes_named(recipes)],
        vectors=_vectors(vectors),
    )
    measured = run.measure(plan, Path(out), show.say)
    found = {"sizes": list(plan.sizes), "recipes": list(plan.recipes), "vectors": list(plan.vectors)}
    details = {"measured": [each.to_dict() for each in measured]}
    write_study("speed", "Speed", tables.parts(measured), found, out, place, details)


def _peers(sizes: list[int], libraries: str, out: str, cache: str | None, place: Place) -> None:
    from ..bench.peers import packages, run, tables
    from .bench_options import cache_folder

    chosen = packages.named(libraries)
    measured = run.measure(sizes, Path(out), Path(cache) if cache else cache_folder() / "peers", show.say, chosen)
    details = {"measured": [each.to_dict() for each in measured]}
    settings = {"sizes": sizes, "libraries": [peer.name for peer in chosen]}
    write_study("speed-peers", "Speed beside other libraries", tables.parts(measured), settings, out, place, details)


def _sizes(given: str) -> list[int]:
    return [_size(word.strip()) for word in given.split(",") if word.strip()] or [SIZES["1k"]]


def _size(word: str) -> int:
    from ..bench.speed.sentences import MOST

    size = SIZES.get(word) or (int(word) if word.isdecimal() else 0)
    if not 100 <= size <= MOST:
        raise InvalidInput(f"--sizes: {word!r} is not one of {', '.join(SIZES)}, nor a number from 100 to {MOST:,}")
    return size


def _vectors(given: str) -> list[str]:
    found = [word.strip() for word in given.split(",") if word.strip()]
    if not found or not set(found) <= set(VECTORS):
        raise InvalidInput(f"--vectors must be of {', '.join(VECTORS)}, not {given!r}")
    return found
