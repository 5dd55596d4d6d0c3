"""Plays a scenario on a new store and compares each recall with what the document says."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from ...config import Settings
from ...embedders.hashing import Hashing
from ...recollect import Recollect
from .scenario import Asked, Scenario

TOLERANCE = 1e-6
NOTHING = "nothing"
RECIPE = "openmem"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One statement of the document about one question."""

    scenario: str
    question: str
    what: str
    wanted: str
    got: str
    right: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    checks: tuple[Check, ...]
    milliseconds: tuple[float, ...]
    """Of each recall."""


def opened() -> Recollect:
    """A store in memory with OpenMem's rules. It uses no vectors, so the embedder does not matter."""
    return Recollect(":memory:", embedder=Hashing(), recipe=RECIPE, settings=Settings(log_queries=False))


def play(scenario: Scenario, at: datetime) -> Played:
    with opened() as mind:
        ids = _store(mind, scenario, at)
        checks: list[Check] = []
        spent: list[float] = []
        for asked in scenario.questions:
            start = time.perf_counter()
            scores = _recall(mind, asked, at, {id: name for name, id in ids.items()})
            spent.append((time.perf_counter() - start) * 1000)
            checks += _checks(scenario.name, asked, scores)
    return Played(checks=tuple(checks), milliseconds=tuple(spent))


def _store(mind: Recollect, scenario: Scenario, at: datetime) -> dict[str, str]:
    """Name in the scenario → id."""
    items = [
        {"text": one.text, "at": at - timedelta(days=one.days_ago), "dedup": False, **one.fields}
        for one in scenario.memories
    ]
    stored = mind.remember_many(items)
    ids = {one.id: memory.id for one, memory in zip(scenario.memories, stored, strict=True)}
    for edge in scenario.edges:
        mind.link(ids[edge.a], ids[edge.b], edge.kind, edge.weight)
    for old, new in scenario.supersedes:
        mind.supersede(ids[old], ids[new])
    for one in scenario.memories:
        if one.later:
            mind.update(ids[one.id], **one.later)
    return ids


def _recall(mind: Recollect, asked: Asked, at: datetime, names: Mapping[str, str]) -> dict[str, float]:
    """Name → score, best first."""
    found = mind.recall(asked.text, limit=asked.top_k, budget_tokens=asked.budget_tokens, at=at, track=False)
    return {names[hit.memory.id]: hit.score for hit in found.hits}


def _checks(scenario: str, asked: Asked, scores: Mapping[str, float]) -> Iterator[Check]:
    for what, wanted, got, right in (
        *_order(asked, list(scores)),
        *_presence(asked, list(scores)),
        *_numbers(asked, scores),
    ):
        yield Check(scenario=scenario, question=asked.text, what=what, wanted=wanted, got=got, right=right)


Row = tuple[str, str, str, bool]


def _order(asked: Asked, ranked: Sequence[str]) -> Iterator[Row]:
    if asked.first is not None:
        got = ranked[0] if ranked else NOTHING
        yield "first hit", asked.first, got, got == asked.first
    for better, worse in asked.above:
        both = better in ranked and worse in ranked
        right = both and ranked.index(better) < ranked.index(worse)
        shown = f"{better}, {worse}"
        yield "order", shown, shown if right else ", ".join(each for each in ranked if each in (better, worse)), right


def _presence(asked: Asked, ranked: Sequence[str]) -> Iterator[Row]:
    if asked.hits is not None:
        yield "number of hits", str(asked.hits), str(len(ranked)), len(ranked) == asked.hits
    for name in asked.found:
        yield f"{name} is found", "yes", _yes(name in ranked), name in ranked
    for name in asked.absent:
        yield f"{name} is found", "no", _yes(name in ranked), name not in ranked


def _numbers(asked: Asked, scores: Mapping[str, float]) -> Iterator[Row]:
    for name, wanted in asked.scores.items():
        got = scores.get(name)
        right = got is not None and abs(got - wanted) < TOLERANCE
        yield f"score of {name}", f"{wanted:.4f}", "not found" if got is None else f"{got:.4f}", right


def _yes(value: bool) -> str:
    return "yes" if value else "no"
