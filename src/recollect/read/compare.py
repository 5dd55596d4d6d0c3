"""Compares the answers of several recipes to the same question, and names the factor that made the difference."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import InvalidInput
from ..explanation import Explanation, evaluate
from ..recipes.recipe import Recipe
from ..types import Hit, Memory, Recall

_WRAPPERS = ("composite", "uncontested")
"""Names of parts that hold the score from an earlier stage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The rank and score that one recipe gave a memory."""

    rank: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The memory that two recipes rank most differently, and the factor that causes it."""

    memory: Memory
    a: Place | None
    b: Place | None
    factor: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The recalls by recipe name. Everything else is computed from them."""

    query: str
    recalls: Mapping[str, Recall]

    @property
    def memories(self) -> tuple[Memory, ...]:
        """All memories that any recipe returned, ordered by mean reciprocal rank."""
        found = {hit.memory.id: hit.memory for recall in self.recalls.values() for hit in recall.hits}
        worth = {id: sum(1 / place.rank for place in self.places(id).values()) for id in found}
        return tuple(sorted(found.values(), key=lambda memory: (-worth[memory.id], memory.id)))

    def places(self, memory_id: str) -> dict[str, Place]:
        """The place of that memory, by recipe name."""
        return {
            name: Place(rank=rank, score=hit.score)
            for name, recall in self.recalls.items()
            for rank, hit in enumerate(recall.hits, start=1)
            if hit.memory.id == memory_id
        }

    def overlap(self, a: str, b: str) -> float:
        """The share of memories that two recipes have in common (Jaccard)."""
        first, second = ({hit.memory.id for hit in self.recalls[name].hits} for name in (a, b))
        union = first | second
        return len(first & second) / len(union) if union else 1.0

    def difference(self, a: str, b: str) -> Difference | None:
        """The largest difference between two recipes, or None when they agree. Memories that both return come first."""
        gaps = [(_gap(self.places(memory.id), a, b), memory) for memory in self.memories]
        both = [(gap, memory) for gap, memory in gaps if gap and {a, b} <= self.places(memory.id).keys()]
        gap, memory = max(both or gaps, key=lambda pair: pair[0], default=(0.0, None))
        if memory is None or gap == 0:
            return None
        places = self.places(memory.id)
        factor, text = self._why(memory.id, a, b)
        return Difference(memory=memory, a=places.get(a), b=places.get(b), factor=factor, text=text)

    def _why(self, memory_id: str, a: str, b: str) -> tuple[str, str]:
        one, other = (self._effects(memory_id, name) for name in (a, b))
        for name, effects in ((a, one), (b, other)):
            if effects is None:
                return "absent", f"{name} does not return it: {self.recalls[name].rejected or 'others came before'}"
        assert one is not None and other is not None
        apart = {factor: one.get(factor, 0.0) - other.get(factor, 0.0) for factor in {**one, **other}}
        factor = max(apart, key=lambda name: (abs(apart[name]), name))
        return factor, f"{factor}: {_percent(one, factor)} of the score in {a}, {_percent(other, factor)} in {b}"

    def _effects(self, memory_id: str, recipe: str) -> dict[str, float] | None:
        hits = self.recalls[recipe].hits
        return next((effects(hit.explanation) for hit in hits if hit.memory.id == memory_id), None)

    def to_dict(self) -> dict[str, Any]:
        names = list(self.recalls)
        pairs = [(a, b) for n, a in enumerate(names) for b in names[n + 1 :]]
        return {
            "query": self.query,
            "recipes": {
                name: {
                    "rejected": recall.rejected,
                    "confidence": recall.confidence,
                    "nearest": [_near_dict(hit) for hit in recall.nearest],
                }
                for name, recall in self.recalls.items()
            },
            "memories": [
                {
                    "id": memory.id,
                    "text": memory.text,
                    "places": {n: {"rank": p.rank, "score": p.score} for n, p in self.places(memory.id).items()},
                }
                for memory in self.memories
            ],
            "pairs": [
                {"a": a, "b": b, "overlap": self.overlap(a, b), "difference": _difference_dict(self.difference(a, b))}
                for a, b in pairs
            ],
        }


def compare(query: str, recipes: Sequence[Recipe], ask: Callable[[Recipe], Recall]) -> Comparison:
    """Asks the question once for each recipe. Two recipes of one name are refused."""
    names = [recipe.name for recipe in recipes]
    if twice := next((name for n, name in enumerate(names) if name in names[:n]), None):
        raise InvalidInput(f"two of the recipes are called {twice!r}: give one of them another `name`")
    return Comparison(query=query, recalls={recipe.name: ask(recipe) for recipe in recipes})


def effects(score: Explanation) -> dict[str, float]:
    """The effect of each factor: its share of a sum, or the change it makes as a multiplier."""
    node = score
    while inner := next((part for part in node.parts if part.name in _WRAPPERS), None):
        node = inner
    values = {part.name: part.value for part in node.parts}
    if not node.formula or not node.value:
        return {node.name: 1.0}
    found = {}
    for name, value in values.items():
        without = evaluate(node.formula, values | {name: 0.0})
        multiplies = without == 0 and name != "relevance"
        found[name] = value - 1 if multiplies else (node.value - without) / node.value
    return found


def _gap(places: Mapping[str, Place], a: str, b: str) -> float:
    first, second = (1 / places[name].rank if name in places else 0.0 for name in (a, b))
    return abs(first - second)


def _percent(effects: Mapping[str, float], factor: str) -> str:
    return f"{effects[factor]:+.0%}" if factor in effects else "no part"


def _near_dict(hit: Hit) -> dict[str, Any]:
    return {"id": hit.memory.id, "text": hit.memory.text, "score": hit.score}


def _difference_dict(difference: Difference | None) -> dict[str, Any] | None:
    if difference is None:
        return None
    return {"memory": difference.memory.id, "factor": difference.factor, "text": difference.text}
