"""Tables 5, 6 and 7: LongMemEval as sessions, rounds and facts in one store. Records are ranked, not sessions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .. import statistics
from ..data import Dataset
from ..evaluate import Outcome
from ..html_page import Table
from ..printed import MISSING, beside, heads
from ..run import Measured
from ..score import TOPIC_METRICS, scored
from . import published
from .paper import Paper
from .records import GRANULARITIES, without_abstention

NEEDS_DATA = "Not measured: name a LongMemEval file with --data."
FIGURES = ("Hit@1", "Hit@5", "MRR", "TC@5")
Kept = Callable[[str], bool]


def tables(paper: Paper, talk: Dataset | None) -> list[Table]:
    """Tables 5 to 7 for one file, or only the printed numbers without a file."""
    by_size = {size: paper.asked_of(talk, size, [paper.recipe]) for size in GRANULARITIES} if talk else {}
    name = f", {talk.name}" if talk else ""
    return [
        _table_5(by_size, paper, name),
        _table_6(by_size, paper, name, "all questions", lambda _: True),
        _table_6(by_size, paper, name, "without the `_abs` questions", without_abstention),
        _table_7(paper, talk, name),
    ]


def _scores(outcomes: Sequence[Outcome], kept: Kept) -> list[dict[str, float]]:
    return [scored(outcome, TOPIC_METRICS) for outcome in outcomes if outcome.gold and kept(outcome.question)]


def figures(scores: Sequence[Mapping[str, float]]) -> list[str]:
    """Hit@1, Hit@5, MRR and TC@5."""
    if not scores:
        return [MISSING] * len(FIGURES)
    mean = {k: statistics.mean([s[k] for s in scores]) for k in ("hit@1", "hit@5", "mrr", "coverage@5")}
    shares = {key: f"{value * 100:.1f}" for key, value in mean.items()}
    return [shares["hit@1"], shares["hit@5"], f"{mean['mrr']:.3f}", shares["coverage@5"]]


def _table_5(by_size: Mapping[str, Measured], paper: Paper, name: str) -> Table:
    rows: list[tuple[str, ...]] = []
    for size, (printed_records, *printed) in published.TABLE_5.items():
        measured = by_size.get(size)
        outcomes = measured.of(paper.recipe.name) if measured else ()
        stored = f"{len(measured.setup.dataset.topics):,}" if measured else MISSING
        for label, kept in (("all", lambda _: True), ("without `_abs`", without_abstention)):
            scores = _scores(outcomes, kept)
            count = str(len(scores)) if scores else MISSING
            asked = str(published.QUESTIONS) if label == "all" else MISSING
            known = printed if label == "all" else [MISSING] * len(FIGURES)
            cells = beside([asked, printed_records, *known], [count, stored, *figures(scores)])
            rows.append((size, label, *cells))
    head = ("granularity", "questions", *heads(("n", "records", *FIGURES)))
    return Table(
        title=f"Table 5: granularity{name}",
        head=head,
        rows=tuple(rows),
        notes=_notes(by_size, "A hit is a record of a gold session. TC@5: share of the gold sessions among five hits."),
    )


def _notes(by_size: Mapping[str, Measured], *notes: str) -> tuple[str, ...]:
    return notes if by_size else (NEEDS_DATA, *notes)


def _table_6(by_size: Mapping[str, Measured], paper: Paper, name: str, which: str, kept: Kept) -> Table:
    rows = []
    all_of_them = kept("_abs")
    for ability, printed in published.TABLE_6.items():
        for size in GRANULARITIES:
            measured = by_size.get(size)
            mine = [o for o in (measured.of(paper.recipe.name) if measured else ()) if _ability(o) == ability]
            scores = _scores(mine, kept)
            _, hit5, mrr, _ = figures(scores)
            known = [str(published.ABILITY_COUNTS[ability]), *printed[size]] if all_of_them else [MISSING] * 3
            ours = [str(len(scores)) if scores else MISSING, hit5, mrr.removeprefix("0")]
            rows.append((ability, size, *beside(known, ours)))
    head = ("ability", "granularity", *heads(("n", "Hit@5", "MRR")))
    note = "Information extraction: single-session-user, -assistant and -preference."
    return Table(title=f"Table 6: by ability, {which}{name}", head=head, rows=tuple(rows), notes=_notes(by_size, note))


def _ability(outcome: Outcome) -> str | None:
    return published.ABILITIES.get(outcome.type)


def _table_7(paper: Paper, talk: Dataset | None, name: str) -> Table:
    """Vectors alone, and the full recipe under both readings of the tag-signature rule."""
    steps = paper.dedup_steps()
    measured = paper.asked_of(talk, "fact", steps) if talk else None
    rows: list[tuple[str, ...]] = []
    for step in steps:
        outcomes = measured.of(step.name) if measured else ()
        for label, kept in (("all", lambda _: True), ("without `_abs`", without_abstention)):
            printed = published.TABLE_7.get(step.name) if label == "all" else None
            ours = [*figures(_scores(outcomes, kept)), _mean_ms(outcomes, kept)]
            rows.append((step.name, label, *beside(printed or [MISSING] * 5, ours)))
    head = ("configuration", "questions", *heads((*FIGURES, "Avg ms")))
    notes = (
        "V: vector search only, no rejection, no dropping of duplicates, not even of equal texts.",
        "Section 3.5 exempts untagged memories from the tag-signature rule (Full here). Section 5.4 says that all "
        "facts share one signature; then at most one fact is returned and Hit@5 equals Hit@1, which the printed "
        "numbers do not show. Both readings are measured.",
    )
    return Table(
        title=f"Table 7: vectors alone and the full recipe, facts{name}",
        head=head,
        rows=tuple(rows),
        notes=notes if measured else (NEEDS_DATA, *notes),
    )


def _mean_ms(outcomes: Sequence[Outcome], kept: Kept) -> str:
    spent = [outcome.answer.ms["total"] for outcome in outcomes if kept(outcome.question)]
    return f"{statistics.mean(spent):.1f}" if spent else MISSING
