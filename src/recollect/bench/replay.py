"""Stores conversations in the order of time and asks each question at its own moment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ..embedders.protocol import Embedder
from ..recipes.recipe import Recipe
from ..recollect import Recollect
from ..types import Recall
from .build import Advance, opened, turn_key
from .data import Asked, Session

SESSIONS_BETWEEN_MAINTENANCE = 8
Q = TypeVar("Q", bound=Asked)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One hit: the message it comes from, and its text."""

    key: str
    text: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a recipe answered to a question."""

    recipe: str
    hits: tuple[Found, ...]
    rejected: str | None
    confidence: float

    @property
    def ranked(self) -> list[str]:
        return [hit.key for hit in self.hits]


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """How conversations are replayed."""

    recipes: tuple[Recipe, ...]
    embedder: Embedder | None
    """None: the store chooses, and changes to another embedder if the conversations are in another language."""
    limit: int
    tends: bool = False
    """Whether maintenance runs after every eight sessions."""

    def run(self, steps: Sequence[Session | Q], advance: Advance) -> Iterator[tuple[Q, Reply]]:
        """Does one step after the other on a new store. Each question is asked with every recipe."""
        stored = 0
        with opened(":memory:", self.embedder) as mind:
            for step in steps:
                if isinstance(step, Session):
                    stored += 1
                    self._store(mind, step, tends=self.tends and stored % SESSIONS_BETWEEN_MAINTENANCE == 0)
                else:
                    yield from ((step, self._ask(mind, step, recipe)) for recipe in self.recipes)
                advance(1)

    def _store(self, mind: Recollect, session: Session, *, tends: bool) -> None:
        mind.ingest([one.to_message() for one in session.turns], session_id=session.id, at=session.at)
        if tends:
            mind.tend(at=session.at, force=True)

    def _ask(self, mind: Recollect, asked: Asked, recipe: Recipe) -> Reply:
        recall = mind.recall(asked.text, limit=self.limit, at=asked.at, recipe=recipe, track=False)
        return Reply(recipe=recipe.name, hits=_hits(recall), rejected=recall.rejected, confidence=recall.confidence)


def in_order(sessions: Sequence[Session], questions: Sequence[Q]) -> list[Session | Q]:
    """By time. A question comes after the sessions of the same moment."""
    steps: list[Session | Q] = [*sessions, *questions]
    return sorted(steps, key=lambda step: step.at)


def _hits(recall: Recall) -> tuple[Found, ...]:
    return tuple(Found(key=turn_key(hit.memory), text=hit.memory.text, score=hit.score) for hit in recall.hits)
