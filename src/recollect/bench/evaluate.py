"""Asks a question with a recipe, and again after its gold was removed from the store."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

from ..recipes.recipe import Recipe
from ..recollect import Recollect
from ..types import Memory, Recall, Signals
from .build import Setup, gold_keys, key_of
from .data import Question

HITS_PER_TURN = 2
"""A turn and the fact it states may both be hits. With twice the limit, enough distinct turns remain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The result of one recall."""

    ranked: tuple[str, ...]
    rejected: str | None
    confidence: float
    signals: Signals
    ms: Mapping[str, float] = field(default_factory=dict)
    """Stage → milliseconds. `total` is the whole call, `rest` the time outside all stages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A question, its gold and its answers: one line of the results file."""

    question: str
    type: str
    recipe: str
    gold: tuple[str, ...]
    answer: Answer
    without_gold: Answer | None
    """The answer after the gold was removed from the store."""

    @property
    def answerable(self) -> bool:
        return bool(self.gold)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Outcome:
        without = data["without_gold"]
        return cls(
            question=data["question"],
            type=data["type"],
            recipe=data["recipe"],
            gold=tuple(data["gold"]),
            answer=_answer(data["answer"]),
            without_gold=_answer(without) if without else None,
        )


def _answer(data: Mapping[str, Any]) -> Answer:
    return Answer(**{**data, "ranked": tuple(data["ranked"]), "signals": Signals(**data["signals"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluator:
    """Asks questions on a built store, and leaves the store unchanged."""

    mind: Recollect
    setup: Setup
    limit: int
    abstention: bool = True
    """Whether to ask again after removing the gold."""

    def ask(self, question: Question, recipes: Sequence[Recipe]) -> list[Outcome]:
        haystack = self.setup.dataset.by_name[question.haystack]
        gold = gold_keys(question.gold, self.setup, haystack)
        found = [self._answer(question, recipe) for recipe in recipes]
        without: list[Answer | None] = [None] * len(recipes)
        if self.abstention and gold:
            with self._gold_removed(question, gold):
                without = [self._answer(question, recipe) for recipe in recipes]
        return [
            Outcome(
                question=question.id,
                type=question.type,
                recipe=recipe.name,
                gold=tuple(sorted(gold)),
                answer=answer,
                without_gold=other,
            )
            for recipe, answer, other in zip(recipes, found, without, strict=True)
        ]

    def warm_up(self, question: Question, recipes: Sequence[Recipe]) -> None:
        """Asks once before measuring, because the first question loads models and indexes."""
        for recipe in recipes:
            self._answer(question, recipe)

    def _answer(self, question: Question, recipe: Recipe) -> Answer:
        start = time.perf_counter()
        recall = self.mind.recall(
            question.text,
            limit=self.limit * (HITS_PER_TURN if self.setup.unit == "turn" else 1),
            namespace=self._namespace(question),
            recipe=recipe,
            granularity=self.setup.unit if self.setup.unit in ("round", "session") else None,
            at=question.at,
            track=False,
        )
        return Answer(
            ranked=self._ranked(recall),
            rejected=recall.rejected,
            confidence=recall.confidence,
            signals=recall.signals,
            ms=_stages(recall, (time.perf_counter() - start) * 1000),
        )

    def _namespace(self, question: Question) -> str:
        return self.setup.namespace(self.setup.dataset.by_name[question.haystack])

    def _ranked(self, recall: Recall) -> tuple[str, ...]:
        keys = [key_of(hit.memory, self.setup.unit, self.setup.dataset) for hit in recall.hits]
        if self.setup.unit != "topic":  # several memories of a topic are several answers, as in MemX
            keys = list(dict.fromkeys(keys))
        return tuple(keys[: self.limit])

    @contextmanager
    def _gold_removed(self, question: Question, gold: frozenset[str]) -> Iterator[None]:
        """Undoing puts back what followed the gold too: its facts, and what it had replaced."""
        gone: set[str] = set()
        asked: list[str] = []
        try:
            for memory in self._gold_memories(question, gold):
                if memory.id not in gone:
                    gone |= {each.id for each in self.mind.forget(memory.id) if each.status == "forgotten"}
                    asked.append(memory.id)
            yield
        finally:
            for id in reversed(asked):
                self.mind.undo(self.mind.history(id)[-1].id)

    def _gold_memories(self, question: Question, gold: frozenset[str]) -> list[Memory]:
        place, unit = self._namespace(question), self.setup.unit
        if unit == "topic":
            candidates = list(self.mind.list(namespace=place))
        else:
            sessions = {key if unit == "session" else key.rpartition("/")[0] for key in gold}
            candidates = [m for id in sorted(sessions) for m in self.mind.list(namespace=place, session_id=id)]
        return [memory for memory in candidates if key_of(memory, unit, self.setup.dataset) in gold]


def _stages(recall: Recall, total_ms: float) -> dict[str, float]:
    spent: dict[str, float] = {}
    for step in recall.trace:
        spent[step.stage] = spent.get(step.stage, 0.0) + step.ms
    return {**spent, "rest": max(0.0, total_ms - sum(spent.values())), "total": total_ms}
