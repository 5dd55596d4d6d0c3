"""Commands that replay conversations and ask at each question's moment: bench lives and bench statebench."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from ..embedders import DEFAULT
from ..errors import InvalidInput
from . import show
from .app import command
from .bench import bench_group
from .bench_options import Cache, EmbedderOption, Recipes, cached_embedder, recipes_named
from .bench_tables import write_study
from .options import Place

if TYPE_CHECKING:
    from ..bench.replay import Replay

HITS_SHOWN = 3
LINE_SHOWN = 140
"""Characters of a message shown for a question that was answered wrongly."""
LivesEmbedder: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--embedder",
        metavar="NAME",
        help="recollect-30m, recollect-multilingual, granite, hashing or openai:MODEL@URL; default: as in a new store, "
        "which changes to an embedder that reads the language.",
    ),
]
ReportFolder: TypeAlias = Annotated[str, typer.Option("--out", metavar="DIR", help="Folder for the report.")]


@command(
    "lives",
    """
    recollect bench lives
    recollect bench lives --recipes default,memx,vector,bm25
    recollect bench lives mine.json --show now
    recollect bench lives --check mine.json
    """,
    of=bench_group,
)
def lives(
    place: Place,
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE...", help="Lives; default: the lives included in the package."),
    ] = None,
    recipes: Recipes = "default",
    embedder: LivesEmbedder = None,
    tend: Annotated[bool, typer.Option("--tend", help="Run maintenance after every eight sessions.")] = False,
    show_type: Annotated[
        str | None,
        typer.Option(
            "--show", metavar="TYPE", help="Also print the questions of this type that were answered wrongly."
        ),
    ] = None,
    out: ReportFolder = "bench-out",
    cache: Cache = None,
    check: Annotated[bool, typer.Option("--check", help="Only check the form and the labels of the files.")] = False,
) -> None:
    """Ask questions about months of a person's conversations.

    Sessions are stored in the order of time, and each question is asked at its own moment. Shows how often the first
    hit is evidence, how often an outdated message stands above it, and how often questions without an answer are
    refused. Writes lives.json and lives.html.
    """
    from ..bench import life_study
    from ..bench.datasets import life
    from ..bench.league import clean

    chosen = files or [str(path) for path in life.life_files()]
    if check:
        return _check(chosen, place)
    if show_type:
        life_study.check_type(show_type)
    read = [life.load(path) for path in chosen]
    told = life_study.run(read, _replay(recipes, embedder, cache, life.LIMIT, tends=tend))
    found = life_study.figures(told)
    missed = life_study.missed(told, show_type) if show_type else []
    data = {"embedder": embedder or "automatic", "tend": tend, "figures": clean(found), "missed": missed}
    answers = {"answers": [life_study.answer(one) for one in told]}
    write_study("lives", "Lives", life_study.parts(told, found), data, out, place, answers)
    if not place.as_json:
        _draw_missed(missed)


@command("statebench", "recollect bench statebench dev.jsonl --recipes default,vector", of=bench_group)
def statebench(
    place: Place,
    file: Annotated[str, typer.Argument(metavar="FILE", help="An official file of StateBench (.jsonl, may be .gz).")],
    recipes: Recipes = "default",
    embedder: EmbedderOption = DEFAULT,
    out: ReportFolder = "bench-out",
    cache: Cache = None,
) -> None:
    """Ask StateBench's queries about what changed, without an LLM.

    Only the conversation turns are stored. Shows how often the hits contain what an answer must mention, and nothing
    that it must not. Writes statebench.json and statebench.html.
    """
    from ..bench import state_study
    from ..bench.datasets.statebench import load

    found = load(file)
    answered = state_study.run(found, _replay(recipes, embedder, cache, state_study.LIMIT))
    data = {"file": file, "embedder": embedder, "figures": state_study.figures(answered)}
    write_study("statebench", "StateBench", state_study.parts(found, answered), data, out, place)


def _replay(recipes: str, embedder: str | None, cache: str | None, limit: int, tends: bool = False) -> Replay:
    from ..bench.replay import Replay

    chosen = None if embedder is None else cached_embedder(embedder, cache)
    return Replay(recipes=recipes_named(recipes), embedder=chosen, limit=limit, tends=tends)


# Lives --------------------------------------------------------------------------------------------


def _check(paths: Sequence[str], place: Place) -> None:
    """Says what is wrong with each file, and ends with status 2 if something is."""
    found = [_checked(path) for path in paths]
    show.answer(place.as_json, found, lambda: _draw_checks(found))
    bad = sum(bool(each["problems"]) for each in found)
    if bad:
        raise InvalidInput(f"{bad} of {len(found)} files can't be used")


def _checked(path: str) -> dict[str, Any]:
    from ..bench.datasets import life

    try:
        read = life.read_life(path)
    except InvalidInput as error:
        return {"file": path, "problems": [str(error).removeprefix(f"{path}: ")]}
    counts = {
        "sessions": len(read.sessions),
        "messages": len(read.said),
        "questions": len(read.questions),
    }
    return {"file": path, "name": read.name, **counts, "problems": life.problems(read)}


def _draw_checks(found: Sequence[Mapping[str, Any]]) -> None:
    for each in found:
        for problem in each["problems"]:
            show.line(show.printable(f"{each['file']}: {problem}"))
        if not each["problems"]:
            counts = ", ".join(f"{each[name]} {name}" for name in ("sessions", "messages", "questions"))
            show.line(show.printable(f"{each['file']}: valid: {counts}"))


def _draw_missed(missed: Sequence[Mapping[str, Any]]) -> None:
    for each in missed:
        sure = f"confidence {each['confidence']:.2f}" + (f", refused: {each['rejected']}" if each["rejected"] else "")
        show.line(show.bold(show.printable(f"{each['question']} ({each['recipe']}, {sure}): {each['text']}")))
        for key, text in each["evidence"].items():
            show.line(_one_line(f"  want       {key:<7} {text}"))
        for hit in each["hits"][:HITS_SHOWN]:
            show.line(_one_line(f"  got  {hit['score']:<5.2f} {hit['message']:<7} {hit['text']}"))
        show.line()


def _one_line(text: str) -> str:
    return show.shortened(show.printable(text.replace("\n", " ")), LINE_SHOWN)
