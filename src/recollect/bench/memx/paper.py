"""What all tables share: the data, the recipe with the paper's threshold, and how facts are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from ... import recipes
from ...recipes.recipe import Gate, Recipe
from .. import ablate
from ..data import Dataset
from ..run import Measured
from ..score import MISS_ABOVE_TAU
from ..studies import Lab
from . import published
from .facts import RULES, Facts
from .records import GRANULARITIES, as_records


@dataclass(frozen=True, kw_only=True)
class Paper:
    """One run of the paper's experiments."""

    lab: Lab
    tau: float = published.TAU
    extractor: str = RULES
    facts: dict[str, Facts] = field(default_factory=dict)
    """Dataset → its facts, with how they were made."""

    @cached_property
    def scenarios(self) -> Lab:
        return replace(self.lab, datasets=tuple(d for d in self.lab.datasets if d.form == "scenario"))

    @cached_property
    def talks(self) -> tuple[Dataset, ...]:
        return tuple(d for d in self.lab.datasets if d.form == "longmemeval")

    @property
    def gate(self) -> Gate:
        """Rule R1 with the printed threshold, whatever the embedder is."""
        return replace(ablate.gate_of(recipes.load("memx")), tau=self.tau, by_embedder={})

    @property
    def recipe(self) -> Recipe:
        return replace(recipes.load("memx"), reject=self.gate)

    @property
    def strict(self) -> float:
        """The threshold of Miss-Strict."""
        return self.tau + MISS_ABOVE_TAU

    def steps(self) -> list[Recipe]:
        return [replace(step, reject=step.reject and self.gate) for step in ablate.memx_steps()]

    def dedup_steps(self) -> list[Recipe]:
        return [replace(step, reject=step.reject and self.gate) for step in ablate.memx_dedup()]

    def asked(self, some: Sequence[Recipe]) -> list[Measured]:
        """The answers to the questions of the scenarios, five hits each."""
        for dataset in self.scenarios.datasets:
            self._embed_questions(dataset)
        return self.scenarios.measure(some, limit=published.LIMIT, abstention=False)

    def asked_of(self, talk: Dataset, granularity: str, some: Sequence[Recipe]) -> Measured:
        """The answers to LongMemEval's questions, with all sessions in one store, as records of one size."""
        lab = replace(self.lab, datasets=(self.stored(talk, granularity),))
        self._embed_questions(talk)
        plan = {"granularity": granularity, "protocol": "pooled", "limit": published.LIMIT, "abstention": False}
        return lab.measure(some, **plan)[0]

    def _embed_questions(self, dataset: Dataset) -> None:
        """Fills the cache of vectors, so that times do not include embedding. The paper's LongMemEval does the same."""
        self.lab.plan.embedder.embed([question.text for question in dataset.questions])

    def stored(self, talk: Dataset, granularity: str) -> Dataset:
        assert granularity in GRANULARITIES
        return as_records(talk, granularity, self._facts_of(talk) if granularity == "fact" else None)

    def _facts_of(self, talk: Dataset) -> Facts:
        if talk.digest not in self.facts:
            made = Facts.load(self.extractor, self.lab.out)
            made.extract(talk, show=self.lab.plan.progress)
            self.facts[talk.digest] = made
        return self.facts[talk.digest]
