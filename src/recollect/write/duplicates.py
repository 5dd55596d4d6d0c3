"""Is this memory a duplicate? Decides on values only; `merging` reads them from the store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..text.same_statement import statement_key
from ..types import Memory

if TYPE_CHECKING:
    from ..types import Vector

MOST_ALIKE = 64
"""The words of a new memory are compared with those of so many others at most: the nearest in the store, and the
nearest in its batch. A statement that is repeated word for word is among the nearest."""
REMEMBERED = "remembered"
"""Metadata key of a fact that somebody also stored with `remember`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicate:
    """The memory that is repeated, and how similar it is."""

    of: str
    similarity: float
    exact: bool


def near(memory: Memory, found: Iterable[tuple[Memory, float]], *, by_cosine: bool = False) -> Duplicate | None:
    """The nearest memory that states the same: a cosine alone would merge "blue" with "green". With `by_cosine`, the
    nearest one."""
    from ..extractors.judgement import says_the_same  # its patterns take time to compile

    for other, similarity in sorted(found, key=lambda pair: (-pair[1], pair[0].id)):
        if other.namespace != memory.namespace or not (by_cosine or _may_be_same(other, memory)):
            continue
        if by_cosine or says_the_same(other.text, memory.text):
            return Duplicate(of=other.id, similarity=similarity, exact=False)
    return None


def _may_be_same(one: Memory, other: Memory) -> bool:
    """Whether they do not name different times. "The dentist on Thursday" is another appointment in another week."""
    return one.when is None or other.when is None or one.when == other.when


def within(vectors: Vector, threshold: float, texts: Sequence[str] | None = None) -> list[list[tuple[int, float]]]:
    """For each row: the earlier rows of the batch that are at least this similar, at most `MOST_ALIKE`. With `texts`,
    only those that state the same."""
    if len(vectors) < 2:
        return [[] for _ in vectors]
    if texts is not None:
        return _restated(vectors, threshold, texts)
    import numpy as np

    cosines = np.tril(vectors @ vectors.T, -1)
    found: list[list[tuple[int, float]]] = []
    for row in cosines:
        near = np.flatnonzero(row >= threshold)
        best = near[np.argsort(-row[near], kind="stable")[:MOST_ALIKE]]
        found.append(list(zip(best.tolist(), row[best].tolist(), strict=True)))
    return found


def _restated(vectors: Vector, threshold: float, texts: Sequence[str]) -> list[list[tuple[int, float]]]:
    rows: defaultdict[int, list[int]] = defaultdict(list)
    found: list[list[tuple[int, float]]] = []
    for row, text in enumerate(texts):
        earlier = rows[statement_key(text)]
        cosines = [(other, float(vectors[row] @ vectors[other])) for other in earlier[:MOST_ALIKE]]
        found.append([one for one in cosines if one[1] >= threshold])
        earlier.append(row)
    return found


def raised(survivor: Memory, repeated: Memory, gain: float, *, exact: bool) -> Memory:
    """The survivor with a higher importance and the later expiry of the two. A fact notes that somebody remembered
    exactly this: it then no longer depends on its turn."""
    importance = min(1.0, max(survivor.importance, repeated.importance) + gain)
    ends = [survivor.expires_at, repeated.expires_at]
    last = None if None in ends else max(end for end in ends if end is not None)
    told = exact and survivor.granularity == "fact" and repeated.granularity == "memory"
    metadata = {**survivor.metadata, REMEMBERED: True} if told else survivor.metadata
    return replace(survivor, importance=importance, expires_at=last, metadata=metadata)
