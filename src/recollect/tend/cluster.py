"""Finds groups of memories that say much the same, from texts, vectors and pairs that must stay separate."""

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
"""A summary of three sentences can't represent more memories."""
SHARED_WORDS = 0.2
"""The share of content words that two memories must have in common; docs/lab/maintenance.md says why."""
_MOST_NEAR = 64
_BLOCK = 512

_MUST_BE_EQUAL = ("number", "numbers", "code", "when", "measure", "order", "names", "说")
"""Kinds of marks that must be equal if both texts have marks of that kind."""
_MAY_BE_SUBSET = ("name", "who", "is")
"""Kinds of marks of which one text may have more than the other, but not different ones."""
KEPT_MARKS = ("number", "numbers", "name", "names", "code", "when", "measure", "not", "order", "who", "is", "说")
"""Kinds of marks that a summary must keep."""


class TextMarks:
    """The marks and words of a text, computed once."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def marks(self) -> dict[str, frozenset[str]]:
        kinds: dict[str, set[str]] = {}
        for mark in statement_marks(self._text):
            kinds.setdefault(mark.partition(":")[0], set()).add(mark)
        return {kind: frozenset(found) for kind, found in kinds.items()}

    @cached_property
    def kept(self) -> frozenset[str]:
        return frozenset(mark for kind in KEPT_MARKS for mark in self.marks.get(kind, ()))

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(analyze_query(self._text).content)


def clash(a: TextMarks, b: TextMarks) -> bool:
    """Whether the two differ in a number, a name, a date or a negation. They may then be about the same topic, but
    they do not say the same."""
    if a.marks.get("not") != b.marks.get("not"):
        return True
    both = a.marks.keys() & b.marks.keys()
    if any(a.marks[kind] != b.marks[kind] for kind in both.intersection(_MUST_BE_EQUAL)):
        return True
    return any(
        not (a.marks[kind] <= b.marks[kind] or b.marks[kind] <= a.marks[kind]) for kind in both & {*_MAY_BE_SUBSET}
    )


def share_words(a: TextMarks, b: TextMarks) -> bool:
    union = a.words | b.words
    return bool(union) and len(a.words & b.words) / len(union) >= SHARED_WORDS


@dataclass(slots=True)
class Clusters:
    """Complete-link clusters, densest first: every two members are similar and do not clash."""

    memories: Sequence[Memory]
    """Sorted by id."""
    vectors: Vector
    threshold: float
    apart: frozenset[frozenset[str]] = frozenset()
    """Pairs of ids that must not be in one cluster."""
    _marks: list[TextMarks] = field(default_factory=list)
    _near: list[dict[int, float]] = field(default_factory=list)

    def find(self) -> list[list[Memory]]:
        """Each cluster has its most central memory first, then the others by similarity to it."""
        self._marks = [TextMarks(memory.text) for memory in self.memories]
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
            and (one.when is None or other.when is None or one.when == other.when)
            and frozenset((one.id, other.id)) not in self.apart
            and share_words(self._marks[a], self._marks[b])
            and not clash(self._marks[a], self._marks[b])
        )

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
