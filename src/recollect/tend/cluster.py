"""Finds groups of memories that say the same. Vectors propose them; the words decide."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..text.same_statement import stated
from ..types import Memory

if TYPE_CHECKING:
    from ..types import Vector

LEAST_IN_CLUSTER = 3
MOST_IN_CLUSTER = 12
"""A summary of three sentences can't represent more memories."""
_MOST_NEAR = 64
_BLOCK = 512


@dataclass(slots=True)
class Clusters:
    """Complete-link clusters, densest first: of every two members, one adds nothing to the other (unless
    `by_cosine`)."""

    memories: Sequence[Memory]
    """Sorted by id."""
    vectors: Vector
    threshold: float
    apart: frozenset[frozenset[str]] = frozenset()
    """Pairs of ids that must not be in one cluster."""
    by_cosine: bool = False
    """Whether similar members need not say the same."""
    _near: list[dict[int, float]] = field(default_factory=list)
    _stated: list[str] = field(default_factory=list)
    """What each memory states. Computed once, because each is compared with many."""

    def find(self) -> list[list[Memory]]:
        """Each cluster has its most central memory first, then the others by similarity to it."""
        self._near = neighbours(self.vectors, self.threshold)
        self._stated = [stated(memory.text) for memory in self.memories]
        free = set(range(len(self.memories)))
        found: list[list[Memory]] = []
        for seed in sorted(free, key=lambda n: (-len(self._near[n]), n)):
            members = self._grow(seed, free) if seed in free else []
            if len(members) >= LEAST_IN_CLUSTER:
                free.difference_update(members)
                found.append([self.memories[n] for n in self._centred(members)])
        return found

    def _grow(self, seed: int, free: set[int]) -> list[int]:
        members = [seed]
        for other in self._near[seed]:
            if other in free and all(self._fit(other, member) for member in members):
                members.append(other)
            if len(members) == MOST_IN_CLUSTER:
                break
        return members

    def _fit(self, a: int, b: int) -> bool:
        one, other = self.memories[a], self.memories[b]
        return (
            (b in self._near[a] or a in self._near[b])
            and one.trust == other.trust
            and frozenset((one.id, other.id)) not in self.apart
            and (self.by_cosine or self._says_the_same(a, b))
        )

    def _says_the_same(self, a: int, b: int) -> bool:
        """Whether they name no different times, and one adds nothing to the other."""
        one, other = self.memories[a].when, self.memories[b].when
        if one is not None and other is not None and one != other:
            return False
        return self._stated[a] in self._stated[b] or self._stated[b] in self._stated[a]

    def _centred(self, members: Sequence[int]) -> list[int]:
        def nearness(n: int, others: Iterable[int]) -> float:
            return sum(self._near[n].get(other, self._near[other].get(n, 1.0)) for other in others)

        centre = min(members, key=lambda n: (-round(nearness(n, members), 6), n))
        others = sorted(set(members) - {centre}, key=lambda n: (-round(nearness(n, [centre]), 6), n))
        return [centre, *others]


def neighbours(vectors: Vector, threshold: float) -> list[dict[int, float]]:
    """For each row, the other rows with at least that cosine, nearest first."""
    import numpy as np

    found: list[dict[int, float]] = []
    for start in range(0, len(vectors), _BLOCK):
        cosines = vectors[start : start + _BLOCK] @ vectors.T
        for n, row in enumerate(cosines, start=start):
            row[n] = -1.0
            near = np.flatnonzero(row >= threshold)
            best = near[np.argsort(-row[near], kind="stable")][:_MOST_NEAR]
            found.append(dict(zip(best.tolist(), row[best].tolist(), strict=True)))
    return found
