"""Commands that measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..embedders import DEFAULT
from ..errors import InvalidInput
from . import show
from .app import callback, command, group
from .bench_options import (
    GRANULARITIES,
    PROTOCOLS,
    Cache,
    Data,
    EmbedderOption,
    Fresh,
    GranularityOption,
    OneRecipe,
    Out,
    ProtocolOption,
    Questions,
    Recipes,
    cached_embedder,
    load_datasets,
    recipes_named,
    word_of,
)
from .bench_tables import table, write_study
from .options import Place

if TYPE_CHECKING:
    from ..bench import studies
    from ..bench.data import Dataset
    from ..bench.run import Plan


@dataclass(frozen=True, kw_only=True)
class Lab:
    """Options that every study takes."""

    data: Data = None
    protocol: ProtocolOption = "own"
    embedder: EmbedderOption = DEFAULT
    limit_questions: Questions = None
    out: Out = "bench-out"
    cache: Cache = None
    fresh: Fresh = False

    def settings(self) -> dict[str, Any]:
        return {"data": self.data, "protocol": self.protocol, "embedder": self.embedder}

    def open(self) -> studies.Lab:
        from ..bench.results import Results
        from ..bench.run import Plan
        from ..bench.studies import Lab as Opened

        plan = Plan(
            recipes=(),
            embedder=cached_embedder(self.embedder, self.cache),
            protocol=word_of("--protocol", self.protocol, PROTOCOLS),
            progress=True,
        )
        datasets = tuple(load_datasets(self.data, self.limit_questions))
        return Opened(
            datasets=datasets, plan=plan, out=Path(self.out), results=Results(Path(self.out), fresh=self.fresh)
        )


bench_group = group("bench", "Measure quality on benchmark files and scenarios.")


@callback(
    bench_group,
    """
    recollect bench quality
    recollect bench quality --data locomo10.json --recipes default,bm25
    """,
)
def bench(ctx: typer.Context, place: Place) -> None:
    """Measure quality. `bench quality` compares recipes; each other command studies one thing."""
    if ctx.invoked_subcommand is not None:
        return place.refuse_before(ctx.invoked_subcommand)
    show.line(ctx.get_help())


@command(
    "quality",
    """
    recollect bench quality --recipes default,bm25,vector
    recollect bench quality --data longmemeval_s.json --protocol pooled
    recollect bench quality --data locomo10.json --compare old/report.json
    """,
    of=bench_group,
)
def quality(
    place: Place,
    data: Data = None,
    recipes: Recipes = "default",
    protocol: ProtocolOption = "own",
    granularity: GranularityOption = "hybrid",
    embedder: EmbedderOption = DEFAULT,
    limit_questions: Questions = None,
    out: Out = "bench-out",
    cache: Cache = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Hits per question.", min=1)] = 10,
    no_abstention: Annotated[
        bool, typer.Option("--no-abstention", help="Skip asking again with the gold removed; takes half the time.")
    ] = False,
    compare: Annotated[
        str | None, typer.Option("--compare", metavar="REPORT", help="Show what changed since this report.json.")
    ] = None,
    fresh: Fresh = False,
) -> None:
    """Compare recipes on the same questions and stores.

    Writes report.json, report.html and pictures to --out. After Ctrl-C, the same command continues where it stopped.
    """
    from ..bench import league
    from ..bench.run import Plan

    before = league.load(compare) if compare else None
    plan = Plan(
        recipes=recipes_named(recipes),
        embedder=cached_embedder(embedder, cache),
        protocol=word_of("--protocol", protocol, PROTOCOLS),
        granularity=word_of("--granularity", granularity, GRANULARITIES),
        limit=limit,
        abstention=not no_abstention,
        progress=True,
    )
    found = league.report(plan, _measure(load_datasets(data, limit_questions), plan, Path(out), fresh))
    if before:
        found["changes"] = league.compare(before, found)
    _write(found, Path(out), place)


@command("sweep", "recollect bench sweep --recipe memx", of=bench_group)
def sweep(place: Place, lab: Lab, recipe: OneRecipe = "memx") -> None:
    """Try many rejection thresholds: what each rejects, rightly and wrongly.

    Each question is asked once; the effect of a threshold is computed from its signals. Writes sweep.json and
    sweep.html.
    """
    from .. import recipes
    from ..bench import studies

    _show("sweep", "Threshold sweep", studies.sweep(lab.open(), recipes.load(recipe)), lab, place)


@command(
    "ablation",
    """
    recollect bench ablation --recipe memx
    recollect bench ablation --data locomo10.json --how leave-one-out
    """,
    of=bench_group,
)
def ablation(
    place: Place,
    lab: Lab,
    recipe: OneRecipe = "default",
    how: Annotated[
        str,
        typer.Option(
            "--how", metavar="HOW", help="cumulative: add one part at a time. leave-one-out: remove one part."
        ),
    ] = "cumulative",
) -> None:
    """Measure what each part of a recipe contributes.

    For memx the cumulative steps are the paper's: V, V+K, V+K+Rej, Full. Writes ablation.json and ablation.html.
    """
    from .. import recipes
    from ..bench import ablate, studies

    whole = recipes.load(recipe)
    alone = word_of("--how", how, ("cumulative", "leave-one-out")) == "leave-one-out"
    adding = ablate.memx_steps() if whole.name == "memx" else ablate.cumulative(whole)
    found = studies.ablation(
        lab.open(),
        ablate.leave_one_out(whole) if alone else adding,
        f"{whole.name}, {how}",
        "the first row" if alone else "the row above",
    )
    _show("ablation", f"Ablation of {whole.name}", found, lab, place)


@command("granularity", "recollect bench granularity --data longmemeval_s.json --protocol pooled", of=bench_group)
def granularity(place: Place, lab: Lab, recipe: OneRecipe = "default") -> None:
    """Compare storing conversations as sessions, rounds, turns, facts, or turns and facts.

    Writes granularity.json and granularity.html.
    """
    from .. import recipes
    from ..bench import studies

    if not lab.data:
        raise InvalidInput("granularity needs conversations: name a file of LongMemEval, LoCoMo or BEAM with --data")
    _show("granularity", "Granularity", studies.granularity(lab.open(), recipes.load(recipe)), lab, place)


@command("slices", "recollect bench slices --embedder granite", of=bench_group)
def slices(
    place: Place,
    lab: Lab,
    recipes: Recipes = "bm25,vector,default",
) -> None:
    """Ask seven kinds of questions, some for search by words and some for search by meaning.

    Identifiers, proper nouns, short entries, paraphrase, conceptual, cross-language, long-form; or the types of
    --data. Writes slices.json and slices.html.
    """
    from ..bench import studies
    from ..bench.datasets import scenario_files

    known = lab if lab.data else replace(lab, data=[str(scenario_files()["slices_en"])])
    _show("slices", "Slices", studies.slices(known.open(), recipes_named(recipes)), known, place)


def _show(stem: str, title: str, parts: Sequence[Any], lab: Lab, place: Place) -> None:
    write_study(stem, title, parts, lab.settings(), lab.out, place)


def _measure(datasets: Sequence[Dataset], plan: Plan, out: Path, fresh: bool) -> list[Any]:
    from ..bench.results import Results
    from ..bench.run import measure

    results = Results(out, fresh=fresh)
    return [measure(dataset, plan, out, results) for dataset in datasets]


def _write(found: dict[str, Any], out: Path, place: Place) -> None:
    from ..bench import report

    written = report.write(found, out)
    show.answer(place.as_json, _brief(found), lambda: _draw(found))
    show.say(f"written: {', '.join(map(str, written))}")


def _brief(found: dict[str, Any]) -> dict[str, Any]:
    """Without the lists of single questions, which are in report.json."""
    hidden = ("scores", "said", "true", "reliability")
    if isinstance(found, dict):
        return {key: _brief(value) for key, value in found.items() if key not in hidden}
    return found


def _draw(found: dict[str, Any]) -> None:
    from ..bench import league

    for each in found["sets"]:
        show.line(
            show.bold(f"{each['name']}: {each['answerable']} + {each['questions'] - each['answerable']} questions")
        )
        show.line(show.dim(f"{found['protocol']} · {found['granularity']} · {found['embedder']} · {each['unit']}s"))
        table(["recipe", *league.headings(each)], [[name, *cells] for name, cells in league.rows(each)])
        for note in each["notes"]:
            show.line(show.dim(note))
        show.line()
    if len(found["sets"]) > 1 and len(found["recipes"]) > 1:
        show.line(show.bold("League"))
        table(*league.overview(found))
        show.line()
    show.line(show.bold("Confidence, all sets together"))
    table(*league.confidence(found))
    for change in found.get("changes", ()):
        show.line(changed(change))


def changed(change: dict[str, Any]) -> str:
    return (
        f"{change['set']} {change['recipe']} {change['metric']}: {change['before']:.3f} → {change['after']:.3f} "
        f"({change['change']:+.3f} [{change['low']:+.3f}, {change['high']:+.3f}], p {change['p']:.2g}): "
        f"{change['verdict']}"
    )
