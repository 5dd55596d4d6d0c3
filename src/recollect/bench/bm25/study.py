"""The tables of `bench bm25`."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ... import recipes
from ...config import Settings
from ...embedders.hashing import Hashing
from ...read.bm25 import saturation
from ...recipes.recipe import Lexical
from ...recollect import Recollect
from ...types.bm25 import idf
from .. import statistics
from ..html_page import Part, Table
from ..openmem.scenario import load, scenario_files
from ..printed import MISSING, same
from ..run import Measured
from ..score import summary
from ..studies import Lab
from . import article
from .notes import NOTES, QUESTIONS

MEMORIES = 4_300
"""The article's number of memories in BrainDB."""
ASKED = 100
RECIPE = "bm25"


def parts(lab: Lab) -> list[Part]:
    """`lab` holds the scenario with one slice for each kind of question that the article names."""
    return [_differences(), _speed(), _formulas(), _scores(), *_slices(lab)]


def _differences() -> Table:
    lexical = next(route for route in recipes.load(RECIPE).routes if isinstance(route, Lexical))
    fields = ", ".join(f"{name} {weight:g}" for name, weight in lexical.fields.items())
    rows = (
        ("latency", "SQLite, C; the machine is not named", "a whole recall in Python on this machine"),
        ("Pinecone", "50 to 200 ms", "not measured: nothing is sent anywhere"),
        ("scores", "no number is printed", "the printed formula over FTS5's own words, computed without the engine"),
        ("words of a question", "MATCH joins them with AND; the text scores any of them", "any word is enough"),
        ("statistics", "of the whole table", "of one tenant and granularity"),
        ("order", "negative, lower is better", "higher is better"),
        ("sample SQL", "not valid in SQLite: its own content, memories_bm25()", "as FTS5's documentation says"),
        ("columns", "title 10, body 1; tags are searched", f"fields of the recipe: {fields}"),
        ("70–80% of queries", "no data are named", "our scenario `slices_en`, eight questions of each kind"),
    )
    return Table(title="What differs from the article", head=("what", "the article", "here"), rows=rows)


# Speed --------------------------------------------------------------------------------------------


def _speed() -> Table:
    with tempfile.TemporaryDirectory() as folder:
        found = _measured(Path(folder))
    rows = (
        ("latency, 4,300 memories", "<1ms", "50-200ms", found["latency"]),
        ("keyword search alone", MISSING, MISSING, found["route"]),
        ("one FTS5 query in SQL", "<1ms", MISSING, found["sql"]),
        ("setup", "0 minutes", "15 minutes", found["setup"]),
        ("cost", "$0", "$0-70/mo", "$0"),
        ("backup", "cp file.db", "API call", found["backup"]),
        ("offline", "Yes", "No", "yes: no request is made"),
    )
    head = ("metric", "SQLite + FTS5 printed", "Pinecone Free printed", "ours")
    note = f"Means of {ASKED} questions of three words each, in one process."
    return Table(title="SQLite + FTS5 and Pinecone", head=head, rows=rows, notes=(note,))


def _measured(folder: Path) -> dict[str, str]:
    path = folder / "agent.db"
    start = time.perf_counter()
    mind = _opened(path)
    setup = (time.perf_counter() - start) * 1000
    with mind:
        texts = _texts()
        mind.remember_many({"text": text, "dedup": False} for text in texts)
        total, route = _asked(mind, texts)
        copy = mind.backup(folder / "copy.db")
    with _opened(copy) as copied:
        same_answer = bool(copied.recall(texts[0], track=False).hits)
    size = os.path.getsize(copy) / 1_000_000
    return {
        "latency": f"{total:.2f} ms",
        "route": f"{route:.2f} ms",
        "sql": f"{_sql_ms(texts):.2f} ms",
        "setup": f"{setup:.0f} ms",
        "backup": f"one file of {size:.1f} MB; the copy {'answers' if same_answer else 'does not answer'}",
    }


def _opened(path: Path) -> Recollect:
    return Recollect(path, embedder=Hashing(), recipe=RECIPE, settings=Settings(log_queries=False))


def _texts() -> list[str]:
    """Short notes, as many as the article names."""
    scale = next(load(path) for path in scenario_files() if path.stem == "scale")
    stored = [memory.text for memory in scale.memories]
    return [f"{stored[n % len(stored)]} Copy {n}." for n in range(MEMORIES)]


def _asked(mind: Recollect, texts: list[str]) -> tuple[float, float]:
    """Mean milliseconds of a whole recall, and of its keyword search."""
    total, route = [], []
    step = len(texts) // ASKED
    mind.recall(texts[0], track=False)  # the first one loads the index
    for text in texts[::step][:ASKED]:
        start = time.perf_counter()
        found = mind.recall(" ".join(text.split()[:3]), track=False)
        total.append((time.perf_counter() - start) * 1000)
        route.append(sum(each.ms for each in found.trace if each.stage == "route lexical"))
    return statistics.mean(total), statistics.mean(route)


def _sql_ms(texts: list[str]) -> float:
    """Mean milliseconds of the article's own query on the same texts."""
    fts5 = article.Fts5([("", text, "") for text in texts])
    spent = [fts5.search_ms(" ".join(text.split()[:3])) for text in texts[:: len(texts) // ASKED][:ASKED]]
    fts5.close()
    return statistics.mean(spent)


# Formulas -----------------------------------------------------------------------------------------


def _formulas() -> Table:
    """Numbers that follow from the printed formulas, and what the engine's functions give."""
    rows = []
    for what, n in (("a word in 15 of 4,000 memories", 15), ("a word in all 4,000", 4000), ("a word in one", 1)):
        rows.append(_row(f"IDF of {what}", article.idf(4000, n), idf(4000, n)))
    for f in (1, 2, 10):
        for k1 in (1.2, 2.0):
            wanted, ours = article.saturation(f, 10, 10, k1), saturation(f, 10, 10, k1, article.B)
            rows.append(_row(f"TF component, {f} times, k1 {k1:g}, average length", wanted, ours))
    for b in (0.0, 0.75, 1.0):
        wanted, ours = article.saturation(1, 40, 10, article.K1, b), saturation(1, 40, 10, article.K1, b)
        rows.append(_row(f"TF component, once, four times the average length, b {b:g}", wanted, ours))
    head = ("formula", "printed formula", "ours", "same")
    return Table(title="The formulas", head=head, rows=tuple(rows))


def _row(what: str, wanted: float, ours: float) -> tuple[str, str, str, str]:
    return what, f"{wanted:.4f}", f"{ours:.4f}", same(f"{wanted:.4f}", f"{ours:.4f}")


def _scores() -> Table:
    """The article's formula on ten memories with title, body and tags."""
    fts5 = article.Fts5(NOTES)
    with Recollect(":memory:", embedder=Hashing(), recipe=RECIPE, settings=Settings(log_queries=False)) as mind:
        stored = mind.remember_many(
            {"text": body, "gist": title, "tags": tags.split(), "dedup": False} for title, body, tags in NOTES
        )
        places = {memory.id: n for n, memory in enumerate(stored)}
        rows = []
        for question, shows in QUESTIONS:
            hits = mind.recall(question, limit=len(NOTES), track=False).hits
            ours = {places[hit.memory.id]: hit.score for hit in hits}
            rows += _compared(question, shows, fts5.scores(question), fts5.own_scores(question), ours)
    fts5.close()
    head = ("question", "shows", "memory", "printed formula", "SQLite's bm25()", "ours", "same")
    notes = (
        "Printed formula: k1 1.2, b 0.75, title 10, body and tags 1, over the words of `porter unicode61`.",
        "SQLite's own bm25() has another IDF, without “+ 1”. It is shown for its order, not for its value.",
    )
    return Table(title="Scores", head=head, rows=tuple(rows), notes=notes)


def _compared(
    question: str, shows: str, wanted: Mapping[int, float], own: Mapping[int, float], ours: Mapping[int, float]
) -> list[tuple[str, ...]]:
    rows = []
    for note in sorted({*wanted, *ours}, key=lambda n: (-wanted.get(n, 0.0), n)):
        cells = [_number(scores.get(note)) for scores in (wanted, own, ours)]
        rows.append((question, shows, NOTES[note][0], *cells, same(cells[0], cells[2])))
    return rows or [(question, shows, "nothing", MISSING, MISSING, MISSING, "yes")]


def _number(score: float | None) -> str:
    return MISSING if score is None else f"{score:.4f}"


# When BM25 wins -----------------------------------------------------------------------------------

WINS = {
    "identifiers": "BM25",
    "proper_nouns": "BM25",
    "short_entries": "BM25",
    "paraphrase": "vectors",
    "conceptual": "vectors",
    "cross_language": "vectors",
    "long_form": "vectors",
}
"""Kind of question → what the article says is better."""


def _slices(lab: Lab) -> list[Table]:
    compared = [recipes.load(name) for name in ("bm25", "vector", "braindb")]
    tables = []
    for measured in lab.measure(compared, abstention=False):
        found = {recipe.name: summary(measured, recipe.name) for recipe in compared}
        tables.append(_when(measured, found))
    return tables


def _when(measured: Measured, found: Mapping[str, Any]) -> Table:
    rows = []
    for kind, better in WINS.items():
        if kind not in found["bm25"]["types"]:
            continue
        shares = {name: each["types"][kind]["hit@1"]["value"] for name, each in found.items()}
        words, meaning = shares["bm25"], shares["vector"]
        ours = "equal" if words == meaning else "BM25" if words > meaning else "vectors"
        rows.append((kind.replace("_", " "), better, ours, *(f"{value * 100:.1f}" for value in shares.values())))
    every = {name: each["overall"]["hit@1"]["value"] for name, each in found.items()}
    rows.append(("all: BM25 alone handles", "70–80", MISSING, *(f"{value * 100:.1f}" for value in every.values())))
    count = len(measured.setup.dataset.questions)
    head = (
        "kind of question",
        "better, printed",
        "better, ours",
        "bm25 hit@1",
        "vector hit@1",
        "hybrid (braindb) hit@1",
    )
    note = f"{measured.setup.dataset.name}, {count} questions, {measured.setup.embedder.name}; hit@1 in percent."
    return Table(title="When BM25 is better", head=head, rows=tuple(rows), notes=(note,))
