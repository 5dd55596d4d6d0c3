"""Which memories say much the same? Decided on values: texts, vectors and pairs that must stay apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from ..text.analyze import analyze_query
from ..text.statement_marks import statement_marks
from ..types import Memory

if TYPE_CHECKING:
    from ..types import Vector

LEAST_IN_CLUSTER = 3
MOST_IN_CLUSTER = 12
"""A summary of three sentences can't speak for more."""
SHARED_WORDS = 0.2
"""Share of their content words that two memories must have in common; docs/tending.md says why."""
_MOST_NEAR = 64
_BLOCK = 512

_EQUAL = ("number", "numbers", "code", "when", "measure", "order", "names", "说")
"""Marks of a signature that must be the same where both texts have some of the sort."""
_NESTED = ("name", "who", "is")
"""Marks of which one text may have more than the other, but not others."""
KEPT_MARKS = ("number", "name", "code", "when", "measure", "not")
"""Marks that must not get lost in a summary."""


class Said:
    """What a text says, looked at once."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def marks(self) -> dict[str, frozenset[str]]:
        sorts: dict[str, set[str]] = {}
        for mark in statement_marks(self._text):
            sorts.setdefault(mark.partition(":")[0], set()).add(mark)
        return {sort: frozenset(found) for sort, found in sorts.items()}

    @cached_property
    def kept(self) -> frozenset[str]:
        return frozenset(mark for sort in KEPT_MARKS for mark in self.marks.get(sort, ()))

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(analyze_query(self._text).content)


def clash(a: Said, b: Said) -> bool:
    """Whether the two differ in a number, a name, a date or a no: they may be about the same and not say the same."""
    if a.marks.get("not") != b.marks.get("not"):
        return True
    both = a.marks.keys() & b.marks.keys()
    if any(a.marks[sort] != b.marks[sort] for sort in both.intersection(_EQUAL)):
        return True
    return any(not (a.marks[sort] <= b.marks[sort] or b.marks[sort] <= a.marks[sort]) for sort in both & {*_NESTED})


def share_words(a: Said, b: Said) -> bool:
    union = a.words | b.words
    return bool(union) and len(a.words & b.words) / len(union) >= SHARED_WORDS


@dataclass(slots=True)
class Clusters:
    """Complete-link groups, densest first: all members are near each other and none clash."""

    memories: Sequence[Memory]
    """Ordered by id."""
    vectors: Vector
    threshold: float
    apart: frozenset[frozenset[str]] = frozenset()
    """Pairs of ids that must not meet."""
    _said: list[Said] = field(default_factory=list)
    _near: list[dict[int, float]] = field(default_factory=list)

    def find(self) -> list[list[Memory]]:
        """Each with its most central memory first, the others by their nearness to it."""
        self._said = [Said(memory.text) for memory in self.memories]
        self._near = neighbours(self.vectors, self.threshold)
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
            and share_words(self._said[a], self._said[b])
            and not clash(self._said[a], self._said[b])
        )

    def _centred(self, members: Sequence[int]) -> list[int]:
        def nearness(n: int, others: Iterable[int]) -> float:
            return sum(self._near[n].get(other, self._near[other].get(n, 1.0)) for other in others)

        centre = min(members, key=lambda n: (-round(nearness(n, members), 6), n))
        others = sorted(set(members) - {centre}, key=lambda n: (-round(nearness(n, [centre]), 6), n))
        return [centre, *others]


def neighbours(vectors: Vector, threshold: float) -> list[dict[int, float]]:
    """For each row the other rows with at least that cosine, nearest first."""
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
