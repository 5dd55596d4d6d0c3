"""What should be reached at 220,000 memories, and what was."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ..html_page import Table
from ..printed import MISSING
from .figures import Sized

AT = 220_000
GROWTH = (10_000, 1_000_000)
REST = 1.5
"""The p95 of recipes without a bar of their own, as a multiple of the scan."""


class _Bar(NamedTuple):
    work: str
    shown: str
    limit: float
    value: Callable[[Sized], float | None]
    at_most: bool = True


def _p50(work: str) -> Callable[[Sized], float | None]:
    return lambda each: None if (found := each.get(work)) is None else each.ratio(found.spread.cpu_p50)


def _p95(work: str) -> Callable[[Sized], float | None]:
    return lambda each: None if (found := each.get(work)) is None else each.ratio(found.spread.cpu_p95)


def _rate(work: str) -> Callable[[Sized], float | None]:
    return lambda each: None if (found := each.get(work)) is None else found.per_second


def _ms(work: str) -> Callable[[Sized], float | None]:
    return lambda each: None if (found := each.get(work)) is None else found.spread.cpu_p50


def _opened(name: str) -> Callable[[Sized], float | None]:
    return lambda each: None if each.opened is None else float(getattr(each.opened, name))


def _small(each: Sized) -> float | None:
    inside, alone = each.get("recall in 1,000 of the store"), each.get("recall in 1,000 alone")
    return inside.spread.cpu_p50 / alone.spread.cpu_p50 if inside and alone else None


_BARS = (
    _Bar("recall default-fast, p50", "{:.2f} × scan", 0.30, _p50("recall default-fast")),
    _Bar("recall default-fast, p95", "{:.2f} × scan", 1.0, _p95("recall default-fast")),
    _Bar("recall bm25, p50", "{:.2f} × scan", 0.25, _p50("recall bm25")),
    _Bar("recall vector, p50", "{:.2f} × scan", 0.15, _p50("recall vector")),
    _Bar("exact ten nearest that are found", "{:.3f}", 0.99, lambda each: each.recall_at_10, at_most=False),
    _Bar("remember with dedup", "{:,.0f}/s", 1_000, _rate("remember"), at_most=False),
    _Bar("batch add", "{:,.0f}/s", 10_000, _rate("batch add, from empty"), at_most=False),
    _Bar("sessions one by one", "{:,.0f}/s", 2_500, _rate("ingest, one by one"), at_most=False),
    _Bar("open to first recall", "{:,.0f} ms", 500, _opened("first_recall_ms")),
    _Bar("memory", "{:,.0f} MB", 400, _opened("memory_mb")),
    _Bar("stats", "{:,.1f} ms", 50, _ms("stats")),
    _Bar("a namespace of 1,000, to the same alone", "{:.2f} ×", 2.0, _small),
)


def table(measured: Sequence[Sized]) -> Table:
    rows = [row for each in measured if each.size == AT for row in _rows(each)]
    for kind in dict.fromkeys(each.vectors for each in measured):
        rows += _growth([each for each in measured if each.vectors == kind], kind)
    note = f"Bars are for {AT:,} memories and an idle machine with two cores."
    head = ("work", "vectors", "bar", "measured", "met")
    return Table(title="Bars", head=head, rows=tuple(rows), notes=(note,))


def _rows(each: Sized) -> Iterator[tuple[str, ...]]:
    named = {bar.work for bar in _BARS}
    others = [f.work for f in each.figures if f.work.startswith("recall ") and f"{f.work}, p50" not in named]
    rest = [_Bar(f"{work}, p95", "{:.2f} × scan", REST, _p95(work)) for work in others if "1,000" not in work]
    for bar in (*_BARS, *rest):
        yield _row(bar, each.vectors, bar.value(each))


def _row(bar: _Bar, kind: str, value: float | None) -> tuple[str, ...]:
    limit = f"{'≤' if bar.at_most else '≥'} {bar.shown.format(bar.limit)}"
    if value is None:
        return bar.work, kind, limit, MISSING, MISSING
    met = value <= bar.limit if bar.at_most else value >= bar.limit
    return bar.work, kind, limit, bar.shown.format(value), "yes" if met else "no"


def _growth(own: Sequence[Sized], kind: str) -> Iterator[tuple[str, ...]]:
    sizes = {each.size: each for each in own}
    if not all(size in sizes for size in GROWTH):
        return
    small, large = (sizes[size].get("recall default-fast") for size in GROWTH)
    if small and large:
        bar = _Bar("growth of recall default-fast, 10k to 1M", "{:.1f} ×", 8.0, lambda _: None)
        yield _row(bar, kind, large.spread.cpu_p50 / small.spread.cpu_p50)
