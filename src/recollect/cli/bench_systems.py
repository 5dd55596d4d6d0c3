"""Commands that print a document's own tables beside ours: bench memx, openmem, memsense, siestai and bm25."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from ..embedders import DEFAULT
from ..errors import InvalidInput
from .app import command
from .bench import bench_group
from .bench_lives import ReportFolder
from .bench_options import Cache, EmbedderOption, Fresh, Out, Questions, cached_embedder, load_datasets, word_of
from .bench_tables import write_study
from .options import Place

if TYPE_CHECKING:
    from ..bench.data import Dataset
    from ..bench.studies import Lab

ExtractorOption: TypeAlias = Annotated[
    str,
    typer.Option("--extractor", metavar="NAME", help="What makes facts: rules, or a model as openai:MODEL@URL."),
]
PaperData: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--data",
        metavar="PATH",
        help="An official file of LongMemEval, or scenarios that replace the package's Chinese ones (repeatable).",
    ),
]
Talks: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--data", metavar="PATH", help="An official file of LongMemEval, LoCoMo or BEAM (repeatable)."),
]
Tau: TypeAlias = Annotated[
    float, typer.Option("--tau", metavar="T", help="Rejection threshold; the paper's is 0.5.", min=-1.0, max=1.0)
]


@command(
    "memx",
    """
    recollect bench memx
    recollect bench memx --data longmemeval_s.json
    recollect bench memx --data longmemeval_s.json --extractor openai:MODEL@URL
    recollect bench memx --embedder openai:MODEL@URL --tau 0.55
    """,
    of=bench_group,
)
def memx(
    place: Place,
    data: PaperData = None,
    extractor: ExtractorOption = "rules",
    tau: Tau = 0.5,
    embedder: EmbedderOption = DEFAULT,
    limit_questions: Questions = None,
    out: Out = "bench-out",
    cache: Cache = None,
    fresh: Fresh = False,
) -> None:
    """Run the experiments of the MemX paper: tables 3 to 13 and figure 2, each number beside the printed one.

    The two Chinese scenarios of the package give tables 3, 4, 9 and 11; a scenario named with --data replaces them.
    A LongMemEval file named with --data gives tables 5 to 8: all sessions in one store, as sessions, rounds and facts.
    Without a file these tables have only the printed numbers. The first table says what differs from the paper.
    Writes memx.json, memx.html and figure 2 as .svg.
    """
    from .. import extractors
    from ..bench.memx.paper import Paper
    from ..bench.memx.tables import tables

    extractors.load(extractor)  # a wrong name is reported before the long run
    datasets = load_datasets(data, limit_questions) if data else []
    if not any(dataset.form == "scenario" for dataset in datasets):
        datasets = [*load_datasets(chinese_scenarios(), None), *datasets]
    paper = Paper(lab=_lab(datasets, embedder, out, cache, fresh), tau=tau, extractor=extractor)
    settings = {"data": data, "embedder": embedder, "extractor": extractor, "tau": tau}
    write_study("memx", "MemX: printed and measured", tables(paper), settings, out, place)


def chinese_scenarios() -> list[str]:
    from ..bench.datasets import scenario_files

    return [str(scenario_files()[name]) for name in ("default_zh", "high_confusion_zh")]


def _lab(datasets: Sequence[Dataset], embedder: str, out: str, cache: str | None, fresh: bool) -> Lab:
    from ..bench.results import Results
    from ..bench.run import Plan
    from ..bench.studies import Lab

    plan = Plan(recipes=(), embedder=cached_embedder(embedder, cache), progress=True)
    return Lab(datasets=tuple(datasets), plan=plan, out=Path(out), results=Results(Path(out), fresh=fresh))


@command(
    "openmem",
    """
    recollect bench openmem
    recollect bench openmem mine.json --json
    """,
    of=bench_group,
)
def openmem(
    place: Place,
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE...", help="Scenarios; default: those included in the package."),
    ] = None,
    out: ReportFolder = "bench-out",
) -> None:
    """Play a scenario suite in OpenMem's form: links, dates, status, entities, contradictions and packing.

    Each scenario says what the document's formulas give: order, hits and scores. Shows the document's numbers beside
    ours. Writes openmem.json and openmem.html.
    """
    from ..bench.openmem import scenario, study

    chosen = [scenario.load(path) for path in files or scenario.scenario_files()]
    settings = {"files": files, "recipe": "openmem"}
    write_study("openmem", "OpenMem: printed and measured", study.parts(chosen, show=True), settings, out, place)


@command("siestai", "recollect bench siestai", of=bench_group)
def siestai(place: Place, out: ReportFolder = "bench-out") -> None:
    """Show Siestai's numbers beside ours: decay table, score, dedup and consolidation step by step.

    Needs no data and no model: the cosines are chosen. Writes siestai.json and siestai.html.
    """
    from ..bench import siestai as study

    write_study("siestai", "Siestai: printed and measured", study.parts(), {"recipe": "siestai"}, out, place)


@command(
    "bm25",
    """
    recollect bench bm25
    recollect bench bm25 --embedder granite --json
    """,
    of=bench_group,
)
def bm25(
    place: Place,
    embedder: EmbedderOption = DEFAULT,
    out: Out = "bench-out",
    cache: Cache = None,
    fresh: Fresh = False,
) -> None:
    """Show the numbers of the article on BM25 beside ours: speed, formulas, scores, and when BM25 is better.

    Scores are compared with the printed formula over the words of SQLite's `porter unicode61`. Writes bm25.json and
    bm25.html.
    """
    from ..bench.bm25 import study
    from ..bench.datasets import scenario_files

    lab = _lab(load_datasets([str(scenario_files()["slices_en"])], None), embedder, out, cache, fresh)
    settings = {"embedder": embedder, "recipe": "bm25"}
    write_study("bm25", "BM25: printed and measured", study.parts(lab), settings, out, place)


@command(
    "memsense",
    """
    recollect bench memsense --mode hybrid
    recollect bench memsense --mode all
    recollect bench memsense --data longmemeval_s.json --limit-questions 20
    """,
    of=bench_group,
)
def memsense(
    place: Place,
    mode: Annotated[
        str,
        typer.Option(
            "--mode",
            metavar="MODE",
            help="hybrid: sessions, supported by their rounds. session: sessions only. turn: rounds only. all: each.",
        ),
    ] = "hybrid",
    data: Talks = None,
    top_k: Annotated[int, typer.Option("--top-k", metavar="N", help="Hits per question.", min=1, max=20)] = 4,
    embedder: EmbedderOption = DEFAULT,
    limit_questions: Questions = None,
    out: ReportFolder = "bench-out",
    cache: Cache = None,
) -> None:
    """Store conversations in MemSense's modes and ask for sessions, with the page's numbers beside ours.

    Without --data it uses the six English lives of the package. Writes memsense.json and memsense.html.
    """
    from ..bench.memsense import modes, study

    chosen = modes.MODES if mode == "all" else (word_of("--mode", mode, (*modes.MODES, "all")),)
    datasets = load_datasets(data, limit_questions) if data else modes.english_lives(limit_questions)
    if scenarios := [dataset.name for dataset in datasets if not any(h.sessions for h in dataset.haystacks)]:
        raise InvalidInput(f"{scenarios[0]} has no conversations: name a file of LongMemEval, LoCoMo or BEAM")
    model = cached_embedder(embedder, cache)
    by_mode = {each: modes.ask_all(datasets, each, model, top_k, show=True) for each in chosen}
    settings = {"data": data, "mode": mode, "top_k": top_k, "embedder": embedder}
    write_study("memsense", "MemSense: printed and measured", study.parts(by_mode, top_k), settings, out, place)
