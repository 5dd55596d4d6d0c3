"""The figures as tables: each library, who is ahead, and what could not be run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .. import svg
from ..html_page import Heading, Part, Picture, Table
from ..printed import MISSING
from .figures import Measured, Searched, Sized
from .packages import OURS

_NOTE = (
    "Milliseconds of processor time of all threads of a process; the vectors are given, so nothing is embedded. "
    "Wall times are in the .json file. of scan: the median as a multiple of one exact float32 scan in numpy."
)
_OWN_KIND = {"openmem-engine": "words (openmem)"}
"""Where another of our recipes is compared than the one of the same kind."""


def parts(sized: Sequence[Sized]) -> list[Part]:
    return [part for each in sized for part in _of_size(each)]


def _of_size(each: Sized) -> Iterator[Part]:
    title = f"{each.size:,} memories"
    yield Heading(title=title, about=f"One exact scan: {each.scan.cpu_p50:.2f} ms.")
    head = ("library", "version", "added/s", "open to first recall ms", "import ms", "memory MB", "disk MB")
    yield Table(title=f"{title}: stores", head=head, rows=tuple(_store(one) for one in each.measured), notes=(_NOTE,))
    rows = tuple(_search(each, one, found) for one in each.measured for found in one.searches)
    head = ("library", "by", "p50 ms", "p95 ms", "p50 of scan", "p50 ms, wall", "exact ten found")
    yield Table(title=f"{title}: recall", head=head, rows=rows)
    yield from _picture(title, each.measured)
    yield _ahead(title, each.measured)
    yield _left_out(title, each.measured)


def _picture(title: str, measured: Sequence[Measured]) -> Iterator[Part]:
    drawn = {f"{one.name}, {f.kind}": {"p50": f.spread.cpu_p50} for one in measured for f in one.searches}
    if drawn:
        yield Picture(title=f"{title} recall", svg=svg.stacked(f"{title}: recall, p50", drawn, "ms"))


def _store(one: Measured) -> tuple[str, ...]:
    values = (
        (one.added_per_second, "{:,.0f}"),
        (one.first.cpu if one.first else 0.0, "{:,.1f}"),
        (one.import_ms, "{:,.0f}"),
        (one.memory_mb, "{:,.0f}"),
        (one.disk_mb, "{:,.1f}"),
    )
    return one.name, one.version, *(shown.format(value) if value else MISSING for value, shown in values)


def _search(each: Sized, one: Measured, found: Searched) -> tuple[str, ...]:
    spread = found.spread
    times = (spread.cpu_p50, spread.cpu_p95, spread.cpu_p50 / each.scan.cpu_p50, spread.p50)
    exact = MISSING if found.exact is None else f"{found.exact:.3f}"
    return one.name, found.kind, *(f"{value:,.2f}" for value in times), exact


# Who is ahead -------------------------------------------------------------------------------------


class _Pair(NamedTuple):
    work: str
    theirs: float
    ours: float
    more_is_better: bool = False

    @property
    def ahead(self) -> bool:
        return self.ours >= self.theirs if self.more_is_better else self.ours <= self.theirs


def _ahead(title: str, measured: Sequence[Measured]) -> Table:
    own = next((one for one in measured if one.name == OURS.name), None)
    rows = [row for one in measured if own is not None and one is not own for row in _compared(one, own)]
    head = ("library", "work", "theirs", "ours", "theirs / ours", "ahead")
    note = "Ours does more when it adds: near-duplicates are merged, updates, statements and dates are recognised."
    return Table(title=f"{title}: who is ahead", head=head, rows=tuple(rows), notes=(note,))


def _compared(one: Measured, own: Measured) -> Iterator[tuple[str, ...]]:
    for pair in _pairs(one, own):
        if pair.theirs and pair.ours:
            values = (f"{pair.theirs:,.1f}", f"{pair.ours:,.1f}", f"{pair.theirs / pair.ours:,.2f}")
            yield one.name, pair.work, *values, own.name if pair.ahead else one.name


def _pairs(one: Measured, own: Measured) -> Iterator[_Pair]:
    yield _Pair("added per second", one.added_per_second, own.added_per_second, more_is_better=True)
    if one.first and own.first:
        yield _Pair("open to first recall, ms", one.first.cpu, own.first.cpu)
    for found in one.searches:
        if same := own.search(_OWN_KIND.get(one.name, found.kind)):
            yield _Pair(f"recall by {found.kind}, p50 ms", found.spread.cpu_p50, same.spread.cpu_p50)
            yield _Pair(f"recall by {found.kind}, p95 ms", found.spread.cpu_p95, same.spread.cpu_p95)
    yield _Pair("memory, MB", one.memory_mb, own.memory_mb)
    if one.first:
        yield _Pair("disk, MB", one.disk_mb, own.disk_mb)


def _left_out(title: str, measured: Sequence[Measured]) -> Table:
    rows = tuple((one.name, one.about, one.reason or "all was measured") for one in measured)
    return Table(title=f"{title}: how each was run", head=("library", "how", "what is missing"), rows=rows)
