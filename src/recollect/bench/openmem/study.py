"""The tables of `bench openmem`: the document's constants and the scenario suite, each beside what the engine gives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from ... import recipes
from ...progress import progress
from ...recipes.recipe import Activation, Lexical, Recency, Recipe, Relevance, StatusPenalty, Stored
from ...types import Status
from .. import statistics
from ..html_page import Part, Table
from ..printed import same
from .play import Played, opened, play
from .scenario import Scenario

Row = tuple[str, str, str, str]


def parts(scenarios: Sequence[Scenario], *, show: bool = False) -> list[Part]:
    at = datetime.now(UTC)
    with progress("playing scenarios", len(scenarios), show) as advance:
        played = {}
        for scenario in scenarios:
            played[scenario.name] = play(scenario, at)
            advance(1)
    return [_differences(len(scenarios)), _constants(at), _overview(scenarios, played), _checks(played)]


def _differences(count: int) -> Table:
    rows = (
        ("scenarios", "a suite of its own, which the document does not print", f"{count} of our own, in its form"),
        ("BM25", "FTS5's own", "FTS5's formula with the BM25 article's IDF, over one tenant and granularity"),
        ("words", "no tokenizer is named", "our analyzer; one content word of the question is enough"),
        ("archived memories", "there are none", "not searched"),
        ("spreading", "text: decay per hop; its code: decay^(hop + 1)", "the text"),
        (
            "decay of strength",
            "its code keeps no clock, so calling twice decays twice",
            "each memory has its own clock",
        ),
        ("deleted memories", "its code still recalls them", "never recalled"),
    )
    return Table(title="What differs from OpenMem", head=("what", "OpenMem", "here"), rows=rows)


def _overview(scenarios: Sequence[Scenario], played: dict[str, Played]) -> Table:
    rows = []
    for one in scenarios:
        checks, spent = played[one.name].checks, played[one.name].milliseconds
        right = sum(check.right for check in checks)
        ms = statistics.mean(list(spent))
        rows.append((one.name, str(len(one.memories)), f"{right} of {len(checks)}", f"{ms:.1f}", one.about))
    every = [check for each in played.values() for check in each.checks]
    note = f"{sum(check.right for check in every)} of {len(every)} statements are as the document says."
    head = ("scenario", "memories", "as the document says", "ms", "what it shows")
    return Table(title="The scenario suite", head=head, rows=tuple(rows), notes=(note,))


def _checks(played: dict[str, Played]) -> Table:
    rows = [
        (check.scenario, check.question, check.what, check.wanted, check.got, "yes" if check.right else "no")
        for each in played.values()
        for check in each.checks
    ]
    head = ("scenario", "question", "what", "document", "ours", "same")
    note = (
        "Scores: the document's formula with the numbers of the memory. 0.5 activation + 0.2 recency + 0.2 strength "
        "+ 0.1 confidence, times the status. They must agree to 1e-6."
    )
    return Table(title="Every statement", head=head, rows=tuple(rows), notes=(note,))


# Constants ----------------------------------------------------------------------------------------


def _constants(at: datetime) -> Table:
    rows = [*_of_the_recipe(), *_of_the_verbs(at)]
    head = ("constant", "printed", "ours", "same")
    return Table(title="The document's numbers", head=head, rows=tuple(rows))


def _of_the_recipe() -> list[Row]:
    recipe = recipes.load("openmem")
    lexical = next(route for route in recipe.routes if isinstance(route, Lexical))
    spreading = next(part for part in recipe.spread if isinstance(part, Activation))
    factors = recipe.factors.add
    age = next(factor for factor in factors if isinstance(factor, Recency))
    assert age.rate_per_day is not None and recipe.conflicts is not None
    weights = _weights(recipe)
    penalty = next(factor for factor in recipe.factors.multiply if isinstance(factor, StatusPenalty))
    rate = age.rate_per_day
    return [
        _row("candidates for top_k 5", "20", str(lexical.depth.of(5))),
        _row("max_hops", "2", str(spreading.hops)),
        _row("decay_per_hop", "0.5", f"{spreading.decay:g}"),
        _row("weight of activation", "0.5", f"{weights[Relevance.__name__]:g}"),
        _row("weight of recency", "0.2", f"{weights[Recency.__name__]:g}"),
        _row("weight of strength", "0.2", f"{weights['strength']:g}"),
        _row("weight of confidence", "0.1", f"{weights['confidence']:g}"),
        _row("recency after 1 day", "0.95", f"{math.exp(-rate):.4f}"),
        _row("recency after 30 days", "0.22", f"{math.exp(-rate * 30):.4f}"),
        _row("half-life of recency, days", "14", f"{math.log(2) / rate:.2f}"),
        *(_row(f"status {s}", p, f"{penalty.multipliers[s]:g}") for s, p in PENALTIES.items()),
        _row("the weaker of two that contradict", "0.3", f"{recipe.conflicts.multiplier:g}"),
        _row("characters per token", "4", f"{recipe.pack.chars_per_token:g}"),
    ]


def _weights(recipe: Recipe) -> dict[str, float]:
    found: dict[str, float] = {}
    for factor in recipe.factors.add:
        if isinstance(factor, Stored):
            found[factor.field] = factor.weight
        elif isinstance(factor, Relevance | Recency):
            found[type(factor).__name__] = factor.weight
    return found


PENALTIES: dict[Status, str] = {"active": "1.0", "superseded": "0.5", "contradicted": "0.3"}


def _of_the_verbs(at: datetime) -> list[Row]:
    """What `reinforce` and `decay` do to a strength."""
    with opened() as mind:
        low, high, old = mind.remember_many(
            {"text": text, "at": at - timedelta(days=10), "dedup": False}
            for text in ("The kiln is on level two.", "The loom is on level three.", "The forge is on level four.")
        )
        mind.update(low.id, strength=0.5)
        mind.update(high.id, strength=0.95)
        raised, clamped = (mind.reinforce(memory.id).strength for memory in (low, high))
        mind.decay(at=at, force=True)
        mind.decay(at=at, force=True)
        decayed = next(memory.strength for memory in mind.list() if memory.id == old.id)
    return [
        _row("reinforce 0.50", "0.6", f"{raised:.4f}"),
        _row("reinforce 0.95 (at most 1)", "1.0", f"{clamped:.4f}"),
        _row("strength 1.0 decayed for 10 days", f"{math.exp(-0.01 * 10):.4f}", f"{decayed:.4f}"),
    ]


def _row(what: str, printed: str, ours: str) -> Row:
    return what, printed, ours, same(printed, ours)
