"""The report of `bench quality`: tables and pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import league, svg
from .html_page import Heading, Part, Picture, Table
from .html_page import write as write_page

SHOWN_LOW_MS = 0.05
"""Faster stages are left out of the latency picture."""


def write(found: Mapping[str, Any], out: Path) -> list[Path]:
    """Writes report.json, report.html and the pictures. Returns the paths."""
    return write_page(found, _title(found), parts(found), out)


def _title(found: Mapping[str, Any]) -> str:
    return f"Retrieval quality: {found['protocol']}, {found['granularity']}, {found['embedder']}"


def parts(found: Mapping[str, Any]) -> list[Part]:
    head, rows = league.overview(found)
    made: list[Part] = [Table(title="League", head=tuple(head), rows=tuple(map(tuple, rows)))]
    made += [part for each in found["sets"] for part in _set(each)]
    made += _confidence(found)
    if found.get("changes"):
        made.append(changes("Changes", found["changes"]))
    return made


def _set(each: Mapping[str, Any]) -> Iterator[Part]:
    main = league.MAIN[each["unit"]]
    yield Heading(title=each["name"], about=_about(each))
    yield league_table(each)
    yield types_table(each, main)
    yield Picture(title=f"{each['name']} {main} by recipe and type", svg=_by_type(each, main))
    yield latency_table(each)
    yield Picture(title=f"{each['name']} latency by stage", svg=_latency(each))
    first = next(iter(each["recipes"]))
    if len(each["recipes"]) > 1:
        yield changes(f"{first} compared with the others", league.head_to_head(each, first, main))


def _about(each: Mapping[str, Any]) -> str:
    misses = each["questions"] - each["answerable"]
    notes = "".join(f" {note[0].upper()}{note[1:]}." for note in each["notes"])
    return f"{each['answerable']} questions with an answer, {misses} without; hits are {each['unit']}s.{notes}"


def league_table(each: Mapping[str, Any]) -> Table:
    return Table(
        title=f"{each['name']}: recipes, best first, 95% intervals in percent",
        head=("recipe", *league.headings(each)),
        rows=tuple((name, *cells) for name, cells in league.rows(each)),
    )


def types_table(each: Mapping[str, Any], metric: str) -> Table:
    """Results by question type. The last column includes questions without an answer."""
    rows = [
        (kind, name, *_type_cells(figures, metric))
        for name, recipe in each["recipes"].items()
        for kind, figures in recipe["types"].items()
    ]
    head = ("type", "recipe", "n", *_shown(metric), "right@1 with misses")
    return Table(title=f"{each['name']} by type", head=head, rows=tuple(sorted(rows)))


def _type_cells(figures: Mapping[str, Any], metric: str) -> tuple[str, ...]:
    shown = (*_shown(metric), "right@1")
    return (str(figures["right@1"]["n"]), *(league.share(figures.get(name)) for name in shown))


def _shown(metric: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((metric, "hit@1", "mrr")))


def _by_type(each: Mapping[str, Any], metric: str) -> str:
    types = list(dict.fromkeys(kind for recipe in each["recipes"].values() for kind in recipe["types"]))
    groups = {"all": {name: recipe["overall"].get(metric) for name, recipe in each["recipes"].items()}}
    groups |= {kind: {n: r["types"].get(kind, {}).get(metric) for n, r in each["recipes"].items()} for kind in types}
    spans = {kind: {name: span(f) for name, f in group.items() if f} for kind, group in groups.items()}
    return svg.bars(f"{each['name']}: {metric}", {kind: group for kind, group in spans.items() if group})


def span(figure: Mapping[str, float]) -> svg.Span:
    return figure["value"], figure["low"], figure["high"]


def latency_table(each: Mapping[str, Any]) -> Table:
    rows = [
        (name, stage, *(f"{spent[key]:.2f}" for key in ("mean", "p50", "p95")))
        for name, recipe in each["recipes"].items()
        for stage, spent in recipe["latency_ms"].items()
    ]
    note = "rest: time outside the stages, such as embedding the question"
    head = ("recipe", "stage", "mean ms", "p50", "p95")
    return Table(title=f"{each['name']}: latency by stage", head=head, rows=tuple(rows), notes=(note,))


def _latency(each: Mapping[str, Any]) -> str:
    rows = {
        name: {s: v["mean"] for s, v in recipe["latency_ms"].items() if s != "total" and v["mean"] >= SHOWN_LOW_MS}
        for name, recipe in each["recipes"].items()
    }
    return svg.stacked(f"{each['name']}: mean latency by stage", rows, "ms")


def _confidence(found: Mapping[str, Any]) -> Iterator[Part]:
    pooled = found["pooled_confidence"]
    yield Heading(title="Confidence", about="Over all datasets together: how likely is the answer in memory?")
    head, rows = league.confidence(found)
    note = "five-fold: the model is fitted on four fifths of the questions and tested on the rest"
    title = "AUROC and calibration error, equal-mass bins"
    yield Table(title=title, head=tuple(head), rows=tuple(map(tuple, rows)), notes=(note,))
    bins = {name: each["reliability"] for name, each in pooled.items()}
    yield Picture(title="Reliability of confidence", svg=svg.reliability("Reliability of confidence", bins))


def changes(title: str, listed: Sequence[Mapping[str, Any]]) -> Table:
    rows = [
        (
            *(str(change[key]) for key in ("set", "recipe", "metric")),
            f"{change['before']:.3f}",
            f"{change['after']:.3f}",
            f"{change['change']:+.3f} [{change['low']:+.3f}, {change['high']:+.3f}]",
            f"{change['better']} / {change['worse']}",
            f"{change['p']:.2g}",
            change["verdict"],
        )
        for change in listed
    ]
    head = ("set", "recipe", "metric", "before", "after", "change", "better / worse", "p", "verdict")
    note = "Paired over the same questions: McNemar's exact test for right and wrong, a bootstrap otherwise."
    return Table(title=title, head=head, rows=tuple(rows), notes=(note,))
