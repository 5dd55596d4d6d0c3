"""Tables 12 and 13: three memories with different histories, scored by retrievals and by accesses."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from ...explanation import Explanation
from ...read.rank import rank
from ...recipes.recipe import Factors, Frequency, Recency, Recipe, Relevance
from ...types import Candidate, Memory
from ..html_page import Table
from ..printed import MISSING, beside, heads, same
from . import published

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SEMANTIC, IMPORTANCE = 0.70, 0.80


def table_12() -> Table:
    rows = [
        (name, published.TABLE_12_NAMES[name], str(accesses), str(retrievals), f"{accessed} d", f"{retrieved} d")
        for name, (accesses, retrievals, accessed, retrieved) in published.TABLE_12.items()
    ]
    head = ("profile", "name", "accesses", "retrievals", "last accessed", "last retrieved")
    note = "The input of table 13, as printed. f_sem is 0.70 and f_imp 0.80 for all."
    return Table(title="Table 12: three profiles", head=head, rows=tuple(rows), notes=(note,))


def table_13(recipe: Recipe) -> Table:
    """The factors and scores of the engine, with the recipe's own numbers."""
    rows = []
    for strategy, printed in published.TABLE_13.items():
        ranked = rank([_profile(name) for name in printed], _factors(recipe, strategy), NOW)
        found = {one.memory.id: one.score for one in ranked}
        for name, values in printed.items():
            ours = [f"{_value(found[name], part):.3f}" for part in ("recency", "frequency", "score")]
            shown = [f"{value:.3f}" for value in values]
            agrees = "yes" if all(same(a, b) == "yes" for a, b in zip(shown, ours, strict=True)) else "no"
            rows.append((strategy, name, *beside(shown, ours), agrees))
        order, wanted = " > ".join(one.memory.id for one in ranked), published.TABLE_13_RANKING[strategy]
        rows.append((strategy, "ranking", *[MISSING] * 4, wanted, order, same(wanted, order)))
    head = ("strategy", "profile", *heads(("f_rec", "f_freq", "score")), "same")
    note = "Strategy 1 counts retrievals (the recipe), strategy 2 counts accesses. Computed by the engine's `rank`."
    return Table(title="Table 13: two tracking strategies", head=head, rows=tuple(rows), notes=(note,))


def _value(score: Explanation, part: str) -> float:
    found = score if part == "score" else score.find(part)
    assert found is not None
    return found.value


def _factors(recipe: Recipe, strategy: str) -> Factors:
    """The recipe's factors. f_sem is given, so it is not scaled by the best candidate."""
    made = []
    for factor in recipe.factors.add:
        if isinstance(factor, Relevance):
            factor = Relevance(weight=factor.weight)
        elif isinstance(factor, Recency) and strategy == "access":
            factor = replace(factor, since="accessed")
        elif isinstance(factor, Frequency) and strategy == "access":
            factor = replace(factor, count="access")
        made.append(factor)
    return Factors(add=tuple(made))


def _profile(name: str) -> Candidate:
    accesses, retrievals, accessed, retrieved = published.TABLE_12[name]
    memory = Memory(
        id=name,
        text=published.TABLE_12_NAMES[name],
        importance=IMPORTANCE,
        access_count=accesses,
        retrieval_count=retrievals,
        last_accessed_at=NOW - timedelta(days=accessed),
        last_retrieved_at=NOW - timedelta(days=retrieved),
        created_at=NOW - timedelta(days=100),
    )
    return Candidate(memory, (), Explanation("relevance", SEMANTIC))
