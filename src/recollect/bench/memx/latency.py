"""Table 8 and figure 2: latency of vector search, keyword search with an index, and keyword search by a LIKE scan.

Milliseconds depend on the machine. What can be compared are the ratios, so they have a table of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .. import statistics, svg
from ..data import Dataset
from ..evaluate import Outcome
from ..html_page import Part, Picture, Table
from ..printed import MISSING, beside, heads
from ..run import Measured
from . import published
from .like_scan import LikeScan
from .longmemeval import NEEDS_DATA
from .paper import Paper

TIMED_QUESTIONS = 20
"""A LIKE scan reads every text, so only so many questions are timed."""
LIKE_ROWS = {"session": "Session (LIKE)", "round": "Round (LIKE)"}
INDEX_ROWS = {"session": "Session (FTS5)", "round": "Round (FTS5)", "fact": "Fact (FTS5)"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Mean milliseconds of the parts of a search; `p95` is that of the whole."""

    records: float
    vector: float
    keyword: float
    total: float
    p95: float

    def cells(self, shown: Callable[[float], str]) -> list[str]:
        return [f"{self.records:,.0f}", *map(shown, (self.vector, self.keyword, self.total, self.p95))]


PRINTED = {
    name: Timing(records=records, vector=vector, keyword=keyword, total=total, p95=p95)
    for name, (records, vector, keyword, total, p95) in published.TABLE_8.items()
}
RATIOS = (
    ("keyword search: LIKE ÷ index, sessions", "Session (LIKE)", "Session (FTS5)", "keyword"),
    ("keyword search: LIKE ÷ index, rounds", "Round (LIKE)", "Round (FTS5)", "keyword"),
    ("whole search: LIKE ÷ index, sessions", "Session (LIKE)", "Session (FTS5)", "total"),
    ("whole search: LIKE ÷ index, rounds", "Round (LIKE)", "Round (FTS5)", "total"),
    ("records: rounds ÷ sessions", "Round (FTS5)", "Session (FTS5)", "records"),
    ("keyword search by LIKE: rounds ÷ sessions", "Round (LIKE)", "Session (LIKE)", "keyword"),
    ("keyword search by index: rounds ÷ sessions", "Round (FTS5)", "Session (FTS5)", "keyword"),
    ("vector search: rounds ÷ sessions", "Round (FTS5)", "Session (FTS5)", "vector"),
    ("vector search: facts ÷ sessions", "Fact (FTS5)", "Session (FTS5)", "vector"),
    ("keyword search by index: facts ÷ sessions", "Fact (FTS5)", "Session (FTS5)", "keyword"),
)


def parts(paper: Paper, talk: Dataset | None) -> list[Part]:
    """Table 8, its ratios and figure 2, for one file of LongMemEval or without one."""
    ours = {**_of_scenarios(paper), **(_of_talk(paper, talk) if talk else {})}
    name = f", {talk.name}" if talk else ""
    return [_table_8(ours, name, measured=talk is not None), _ratios(ours, name), *_figure_2(ours, name)]


def _table_8(ours: Mapping[str, Timing], name: str, *, measured: bool) -> Table:
    rows = []
    for label, printed in PRINTED.items():
        own = ours.get(label)
        rows.append((label, *beside(printed.cells(_as_printed), own.cells(_ms) if own else [MISSING] * 5)))
    for label in sorted(ours.keys() - PRINTED.keys()):
        rows.append((label, *beside([MISSING] * 5, ours[label].cells(_ms))))
    notes = (
        "Milliseconds; means, and the P95 of the whole search. Ours are of this machine, in one process. The vector "
        "of the question comes from a cache; in the printed custom scenarios a remote API makes it.",
        f"LIKE rows: the same search with a scan for the question's words, of {TIMED_QUESTIONS} questions at most.",
    )
    return Table(
        title=f"Table 8: latency{name}",
        head=("scenario", *heads(("records", "vector", "keyword", "total", "P95"))),
        rows=tuple(rows),
        notes=notes if measured else (NEEDS_DATA, *notes),
    )


def _ratios(ours: Mapping[str, Timing], name: str) -> Table:
    rows = [
        (label, _ratio(PRINTED, above, under, part), _ratio(ours, above, under, part))
        for label, above, under, part in RATIOS
    ]
    rows += [
        (f"keyword share of the whole search, {label}", _share(PRINTED.get(label)), _share(ours.get(label)))
        for label in PRINTED
    ]
    rows += [(f"P95 ÷ mean, {label}", _tail(PRINTED.get(label)), _tail(ours.get(label))) for label in PRINTED]
    note = "The paper rounds the keyword ratio for rounds to 1,100×."
    return Table(title=f"Table 8 as ratios{name}", head=("ratio", "printed", "ours"), rows=tuple(rows), notes=(note,))


def _ratio(timings: Mapping[str, Timing], above: str, under: str, part: str) -> str:
    if above not in timings or under not in timings:
        return MISSING
    one, other = getattr(timings[above], part), getattr(timings[under], part)
    return _times(one / other) if other else MISSING


def _times(ratio: float) -> str:
    return f"{ratio:,.1f}×" if ratio >= 10 else f"{ratio:.2f}×"


def _share(timing: Timing | None) -> str:
    return f"{timing.keyword / timing.total * 100:.1f}%" if timing and timing.total else MISSING


def _tail(timing: Timing | None) -> str:
    return _times(timing.p95 / timing.total) if timing and timing.total else MISSING


def _figure_2(ours: Mapping[str, Timing], name: str) -> list[Part]:
    """Vector and keyword search side by side on a logarithmic axis, printed and ours."""
    title = f"Figure 2: vector and keyword latency{name}"
    groups: dict[str, dict[str, float]] = {}
    for label, printed in PRINTED.items():
        groups[label] = {"vector, printed": printed.vector, "keyword, printed": printed.keyword}
        if label in ours:
            groups[label] |= {"vector, ours": ours[label].vector, "keyword, ours": ours[label].keyword}
    head = ("scenario", *heads(("vector", "keyword")))
    rows = [
        (label, *beside(_bars(p, _as_printed), _bars(own, _ms) if (own := ours.get(label)) else [MISSING] * 2))
        for label, p in PRINTED.items()
    ]
    note = "Milliseconds. The picture is in the HTML page and in an .svg file beside it."
    return [
        Table(title=title, head=head, rows=tuple(rows), notes=(note,)),
        Picture(title=title, svg=svg.log_bars(f"{title} (ms, logarithmic)", groups, "ms")),
    ]


def _bars(timing: Timing, shown: Callable[[float], str]) -> list[str]:
    return [shown(timing.vector), shown(timing.keyword)]


def _as_printed(value: float) -> str:
    """With the digits of the paper, which are all in `published`."""
    return f"{value:,g}"


# Measuring ----------------------------------------------------------------------------------------


def _of_scenarios(paper: Paper) -> dict[str, Timing]:
    names = {"default": "Default", "high_confusion": "High-Confusion"}
    found = {}
    for measured in paper.asked([paper.recipe]):
        dataset = measured.setup.dataset.name
        label = next((shown for name, shown in names.items() if dataset.startswith(name)), dataset)
        found[label] = _timing(measured, measured.of(paper.recipe.name))
    return found


def _of_talk(paper: Paper, talk: Dataset) -> dict[str, Timing]:
    found = {}
    for size, label in INDEX_ROWS.items():
        measured = paper.asked_of(talk, size, [paper.recipe])
        indexed = _timing(measured, measured.of(paper.recipe.name))
        found[label] = indexed
        if size in LIKE_ROWS:
            found[LIKE_ROWS[size]] = _scanned(measured.setup.dataset, indexed)
    return found


def _timing(measured: Measured, outcomes: Sequence[Outcome]) -> Timing:
    spent = {stage: [o.answer.ms.get(stage, 0.0) for o in outcomes] for stage in ("route vector", "route lexical")}
    total = [outcome.answer.ms["total"] for outcome in outcomes]
    return Timing(
        records=len(measured.setup.dataset.topics),
        vector=statistics.mean(spent["route vector"]),
        keyword=statistics.mean(spent["route lexical"]),
        total=statistics.mean(total),
        p95=statistics.quantile(total, 0.95),
    )


def _scanned(dataset: Dataset, indexed: Timing) -> Timing:
    """The same search with a LIKE scan in place of the index."""
    scan = LikeScan([record.text for haystack in dataset.haystacks for record in haystack.records])
    spent = [scan.search_ms(question.text) for question in dataset.questions[:TIMED_QUESTIONS]]
    scan.close()
    rest = indexed.total - indexed.keyword
    return Timing(
        records=indexed.records,
        vector=indexed.vector,
        keyword=statistics.mean(spent),
        total=rest + statistics.mean(spent),
        p95=rest + statistics.quantile(spent, 0.95),
    )


def _ms(value: float) -> str:
    return f"{value:,.1f}" if value < 1000 else f"{value:,.0f}"
