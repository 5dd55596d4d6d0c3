"""Siestai's page 'Relevance Scoring': its decay table, its score, and dedup and consolidation step by step.

Vectors are placed, so that every cosine is known and the result does not depend on a model.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from .. import embedders, recipes
from ..config import Settings
from ..embedders.protocol import Embedder
from ..recipes.recipe import Recency, Relevance, Stored
from ..recollect import Recollect
from ..types import Memory
from .html_page import Part, Table
from .placed import Placed
from .printed import same

RECIPE = "siestai"
DECAY = {0: "1.000", 1: "0.951", 7: "0.705", 14: "0.497", 30: "0.223", 60: "0.050"}
"""Days since the last access → the printed decay."""
DUPLICATE, CLUSTER = 0.92, 0.80
Row = tuple[str, str, str, str]
SAYINGS = (
    "The staging database is reset every Monday night.",
    "Every Monday night somebody resets the database of staging.",
    "On Mondays, at night, the staging database starts empty again.",
)


def parts() -> list[Part]:
    at = datetime.now(UTC)
    return [_differences(), _decay(at), _weights(), _scores(at), _thresholds(), _dedup(at), _consolidation(at)]


def _differences() -> Table:
    rows = (
        ("vectors", "a model's", "placed, so that each cosine is known; the rules are the same with every embedder"),
        ("candidates", "every row is scored", "the nearest 1,000 are scored"),
        ("index", "HNSW on both tables", "SQLite compares; PostgreSQL has one HNSW index from 20,000 rows on"),
        ("importance of a duplicate", "raised; by how much is not printed", "the higher of the two + 0.1, at most 1"),
        ("size of a cluster", "three or more", "three to twelve"),
        ("summary of a cluster", "two or three sentences by an LLM", "sentences of the originals, by rules"),
        ("sources", "the page prints 0.92, 0.80, the weights and the decay", "the other numbers are from its code"),
    )
    return Table(title="What differs from Siestai", head=("what", "Siestai", "here"), rows=rows)


def opened(embedder: Embedder) -> Recollect:
    return Recollect(":memory:", embedder=embedder, recipe=RECIPE, settings=Settings(log_queries=False))


def _decay(at: datetime) -> Table:
    """The recency of memories of each age, as a recall explains it."""
    texts = {days: f"Note {days} of the logbook." for days in DECAY}
    groups = {text: ("log", 0.9) for text in (*texts.values(), "logbook")}
    with opened(Placed(groups)) as mind:
        mind.remember_many(
            {"text": text, "at": at - timedelta(days=days), "dedup": False} for days, text in texts.items()
        )
        hits = mind.recall("logbook", limit=len(texts), at=at, track=False).hits
    found = {hit.memory.text: hit.explanation.find("recency") for hit in hits}
    rows = []
    for days, printed in DECAY.items():
        recency = found.get(texts[days])
        ours = f"{recency.value:.6f}" if recency else "not found"
        rows.append((str(days), printed, ours, same(printed, ours)))
    head = ("days since access", "printed", "ours", "same")
    note = "exp(-0.05 × days), as a recall of these memories explains it."
    return Table(title="Recency decay", head=head, rows=tuple(rows), notes=(note,))


def _weights() -> Table:
    found = {}
    for factor in recipes.load(RECIPE).factors.add:
        if isinstance(factor, Relevance | Recency | Stored):
            found[type(factor).__name__] = f"{factor.weight:g}"
    names = {"Relevance": ("cosine similarity", "0.5"), "Stored": ("importance", "0.3"), "Recency": ("recency", "0.2")}
    rows = [(shown, printed, found[name], same(printed, found[name])) for name, (shown, printed) in names.items()]
    return Table(title="Weights", head=("signal", "printed", "ours", "same"), rows=tuple(rows))


SCORED = (("near and old", 0.9, 0.5, 30), ("far and new", 0.4, 0.5, 0), ("important", 0.6, 1.0, 14))
"""Name, cosine to the question, importance, days since access."""


def _scores(at: datetime) -> Table:
    """Three memories with known cosine, importance and age."""
    question = "Which one?"
    rows = []
    for name, cosine, importance, days in SCORED:
        text = f"This memory is {name}."
        with opened(Placed({text: (name, cosine), question: (name, cosine)})) as mind:
            mind.remember(text, importance=importance, at=at - timedelta(days=days), dedup=False)
            hits = mind.recall(question, at=at, track=False).hits
        wanted = f"{0.5 * cosine + 0.3 * importance + 0.2 * math.exp(-0.05 * days):.3f}"
        ours = f"{hits[0].score:.6f}" if hits else "not found"
        rows.append((name, f"{cosine:g}", f"{importance:g}", str(days), wanted, ours, same(wanted, ours)))
    head = ("memory", "cosine", "importance", "days", "by the printed formula", "ours", "same")
    note = (
        "0.5 × cosine + 0.3 × importance + 0.2 × decay. Vectors are stored as float16, so the cosine has three digits."
    )
    return Table(title="Composite score", head=head, rows=tuple(rows), notes=(note,))


def _thresholds() -> Table:
    """Which thresholds the recipe uses with each embedder."""
    rules = recipes.load(RECIPE).write
    rows = []
    for name in embedders.names()[:-1]:
        for what, printed, ours in (
            ("dedup", DUPLICATE, rules.duplicate_threshold(name)),
            ("consolidation", CLUSTER, rules.cluster_threshold(name)),
        ):
            rows.append((what, name, f"{printed:.2f}", f"{ours:.2f}", same(f"{printed:.2f}", f"{ours:.2f}")))
    head = ("threshold", "embedder", "printed", "ours", "same")
    return Table(title="Thresholds by embedder", head=head, rows=tuple(rows))


# Dedup --------------------------------------------------------------------------------------------


def _dedup(at: datetime) -> Table:
    """Two memories with a known cosine are stored one after the other."""
    rows = []
    for cosine in (0.95, 0.925, 0.915, 0.85):
        wanted = "one, importance raised" if cosine >= DUPLICATE else "two"
        ours = _stored_twice(cosine, at)
        rows.append((f"{cosine:g}", wanted, ours, same(wanted, ours.partition(" from ")[0])))
    head = ("cosine of the second to the first", "active rows, document", "active rows, ours", "same")
    note = f"First: “{SAYINGS[0]}” Second: “{SAYINGS[1]}” From {DUPLICATE:g} on, no new row is made."
    return Table(title="Dedup step by step", head=head, rows=tuple(rows), notes=(note,))


def _stored_twice(cosine: float, at: datetime) -> str:
    first, second, _ = SAYINGS
    with opened(Placed({first: ("staging", cosine), second: ("staging", cosine)})) as mind:
        kept = mind.remember(first, at=at)
        mind.remember(second, at=at)
        active = [memory for memory in mind.list() if memory.status == "active"]
    if len(active) != 1:
        return "two"
    return f"one, importance raised from {kept.importance:g} to {active[0].importance:g}"


# Consolidation ------------------------------------------------------------------------------------

LEAST_ACTIVE, LEAST_IN_CLUSTER = 21, 3
"""Consolidation runs with more than 20 active memories, and needs three in a cluster."""


def _consolidation(at: datetime) -> Table:
    rows: list[Row] = []
    for what, active, alike, cosine in (
        ("21 active, three at cosine 0.85", 21, 3, 0.85),
        ("21 active, three at cosine 0.81", 21, 3, 0.81),
        ("21 active, three at cosine 0.79", 21, 3, 0.79),
        ("21 active, two at cosine 0.85", 21, 2, 0.85),
        ("20 active, three at cosine 0.85", 20, 3, 0.85),
    ):
        happens = active >= LEAST_ACTIVE and alike >= LEAST_IN_CLUSTER and cosine >= CLUSTER
        rows += _consolidated(what, active, alike, cosine, happens, at)
    head = ("step", "document", "ours", "same")
    originals = " / ".join(f"“{text}”" for text in SAYINGS)
    return Table(title="Consolidation step by step", head=head, rows=tuple(rows), notes=(f"The cluster: {originals}",))


def _consolidated(what: str, active: int, alike: int, cosine: float, happens: bool, at: datetime) -> list[Row]:
    similar = SAYINGS[:alike]
    others = [f"Shelf number {n} holds the files of the year {1900 + n}." for n in range(active - alike)]
    importances = {text: 0.5 + 0.1 * n for n, text in enumerate(similar)}
    with opened(Placed({text: ("staging", cosine) for text in similar})) as mind:
        mind.remember_many(
            {"text": text, "importance": importances.get(text, 0.5), "at": at, "dedup": False}
            for text in (*similar, *others)
        )
        made = mind.consolidate(at=at)
        after = mind.list()
    rows = [_step(f"{what}: summaries", "1" if happens else "0", str(len(made)))]
    if happens:
        raised = f"{min(1.0, max(importances.values()) + 0.1):.1f}"
        rows.append(_step(f"{what}: originals that are consolidated", str(alike), _count(after, similar)))
        got = f"{made[0].importance:.1f}" if made else "no summary"
        rows.append(_step(f"{what}: importance, min(max + 0.1, 1)", raised, got))
    return rows


def _count(memories: Sequence[Memory], texts: Sequence[str]) -> str:
    return str(sum(memory.text in texts and memory.status == "consolidated" for memory in memories))


def _step(what: str, document: str, ours: str) -> Row:
    return what, document, ours, same(document, ours)
