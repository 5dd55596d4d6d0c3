"""The tables of `bench memsense`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ... import recipes
from ...embedders.hashing import Hashing
from ...explanation import Explanation
from ...recipes.recipe import MaximalMarginalRelevance, Recipe, ReciprocalRank, SessionFirst, Stored
from ...types import Hit
from .. import metrics
from ..data import Haystack, Message, Session
from ..html_page import Part, Table
from ..printed import same
from ..score import figure
from .modes import RECIPE, STORED, Answered, Mode, opened, store

if TYPE_CHECKING:
    from ...types import Vector

Row = tuple[str, str, str, str]
K, CAP, FACTOR, MEMORY_WEIGHT, LAMBDA = 15, 0.12, 0.6, 0.1, 0.78
"""1 / (15 + rank); min(0.12, 0.6 × best turn); 0.1 × memory score."""


def parts(by_mode: Mapping[Mode, Sequence[Answered]], top_k: int) -> list[Part]:
    example = _example()
    steps = [_steps(example), _selection(example)]
    return [_differences(), _constants(), *steps, _quality(by_mode, top_k), _by_type(by_mode, top_k)]


def _differences() -> Table:
    rows = (
        ("results", "the page prints no results", "ours, without printed numbers beside them"),
        ("turn chunk", "a question with its answer", "a round: the same"),
        ("lexical route", "PostgreSQL full-text search", "BM25 over gist and text; one content word is enough"),
        ("neighbours", "whether they count in top_k is not printed", "shown with their hit; they take no place"),
        ("duplicate threshold", "how it is used is not printed", "a candidate of this redundancy is left out"),
        ("task_tag", "a summary by an LLM", "our gist"),
        ("facets", "texts by an LLM", "statements by rules"),
        ("memory score", "set by its tagger, 0.5 at first", "our importance, 0.5"),
    )
    return Table(title="What differs from MemSense", head=("what", "MemSense", "here"), rows=rows)


# Constants ----------------------------------------------------------------------------------------


def _constants() -> Table:
    recipe = recipes.load(RECIPE)
    fuse, mmr = recipe.fuse, next(h for h in recipe.diversify if isinstance(h, MaximalMarginalRelevance))
    first = next(part for part in recipe.spread if isinstance(part, SessionFirst))
    assert isinstance(fuse, ReciprocalRank) and fuse.keep is not None
    memory_weight = next(factor.weight for factor in recipe.factors.add if isinstance(factor, Stored))
    rows = [
        _row("routes", "8", str(len(recipe.routes))),
        *(
            _row(f"candidates per route, top_k {k}", str(max(max(k * 4, 32) * 2, 40)), _depths(recipe, k))
            for k in (4, 10, 20)
        ),
        *(_row(f"candidates before MMR, top_k {k}", str(max(k * 4, 32)), str(fuse.keep.of(k))) for k in (4, 10, 20)),
        _row("k of rank fusion", "15", f"{fuse.k:g}"),
        _row("weight of the memory score", "0.1", f"{memory_weight:g}"),
        _row("most support by turns", "0.12", f"{first.cap:g}"),
        _row("share of the best turn", "0.6", f"{first.factor:g}"),
        _row("lambda", "0.78", f"{mmr.lambda_:g}"),
        _row("duplicate threshold", "0.94", f"{mmr.duplicate:g}"),
        _row("weight of the tag overlap", "0.35", f"{mmr.tag_share:g}"),
    ]
    return Table(title="The page's numbers", head=("constant", "printed", "ours", "same"), rows=tuple(rows))


def _depths(recipe: Recipe, top_k: int) -> str:
    return ", ".join(sorted({str(route.depth.of(top_k)) for route in recipe.routes}))


def _row(what: str, printed: str, ours: str) -> Row:
    return what, printed, ours, same(printed, ours)


# The formulas, step by step -----------------------------------------------------------------------

TOLD = (
    ("s1", ("My violin is a copy of a Guarneri from Cremona.", "A fine instrument."), ("I oil it in May.", "Noted.")),
    ("s2", ("Which soup freezes well?", "Lentil soup freezes well."), ("And bread?", "Bread too.")),
    ("s3", ("The luthier in Cremona repaired my bow.", "Good news."), ("It cost ninety euros.", "A fair price.")),
)
ASKED = "What did the luthier in Cremona do to my violin?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One hybrid recall on three sessions."""

    hits: Sequence[Hit]
    vectors: Mapping[str, Vector]
    """Memory id → its vector."""


def _example() -> Example:
    at = datetime(2026, 3, 1, 12, tzinfo=UTC)
    with opened(Hashing()) as mind:
        store(mind, Haystack(name="told", pool="told", sessions=tuple(_sessions(at))), "hybrid")
        hits = mind.recall(ASKED, limit=4, at=at, track=False).hits
        return Example(hits=hits, vectors=mind.store.fetch([hit.memory.id for hit in hits], view="full").vectors)


def _steps(example: Example) -> Table:
    """Each number again by the printed formula, from the ranks."""
    rows: list[tuple[str, ...]] = []
    for hit in example.hits:
        name, found = hit.memory.session_id or "", hit.explanation
        own, turn = (found.find(node) for node in ("session_rrf_score", "best_turn_rrf_score"))
        if own is None:
            rows.append((name, "session_rrf_score", "Σ 1 / (15 + rank)", "–", "no such part", "no"))
            continue
        support = min(CAP, FACTOR * _fused(turn)) if turn else 0.0
        rows.append(_step(name, "session_rrf_score", f"Σ 1 / (15 + rank), ranks {_ranks(own)}", _fused(own), own))
        if turn:
            rows.append(_step(name, "best turn", f"Σ 1 / (15 + rank), ranks {_ranks(turn)}", _fused(turn), turn))
            given = found.find("turn_support")
            rows.append(_step(name, "turn_support", "min(0.12, 0.6 × best turn)", support, given))
        rows.append(_step(name, "final_score", "session + support + 0.1 × 0.5", _final(hit), found.find("score")))
    head = ("session", "number", "printed formula", "by the formula", "ours", "same")
    note = f"Question: “{ASKED}” Three sessions of two rounds each, mode hybrid, hashed vectors."
    return Table(title="A hybrid recall step by step", head=head, rows=tuple(rows), notes=(note,))


def _selection(example: Example) -> Table:
    """The order that the printed MMR gives, from final scores and cosines. The sessions have no tags."""
    left = {hit.memory.id: hit for hit in example.hits}
    finals = {id: _final(hit) for id, hit in left.items()}
    chosen: list[str] = []
    rows = []
    for place, hit in enumerate(example.hits, start=1):
        values = {id: LAMBDA * finals[id] - (1 - LAMBDA) * _redundancy(id, chosen, example) for id in left}
        best = max(values, key=lambda id: values[id])
        names = left[best].memory.session_id or "", hit.memory.session_id or ""
        shares = f"{LAMBDA:g} × {finals[best]:.4f} − {1 - LAMBDA:.2g} × {_redundancy(best, chosen, example):.4f}"
        rows.append((str(place), shares, f"{values[best]:.6f}", *names, same(*names)))
        chosen.append(best)
        del left[best]
    head = (
        "place",
        "mmr_score = lambda × final − (1 − lambda) × redundancy",
        "by the formula",
        "session",
        "ours",
        "same",
    )
    note = "Redundancy: the largest cosine to a session that was chosen before; 0 for the first."
    return Table(title="Diversity step by step", head=head, rows=tuple(rows), notes=(note,))


def _final(hit: Hit) -> float:
    own, turn = (hit.explanation.find(node) for node in ("session_rrf_score", "best_turn_rrf_score"))
    support = min(CAP, FACTOR * _fused(turn)) if turn else 0.0
    return (_fused(own) if own else 0.0) + support + MEMORY_WEIGHT * hit.memory.importance


def _redundancy(id: str, chosen: Sequence[str], example: Example) -> float:
    return max((float(example.vectors[id] @ example.vectors[other]) for other in chosen), default=0.0)


def _step(name: str, what: str, formula: str, wanted: float, got: Explanation | None) -> tuple[str, ...]:
    shown = f"{wanted:.6f}"
    ours = "no such part" if got is None else f"{got.value:.6f}"
    return name, what, formula, shown, ours, same(shown, ours)


def _ranks_of(score: Explanation) -> list[int]:
    return [int(node.value) for node in score.walk() if node.name == "rank"]


def _ranks(score: Explanation) -> str:
    return ", ".join(map(str, _ranks_of(score)))


def _fused(score: Explanation) -> float:
    return sum(1 / (K + rank) for rank in _ranks_of(score))


def _sessions(at: datetime) -> list[Session]:
    return [
        Session(
            id=name,
            at=at,
            turns=tuple(
                Message(role=role, text=text)
                for pair in pairs
                for role, text in zip(("user", "assistant"), pair, strict=True)
            ),
        )
        for name, *pairs in TOLD
    ]


# Quality ------------------------------------------------------------------------------------------


def _quality(by_mode: Mapping[Mode, Sequence[Answered]], top_k: int) -> Table:
    rows = []
    for mode, answered in by_mode.items():
        stored = " + ".join(f"{size}s" for size in STORED[mode])
        rows.append((mode, stored, str(len(answered)), *_cells(answered, top_k), _milliseconds(answered)))
    names = ", ".join(dict.fromkeys(one.dataset for each in by_mode.values() for one in each))
    head = ("mode", "stored", "questions", "hit@1", f"hit@{top_k}", f"recall@{top_k}", "MRR", "ms")
    note = f"A hit is a session that answers the question. {names}. top_k {top_k}; questions with an answer only."
    return Table(title="Quality by mode", head=head, rows=tuple(rows), notes=(note,))


def _by_type(by_mode: Mapping[Mode, Sequence[Answered]], top_k: int) -> Table:
    types = list(dict.fromkeys(one.question.type for each in by_mode.values() for one in each))
    rows = []
    for mode, answered in by_mode.items():
        for kind in types:
            mine = [one for one in answered if one.question.type == kind]
            rows.append((mode, kind, str(len(mine)), *_cells(mine, top_k)))
    head = ("mode", "type", "questions", "hit@1", f"hit@{top_k}", f"recall@{top_k}", "MRR")
    return Table(title="Quality by type of question", head=head, rows=tuple(rows))


def _cells(answered: Sequence[Answered], top_k: int) -> list[str]:
    hits = [[metrics.hit(one.ranked, one.gold, k) for one in answered] for k in (1, top_k)]
    shares = [figure(values, binary=True) for values in hits]
    means = [
        figure([metrics.recall(one.ranked, one.gold, top_k) for one in answered], binary=False)["value"],
        figure([metrics.reciprocal_rank(one.ranked, one.gold) for one in answered], binary=False)["value"],
    ]
    shown = [f"{f['value'] * 100:.1f} [{f['low'] * 100:.0f}, {f['high'] * 100:.0f}]" for f in shares]
    return [*shown, f"{means[0] * 100:.1f}", f"{means[1]:.3f}"]


def _milliseconds(answered: Sequence[Answered]) -> str:
    spent = [sum(step.ms for step in one.recall.trace) for one in answered]
    return f"{sum(spent) / len(spent):.1f}" if spent else "–"
