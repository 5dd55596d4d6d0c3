"""Tables 10 and 11: the five rejection rules, on the printed queries and on each query of our scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ...read.reject import reject
from ...recipes.recipe import Gate
from ...types import Signals
from .. import ablate
from ..html_page import Table
from ..printed import MISSING, OURS, PRINTED, beside, heads
from . import published
from .paper import Paper

Rule = Literal["R1", "R2", "R3", "R4", "R5"]
RULES: tuple[Rule, ...] = ("R1", "R2", "R3", "R4", "R5")
TEXT_SHOWN = 24
ACCEPTED, REJECTED = "accepted", "rejected"
TAU_OF_TABLE_10 = 0.50
WEAK, STRONG = 0.40, 0.60
"""A v_max below and above all thresholds of table 10."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """The signals of one query."""

    name: str
    v_max: float | None
    keyword: bool
    answerable: bool

    def accepted(self, rule: Rule, gate: Gate) -> bool:
        signals = Signals(top_similarity=self.v_max, keyword_match=self.keyword)
        return reject(signals, 0.0, replace(gate, rule=rule), None) is None


def table_10(paper: Paper) -> Table:
    """What the engine's gate does in the four cases that the rules tell apart."""
    gate = replace(paper.gate, tau=TAU_OF_TABLE_10)
    cases = [
        Case(name=name, v_max=v_max, keyword=keyword, answerable=True)
        for name, v_max, keyword in (
            ("keyword, v_max 0.60", STRONG, True),
            ("keyword, v_max 0.40", WEAK, True),
            ("no keyword, v_max 0.60", STRONG, False),
            ("no keyword, v_max 0.40", WEAK, False),
            ("no keyword, v_max 0.52", 0.52, False),
        )
    ]
    rows = [(rule, published.TABLE_10[rule], *(_word(case.accepted(rule, gate)) for case in cases)) for rule in RULES]
    head = ("rule", "condition to reject, printed", *(f"{case.name}: ours" for case in cases))
    note = "tau 0.50. v_max 0.52 is between tau and the 0.55 of R5."
    return Table(title="Table 10: rejection rules", head=head, rows=tuple(rows), notes=(note,))


def table_11(paper: Paper) -> list[Table]:
    """The printed queries, the counts, and the same matrix for every query of our scenarios."""
    return [_printed_queries(paper), *_our_queries(paper)]


def _printed_queries(paper: Paper) -> Table:
    gate = replace(paper.gate, tau=TAU_OF_TABLE_10)
    rows = []
    for name, (v_max, keyword, answerable, marks) in published.TABLE_11_QUERIES.items():
        case = Case(name=name, v_max=v_max, keyword=keyword, answerable=answerable)
        printed = [_mark(mark == "y", answerable) for mark in marks]
        ours = [_mark(case.accepted(rule, gate), answerable) for rule in RULES]
        agrees = "yes" if printed == ours else "no"
        rows.append((name, f"{v_max:.3f}", _yes(keyword), *beside(printed, ours), agrees))
    head = ("query", "v_max", "keyword hit", *heads(RULES), "same")
    note = f"The signals are the printed ones; the engine's rules decide. {_LEGEND}"
    return Table(title="Table 11: rules on the printed queries", head=head, rows=tuple(rows), notes=(note,))


_LEGEND = "✓ accepted, × rejected, ✓* a query without an answer that was accepted."


def _our_queries(paper: Paper) -> list[Table]:
    cases = _cases(paper)
    gate = paper.gate
    matrix = [
        (
            case.name,
            MISSING if case.v_max is None else f"{case.v_max:.3f}",
            _yes(case.keyword),
            _yes(case.answerable),
            *(_mark(case.accepted(rule, gate), case.answerable) for rule in RULES),
        )
        for case in cases
    ]
    head = ("query", "v_max", "keyword hit", "has an answer", *RULES)
    note = f"tau {paper.tau:g}; R5 has 0.55 as printed. {_LEGEND}"
    per_query = Table(title="Table 11: rules on each of our queries", head=head, rows=tuple(matrix), notes=(note,))
    return [_counts(cases, gate), per_query]


def _counts(cases: Sequence[Case], gate: Gate) -> Table:
    valid = [case for case in cases if case.answerable]
    misses = [case for case in cases if not case.answerable]
    rows = []
    for rule in RULES:
        ours = sum(not c.accepted(rule, gate) for c in valid), sum(c.accepted(rule, gate) for c in misses)
        rows.append((rule, *beside([str(n) for n in published.TABLE_11[rule]], [str(n) for n in ours])))
    head = (
        "rule",
        f"FN {PRINTED} (of 21)",
        f"FN {OURS} (of {len(valid)})",
        f"FP {PRINTED} (of 3)",
        f"FP {OURS} (of {len(misses)})",
    )
    found = sum(case.keyword for case in cases)
    notes = (
        "FN: queries with an answer that are rejected. FP: queries without one that are accepted.",
        f"Queries with a keyword hit: printed 3 of 24, ours {found} of {len(cases)}.",
        "R3 rejects every query without a keyword hit, so the printed FP of 1 for R3 contradicts the matrix above, "
        "where R3 rejects both misses.",
    )
    return Table(title="Table 11: false negatives and false positives", head=head, rows=tuple(rows), notes=notes)


def _cases(paper: Paper) -> list[Case]:
    ungated = ablate.ungated(paper.recipe)
    found = []
    for measured in paper.asked([ungated]):
        texts = {question.id: question.text for question in measured.setup.dataset.questions}
        for outcome in measured.of(ungated.name):
            signals = outcome.answer.signals
            found.append(
                Case(
                    name=f"{outcome.question}: {_short(texts[outcome.question])}",
                    v_max=signals.top_similarity,
                    keyword=signals.keyword_match,
                    answerable=outcome.answerable,
                )
            )
    return found


def _short(text: str) -> str:
    return text if len(text) <= TEXT_SHOWN else f"{text[:TEXT_SHOWN]}…"


def _word(accepted: bool) -> str:
    return ACCEPTED if accepted else REJECTED


def _mark(accepted: bool, answerable: bool) -> str:
    if not accepted:
        return "×"
    return "✓" if answerable else "✓*"


def _yes(value: bool) -> str:
    return "yes" if value else "no"
