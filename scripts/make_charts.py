"""Draws tables of the docs as charts: docs/images/chart-*.svg. `make docs` runs it; a test compares.

Run: .venv/bin/python scripts/make_charts.py
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from recollect.bench import svg

DOCS = Path(__file__).parents[1] / "docs"
IMAGES = DOCS / "images"
MOST_LETTERS = 36
_NUMBER = re.compile(r"-?\d*\.?\d+")


@dataclass(frozen=True)
class Chart:
    """A table, and which of its numbers are drawn."""

    name: str
    title: str
    page: str
    heading: str
    """The words of the table's first line."""
    series: Mapping[str, tuple[str, int]]
    """Name → the column, and which of the numbers in its cells."""
    rows: str = r"."
    """The rows that are drawn: those whose first cell matches."""


CHARTS = (
    Chart(
        "chart-league",
        "Ten lives: share of right answers by recipe",
        "lab/lives.md",
        "| | right, all | right, now |",
        {"right@1": ("right, all", 0), "right@5": ("right, all", 1), "misled (lower is better)": ("right, all", 2)},
    ),
    Chart(
        "chart-reader",
        "Seven lives: what reading changed",
        "lab/lives.md",
        "| | without a reader |",
        {
            "without a reader": ("without a reader", 0),
            "first reader": ("first reader", 0),
            "reader of 84 lives": ("reader of 84 lives", 0),
        },
        rows="now|past|when|fact|confusable|identifier|advice|AUROC",
    ),
    Chart(
        "chart-parts",
        "LoCoMo: what each part of the default recipe is worth",
        "lab/default-recipe.md",
        "| | R@1 | R@5 | R@10 |",
        {"R@1": ("R@1", 0), "R@5": ("R@5", 0), "R@10": ("R@10", 0)},
        rows="stock granite, BM25|without|rank fusion|as it is",
    ),
)


def main() -> None:
    for chart in CHARTS:
        path = IMAGES / f"{chart.name}.svg"
        path.write_text(drawn(chart), encoding="utf-8")
        print(path.relative_to(DOCS.parent))  # noqa: T201


def drawn(chart: Chart) -> str:
    """The chart as SVG."""
    groups = {name: {label: (value,) * 3 for label, value in row.items()} for name, row in _values(chart)}
    if not groups:
        raise SystemExit(f"docs/{chart.page} has no table that begins with {chart.heading!r}")
    return svg.bars(chart.title, groups) + "\n"


def _values(chart: Chart) -> Iterator[tuple[str, dict[str, float]]]:
    head, *rows = _table((DOCS / chart.page).read_text(encoding="utf-8"), chart.heading)
    for first, *cells in rows:
        name = _plain(first)
        if re.search(chart.rows, name):
            by_column = dict(zip(head[1:], cells, strict=True))
            yield name, {label: _value(by_column[column], which) for label, (column, which) in chart.series.items()}


def _value(cell: str, which: int) -> float:
    """One of the numbers of a cell; the last if it has fewer."""
    numbers = _NUMBER.findall(cell)
    return float(numbers[min(which, len(numbers) - 1)])


def _table(text: str, heading: str) -> list[list[str]]:
    """The cells of the first table whose head begins with these words, without the line of dashes."""
    lines = text[text.index(heading) :].splitlines()
    kept = []
    for line in lines:
        if not line.startswith("|"):
            break
        kept.append([cell.strip() for cell in line.strip().strip("|").split("|")])
    return [row for row in kept if any(row) and not set("".join(row)) <= set("-: ")]


def _plain(cell: str) -> str:
    """A cell without its marks, on one short line."""
    said = re.sub(r"[*`]|\(.*?\)", "", cell).split(":")[0].strip()
    return said if len(said) <= MOST_LETTERS else f"{said[: MOST_LETTERS - 1]}…"


if __name__ == "__main__":
    main()
