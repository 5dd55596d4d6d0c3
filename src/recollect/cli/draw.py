"""Trees and tables, drawn with rich; imported only when something is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_lowercase

from rich.console import Console
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from ..explanation import Explanation, Parts, evaluate
from ..read.compare import Comparison, Place
from ..types import NEAREST, Hit, Memory, Recall, Signals
from . import show

BAR_WIDTH = 12
_EIGHTHS = " ▏▎▍▌▋▊▉"
LEAST_TEXT_COLUMNS = 36
COLUMN_GAP = 2
PLACE_COLUMNS = len("10. 0.1234")
MOST_ALL_PAIRS = 4
"""So many recipes are compared each with each; of more, the first with the others."""
QUOTED = 40
"""Characters of a memory that is spoken about."""


def console() -> Console:
    return Console(highlight=False, emoji=False, markup=False)


# Explanations -------------------------------------------------------------------------------------


def explained(recall: Recall, *, trees: int | None = None) -> None:
    """The hits, the first of them (or all) with the tree of their score, then what the stages did."""
    to = console()

    def grown(rank: int, hit: Hit) -> None:
        if trees is None or rank <= trees:
            to.print(tree(hit.explanation, ascii_only=to.options.ascii_only))
            to.print()

    show.hits(recall, grown)
    to.print(trace(recall))
    to.print(Text(f"{show.sure(recall)}{_signals(recall.signals)}", style="dim"))


def tree(score: Explanation, *, ascii_only: bool = False) -> Tree:
    """A score taken apart; a bar is as long as the part's share of the score."""
    shares = shares_of(score)
    drawn = Tree(_label(score, 1.0, _inputs(score, shares), ascii_only), guide_style="dim")
    _grow(drawn, score, 1.0, ascii_only)
    return drawn


def _grow(branch: Tree, node: Explanation, share: float, ascii_only: bool) -> None:
    shares = shares_of(node)
    for part in node.parts:
        if part.parts or shares[part.name]:
            own = share * shares[part.name]
            flat = all(not inner.parts for inner in part.parts)
            inputs = part.parts if flat else _inputs(part, shares_of(part))
            below = branch.add(_label(part, own, inputs, ascii_only))
            if not flat:
                _grow(below, part, own, ascii_only)


def _inputs(node: Explanation, shares: Mapping[str, float]) -> Parts:
    """Plain numbers that a formula uses but that add nothing to it, such as the best and worst of a scale."""
    return tuple(part for part in node.parts if not part.parts and not shares[part.name])


def _label(node: Explanation, share: float, inputs: Parts, ascii_only: bool) -> Text:
    label = Text(f"{node.name} {node.value:.4g} ", style="bold" if node.parts else "")
    label.append(bar(share, ascii_only), style="cyan not bold")
    if node.note:
        label.append(f"  {show.printable(node.note)}", style="dim italic not bold")
    if node.formula:
        label.append(f"  = {node.formula}", style="dim not bold")
    if used := [_valued(part) for part in inputs if part.name in node.formula]:
        label.append(f"  with {', '.join(used)}", style="dim not bold")
    return label


def _valued(part: Explanation) -> str:
    return f"{part.name} {part.value:.4g}{f' ({show.printable(part.note)})' if part.note else ''}"


def shares_of(node: Explanation) -> dict[str, float]:
    """What each part contributes, from 0 to 1: the share of the value that is lost when the part is zero."""
    values = {part.name: part.value for part in node.parts}
    return {name: _share(node, values, name) for name in values}


def _share(node: Explanation, values: Mapping[str, float], name: str) -> float:
    if not node.formula or not node.value:
        return 0.0
    try:
        without = evaluate(node.formula, {**values, name: 0.0})
        doubled = evaluate(node.formula, {**values, name: 2 * values[name]})
    except (ArithmeticError, ValueError):  # the formula has no value there
        return 0.0
    if abs(doubled) <= abs(node.value):  # a divisor or a subtrahend: more of it is less
        return 0.0
    return min(max((node.value - without) / node.value, 0.0), 1.0)


def bar(share: float, ascii_only: bool = False) -> str:
    if ascii_only:
        return "#" * round(share * BAR_WIDTH)
    eighths = round(share * BAR_WIDTH * 8)
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).strip()


def trace(recall: Recall) -> Table:
    table = Table(box=None, header_style="dim", pad_edge=False)
    for name, side in (("stage", "left"), ("in", "right"), ("out", "right"), ("ms", "right"), ("", "left")):
        table.add_column(name, justify=side)  # type: ignore[arg-type]
    for step in recall.trace:
        note = Text(show.printable(step.note), style="dim")
        table.add_row(step.stage, str(step.into), str(step.out), f"{step.ms:.2f}", note)
    return table


def _signals(signals: Signals) -> str:
    numbers = {
        "best cosine": signals.top_similarity,
        "cosine of the others": signals.background,
        "evidence": signals.evidence,
        "agreement": signals.agreement,
    }
    told = "".join(f" · {name} {value:.2f}" for name, value in numbers.items() if value is not None)
    return f" · covers {signals.coverage:.0%} of the question's words{told}"


# Comparisons --------------------------------------------------------------------------------------


def compared(comparison: Comparison) -> None:
    """A row per memory, a column per recipe with the rank and score it gave; below, what sets the recipes apart."""
    to = console()
    names = _headings(list(comparison.recalls), to.width)
    to.print(_ranks(comparison, names, to.width))
    if list(names.values()) != list(names):
        to.print(Text(" · ".join(f"{short} {name}" for name, short in names.items()), style="dim"))
    for name, recall in comparison.recalls.items():
        for line in [] if recall.hits else _refused(name, recall, to.width):
            to.print(Text(line, style="dim"))
    for line in _differences(comparison):
        to.print(Text(line, style="dim"))


def _refused(name: str, recall: Recall, width: int) -> list[str]:
    reason = f"{name}: {recall.rejected or 'nothing found'}"
    near = [show.shortened(f"  {hit.score:<7.3g} {_start(hit.memory)}", width) for hit in recall.nearest]
    return [reason, f"{name}: {NEAREST}", *near] if near else [reason]


def _headings(names: Sequence[str], width: int) -> dict[str, str]:
    """Recipe → its column's heading: a letter where the names leave no room for the memories."""
    fits = sum(len(name) + COLUMN_GAP for name in names) + LEAST_TEXT_COLUMNS <= width
    return {name: name if fits else ascii_lowercase[n % 26] for n, name in enumerate(names)}


def _ranks(comparison: Comparison, names: Mapping[str, str], width: int) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, COLUMN_GAP, 0, 0))
    with_scores = len(names) * (PLACE_COLUMNS + COLUMN_GAP) + LEAST_TEXT_COLUMNS <= width
    least = PLACE_COLUMNS if with_scores else COLUMN_GAP
    taken = sum(max(len(short), least) + COLUMN_GAP for short in names.values())
    table.add_column("memory", max_width=max(width - taken - COLUMN_GAP, LEAST_TEXT_COLUMNS), no_wrap=True)
    for short in names.values():
        table.add_column(short, justify="right", min_width=least)
    for memory in comparison.memories:
        places = comparison.places(memory.id)
        table.add_row(Text(_start(memory)), *(_place(places.get(name), with_scores) for name in names))
    return table


def _place(place: Place | None, with_score: bool) -> str:
    if place is None:
        return "-"
    return f"{place.rank}. {place.score:.3g}" if with_score else str(place.rank)


def _differences(comparison: Comparison) -> list[str]:
    """What sets each two recipes apart; of many, the first from each of the others."""
    names = list(comparison.recalls)
    firsts = names if len(names) <= MOST_ALL_PAIRS else names[:1]
    pairs = [(a, b) for n, a in enumerate(firsts) for b in names[n + 1 :]]
    return [_difference(comparison, a, b) for a, b in pairs]


def _difference(comparison: Comparison, a: str, b: str) -> str:
    found = comparison.difference(a, b)
    shared = f"{a} and {b} share {comparison.overlap(a, b):.0%} of their hits"
    if found is None:
        return f"{shared} and agree on their order"
    return f'{shared}. "{show.shortened(_start(found.memory), QUOTED)}": {found.text}'


def _start(memory: Memory) -> str:
    return show.printable(" ".join(memory.text.split()))
