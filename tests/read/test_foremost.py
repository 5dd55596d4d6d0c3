"""A recipe that scores a thousand candidates reads only numbers of most. The hits are those of reading all."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from recollect import Recollect, recipes
from recollect.recipes.recipe import Factors, Recency, Relevance, Stored, TierPenalty

NOW = datetime(2026, 11, 1, tzinfo=UTC)
SIESTAI = recipes.load("siestai")
WORDS = "red green blue pool mode retry billing error tea coffee".split()


@pytest.fixture(scope="module")
def mind():
    drawn = random.Random(21)
    with Recollect(":memory:", embedder="hashing", recipe="siestai") as mind:
        for n in range(300):
            told = NOW - timedelta(days=drawn.choice((0, 1, 30, 400)))
            when = None if n % 5 else told + timedelta(days=drawn.randrange(-60, 60))
            text = f"{' '.join(drawn.sample(WORDS, 4))} n{n}"
            mind.remember(text, importance=drawn.choice((0.1, 0.5, 0.5, 0.9)), at=told, occurred_at=when, dedup=False)
        said = [{"role": "user", "content": f"I asked for {' and '.join(drawn.sample(WORDS, 3))}."} for _ in range(40)]
        mind.ingest(said, session_id="s", at=NOW - timedelta(days=200))
        for memory in mind.list(limit=60):
            mind.get(memory.id)
        for n in range(15):
            mind.recall(f"{WORDS[n % 10]} {WORDS[n % 7]}", recipe="memx", at=NOW - timedelta(days=n))
        yield mind


def added(*parts):
    return replace(SIESTAI, factors=Factors(add=parts))


AGES = [Recency(weight=0.4, since=since, rate_per_day=0.02) for since in ("accessed", "happened", "retrieved")]
OLD = Recency(weight=0.4, since="created", rate_per_day=0.001)
VARIANTS = [
    SIESTAI,
    added(Relevance(weight=0.2), OLD, Stored(field="strength", floor=0.3)),
    *[added(Relevance(weight=0.2), age) for age in AGES],
    added(Stored(field="importance")),
]


@pytest.mark.parametrize("recipe", VARIANTS)
@pytest.mark.parametrize("limit", [1, 5, 40])
def test_the_hits_are_those_of_reading_all_candidates(mind, recipe, limit):
    every = replace(recipe, factors=replace(recipe.factors, multiply=(TierPenalty(multipliers={}),)))
    for question in ("red tea", "a billing error in the pool", "green"):
        ask = {"limit": limit, "at": NOW, "track": False}
        few, all = mind.recall(question, recipe=recipe, **ask), mind.recall(question, recipe=every, **ask)
        assert fetched(few) < 300 < fetched(all)
        assert [(hit.memory, hit.score) for hit in few.hits] == [(hit.memory, hit.score) for hit in all.hits]
        assert (few.signals, few.confidence) == (all.signals, all.confidence)
        assert [hit.explanation.recompute() for hit in few.hits] == pytest.approx([hit.score for hit in few.hits])


def fetched(recall):
    return next(step.out for step in recall.trace if step.stage == "fetch")
