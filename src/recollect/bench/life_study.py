"""Lives: do the recipes find what holds now, what held then, and what was never told?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import InvalidInput
from ..progress import progress
from . import league, metrics, side_by_side, statistics
from .datasets.life import FAR, LIMIT, NEAR, TYPES, Life, LifeQuestion
from .html_page import Part, Table
from .replay import Replay, Reply, in_order
from .score import Figure
from .side_by_side import Groups, Scored

MEASURES = ("right@1", "right@5", "misled", "wrongly refused", "refused")
"""The last one is for questions without an answer, the others for those with one."""
COUNTED = ("right@1", "refused")
COMPARED = ("right@1", "right@5")
_NOTE = "n: questions with an answer + without. refused: share of those without; the other columns: of those with."


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A question of a life and one recipe's reply."""

    life: Life
    question: LifeQuestion
    reply: Reply

    @property
    def id(self) -> str:
        return f"{self.life.name}/{self.question.id}"

    @property
    def right(self) -> bool:
        values = score(self.question, self.reply)
        return bool(values.get("right@1", values.get("refused")))


def run(lives: Sequence[Life], replay: Replay) -> list[Told]:
    """Replays every life on a store of its own."""
    names = [life.name for life in lives]
    if len(set(names)) < len(names):
        raise InvalidInput("two lives have the same name: change `name` in one of the files")
    steps = sum(len(life.sessions) + len(life.questions) for life in lives)
    with progress("lives", steps) as advance:
        return [
            Told(life=life, question=question, reply=reply)
            for life in lives
            for question, reply in replay.run(in_order(life.sessions, life.questions), advance)
        ]


def score(question: LifeQuestion, reply: Reply) -> dict[str, float]:
    ranked, gold = reply.ranked, question.evidence
    if not question.answerable:
        return {"refused": float(reply.rejected is not None or not ranked)}
    enough = metrics.all_gold if question.needs_all else metrics.hit
    return {
        "right@1": metrics.hit(ranked, gold, 1),
        "right@5": enough(ranked, gold, LIMIT),
        "misled": metrics.misled(ranked, gold, question.stale),
        "wrongly refused": float(reply.rejected is not None),
    }


# The report ---------------------------------------------------------------------------------------


def figures(told: Sequence[Told]) -> dict[str, Any]:
    """The numbers of a run: by type, by life, and the AUROC of confidence."""
    scored = _scored(told)
    found = side_by_side.grouped(scored, lambda one: one.type, MEASURES)
    return {
        "types": {
            **side_by_side.grouped(scored, lambda one: "all", MEASURES),
            **{kind: found[kind] for kind in TYPES if kind in found},
        },
        "lives": side_by_side.grouped(scored, lambda one: one.question.rpartition("/")[0], MEASURES),
        "auroc": confidence(told),
    }


def _scored(told: Sequence[Told]) -> list[Scored]:
    return [
        Scored(question=one.id, recipe=one.reply.recipe, type=one.question.type, values=score(one.question, one.reply))
        for one in told
    ]


def parts(told: Sequence[Told], found: Mapping[str, Any]) -> list[Part]:
    """The tables and pictures of a run with these figures."""
    return [
        side_by_side.table("By type", "type", found["types"], MEASURES, COUNTED, _NOTE),
        *_by_life(found["lives"]),
        confidence_table(found["auroc"]),
        side_by_side.picture("right@1 by type", found["types"], "right@1"),
        side_by_side.picture("misled by type", found["types"], "misled"),
        *side_by_side.compared("lives", _scored(told), COMPARED),
    ]


def _by_life(groups: Groups) -> Iterator[Table]:
    if len(groups) > 1:
        yield side_by_side.table("By life", "life", groups, MEASURES, COUNTED, _NOTE)


def confidence(told: Sequence[Told]) -> dict[str, dict[str, Figure]]:
    """Recipe → how well confidence separates answerable questions from absent ones: all, near and far."""
    return {recipe: _confidence(told, recipe) for recipe in dict.fromkeys(one.reply.recipe for one in told)}


def _confidence(told: Sequence[Told], recipe: str) -> dict[str, Figure]:
    mine = [one for one in told if one.reply.recipe == recipe]
    there = [one.reply.confidence for one in mine if one.question.answerable]
    kinds = {"all": (NEAR, FAR), "near": (NEAR,), "far": (FAR,)}
    return {
        name: _auroc(there, [one.reply.confidence for one in mine if one.question.type in types])
        for name, types in kinds.items()
    }


def _auroc(there: Sequence[float], absent: Sequence[float]) -> Figure:
    low, high = statistics.auroc_interval(there, absent)
    return {"value": statistics.auroc(there, absent), "low": low, "high": high, "n": len(absent)}


def confidence_table(found: Mapping[str, Mapping[str, Figure]]) -> Table:
    rows = [(recipe, *map(league.share, each.values())) for recipe, each in found.items()]
    head = ("recipe", "all", "near", "far")
    return Table(title="AUROC of confidence, answerable against absent", head=head, rows=tuple(rows))


# Single questions ---------------------------------------------------------------------------------


def check_type(kind: str) -> None:
    if not any(known.startswith(kind) for known in TYPES):
        raise InvalidInput(f"unknown type {kind!r}; known: {', '.join(TYPES)}")


def missed(told: Sequence[Told], kind: str) -> list[dict[str, Any]]:
    """The questions of a type that a recipe got wrong at the first place. `kind` may be the beginning of a type."""
    return [answer(one) for one in told if one.question.type.startswith(kind) and not one.right]


def answer(one: Told) -> dict[str, Any]:
    """A question, its evidence and the first hits, as JSON data."""
    return {
        "question": one.id,
        "type": one.question.type,
        "recipe": one.reply.recipe,
        "text": one.question.text,
        "evidence": {key: one.life.said[key].text for key in sorted(one.question.evidence)},
        "confidence": one.reply.confidence,
        "rejected": one.reply.rejected,
        "hits": [{"message": hit.key, "score": hit.score, "text": hit.text} for hit in one.reply.hits],
        **score(one.question, one.reply),
    }
