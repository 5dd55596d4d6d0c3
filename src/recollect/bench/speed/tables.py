"""The figures as tables and pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .. import svg
from ..html_page import Heading, Part, Picture, Table
from ..printed import MISSING
from . import bars
from .figures import Figure, Sized, exponent

_NOTE = (
    "Milliseconds of processor time, without embedding and without the reader; `of scan` is the same as a multiple of "
    "one exact float32 scan in numpy in this run. Wall times are in the .json file."
)
_DRAWN = ("recall default-fast", "recall bm25", "recall vector", "remember", "stats", "assemble")


def parts(measured: Sequence[Sized]) -> list[Part]:
    made: list[Part] = [bars.table(measured)]
    for each in measured:
        made += list(_of_store(each))
    for kind in dict.fromkeys(each.vectors for each in measured):
        own = [each for each in measured if each.vectors == kind]
        if len(own) > 1:
            made += _growth(own, kind)
    return made


def _of_store(each: Sized) -> Iterator[Part]:
    name = _name(each)
    yield Heading(title=name, about=f"One exact scan: {each.scan.cpu_p50:.2f} ms.")
    rows = tuple(_row(each, figure) for figure in each.figures)
    head = ("work", "calls", "p50 ms", "p95 ms", "p50 of scan", "p95 of scan", "memories/s")
    yield Table(title=f"{name}: work", head=head, rows=rows, notes=(_NOTE,))
    yield Table(title=f"{name}: store", head=("what", "value"), rows=tuple(_store(each)))
    if each.stages:
        yield _stages(each)
        drawn = {one.recipe: {stage: ms for stage, ms in one.ms.items() if ms >= 0.05} for one in each.stages}
        yield Picture(title=f"{name} stages", svg=svg.stacked(f"{name}: mean of each stage", drawn, "ms"))


def _name(each: Sized) -> str:
    return f"{each.size:,} memories, {each.vectors} vectors"


def _row(each: Sized, figure: Figure) -> tuple[str, ...]:
    spread = figure.spread
    return (
        figure.work,
        str(spread.calls),
        f"{spread.cpu_p50:,.2f}",
        f"{spread.cpu_p95:,.2f}",
        f"{each.ratio(spread.cpu_p50):,.2f}",
        f"{each.ratio(spread.cpu_p95):,.2f}",
        f"{figure.per_second:,.0f}" if figure.rows else "",
    )


def _store(each: Sized) -> Iterator[tuple[str, str]]:
    yield "exact scan, p50", f"{each.scan.cpu_p50:.2f} ms"
    if each.opened is not None:
        yield "import of numpy and recollect", f"{each.opened.import_ms:,.0f} ms"
        yield "open to first recall", f"{each.opened.first_recall_ms:,.0f} ms"
        yield "memory of a process that recalls", f"{each.opened.memory_mb:,.0f} MB"
    yield "file", f"{each.file_mb:,.0f} MB"
    found = each.recall_at_10
    yield "exact ten nearest vectors that are found", MISSING if found is None else f"{found:.3f}"


def _stages(each: Sized) -> Table:
    names = list(dict.fromkeys(name for one in each.stages for name in one.ms))
    rows = tuple((one.recipe, *(f"{one.ms[n]:.2f}" if n in one.ms else "" for n in names)) for one in each.stages)
    note = "Mean milliseconds by the clock on the wall, so they depend on what else the machine does."
    return Table(title=f"{_name(each)}: stages of a recall", head=("recipe", *names), rows=rows, notes=(note,))


def _growth(own: Sequence[Sized], kind: str) -> list[Part]:
    lines = {work: _points(own, work) for work in dict.fromkeys(f.work for each in own for f in each.figures)}
    rows = tuple(_grown(work, points) for work, points in lines.items() if len(points) > 1)
    head = ("work", "from", "to", "size ×", "time ×", "exponent")
    notes = ("The growth law is time = a × size^exponent, fitted to the medians of all sizes.",)
    drawn = {work: points for work, points in lines.items() if work in _DRAWN and points}
    title = f"Growth, {kind} vectors"
    picture = svg.curves(f"{title} (both axes logarithmic)", drawn, x="memories", y="ms, p50", log=True)
    return [Table(title=title, head=head, rows=rows, notes=notes), Picture(title=title, svg=picture)]


def _points(own: Sequence[Sized], work: str) -> list[tuple[float, float]]:
    found = [(each.size, figure) for each in own if (figure := each.get(work)) is not None]
    return [(float(size), figure.spread.cpu_p50) for size, figure in found if figure.spread.cpu_p50 > 0]


def _grown(work: str, points: Sequence[tuple[float, float]]) -> tuple[str, ...]:
    (small, fast), (large, slow) = min(points), max(points)
    law = exponent(points)
    shown = MISSING if law is None else f"{law:.2f}"
    return work, f"{small:,.0f}", f"{large:,.0f}", f"{large / small:,.1f}", f"{slow / fast:,.1f}", shown
