"""The best documents by BM25, without scoring all of them.

MaxScore (Turtle and Flood, 1995): the terms that can add most are counted first, for all documents that have them. Once
the other terms together can't lift a new document among the best, they are looked up only for the documents that are
left. So the list of a frequent word is not walked through.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

TIE = 1e-9
"""Scores this close to each other are not told apart here: the caller computes them again."""

_READ, _FILLED = 8, 64
"""A search in a list takes as long as reading so many numbers of it, or filling so many places of a table."""

Numbers: TypeAlias = NDArray[np.int32]
Floats: TypeAlias = NDArray[np.float64]
Places: TypeAlias = NDArray[np.int64] | slice


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a search in one list of documents."""

    weight: float
    """The IDF times the weight of the word."""
    required: bool
    """Whether a document that has it matches. Other words only rank."""
    documents: Numbers
    """The documents that have it, ascending."""
    counts: Callable[[Places], Floats]
    """The counts at some places of that list, weighted by field. 0 if no searched field has the word."""
    most: float = inf
    """The highest of these counts, if it is known."""


@dataclass(frozen=True, slots=True)
class Search:
    """What is searched, and the saturation of BM25: f * (k1 + 1) / (f + room), with a room by the document's length."""

    terms: Sequence[Term]
    match: Literal["any", "all"]
    k1: float
    size: int
    """The number of documents."""
    room: Callable[[Numbers], Floats]
    least_room: float = 0.0
    """No document has less room."""

    def bound(self, term: Term) -> float:
        """The most that a term can add."""
        share = 1.0 if term.most == inf else term.most / max(term.most + self.least_room, 1e-300)
        return term.weight * (self.k1 + 1) * share

    def values(self, term: Term, at: Places) -> Floats:
        """What the term adds to the documents at some places of its list."""
        counts = term.counts(at)
        below = counts + self.room(term.documents[at])
        if not self.least_room:
            np.maximum(below, 1e-300, out=below)
        value: Floats = counts * (term.weight * (self.k1 + 1))
        value /= below
        return value

    def added(self, term: Term, documents: Numbers) -> Floats:
        """What the term adds to these documents."""
        found = np.zeros(len(documents))
        here, at = places(term.documents, documents)
        found[here] = self.values(term, at)
        return found


def places(held: Numbers, wanted: Numbers) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which of the wanted numbers an ascending list has, and where in the list. Both are ascending."""
    if not len(held) or not len(wanted):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    if len(wanted) > max(len(held) // _READ, int(held[-1]) // _FILLED):
        return _places_of_many(held, wanted)
    at = np.minimum(np.searchsorted(held, wanted), len(held) - 1)
    here = np.flatnonzero(held[at] == wanted)
    return here, at[here]


def _places_of_many(held: Numbers, wanted: Numbers) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The same without searching: a table says for each number where it is among those wanted."""
    table = np.full(max(int(held[-1]), int(wanted[-1])) + 1, -1, np.int32)
    table[wanted] = np.arange(len(wanted), dtype=np.int32)
    here = table[held]
    at = np.flatnonzero(here >= 0)
    return here[at].astype(np.int64), at


def best(search: Search, count: int, among: Numbers | None = None) -> tuple[Numbers, Floats]:
    """The `count` best documents and those that tie with the last of them, unordered, with their scores. `among` are
    the only documents that may be found, if given."""
    ordered = sorted(search.terms, key=search.bound, reverse=True)
    if among is not None or search.match == "all":
        documents = _matching(search, ordered, among)
        return _ranked(search, documents, np.zeros(len(documents)), ordered, count)
    documents, scores, left = _collected(search, ordered, count)
    return _ranked(search, documents, scores, left, count)


def _collected(search: Search, ordered: Sequence[Term], count: int) -> tuple[Numbers, Floats, list[Term]]:
    """Every document that can be among the best, with the scores of the terms counted so far, and the other terms."""
    scores = np.zeros(search.size)
    left, floor = list(ordered), 0.0
    for term in [term for term in ordered if term.required]:
        if _most(search, left) < floor - TIE:
            break
        scores[term.documents] += search.values(term, slice(None))
        left.remove(term)
        if len(term.documents) >= count:
            floor = max(floor, _last(scores[term.documents], count))
    can_add = _most(search, left)
    found = np.flatnonzero(scores >= max(floor - can_add - TIE, np.nextafter(0, 1))).astype(np.int32)
    return found, scores[found], left


def _matching(search: Search, ordered: Sequence[Term], among: Numbers | None) -> Numbers:
    """The documents with any (or all) of the required terms."""
    required = sorted((term for term in ordered if term.required), key=lambda term: len(term.documents))
    if among is None:  # every document with all of them has the rarest
        among = required[0].documents
    held = np.zeros(len(among), np.int64)
    for term in required:
        here, at = places(term.documents, among)
        held[here[term.counts(at) > 0]] += 1
    found: Numbers = among[held >= (len(required) if search.match == "all" else 1)]
    return found


def _ranked(
    search: Search, documents: Numbers, scores: Floats, left: Sequence[Term], count: int
) -> tuple[Numbers, Floats]:
    """Drops documents that can't be among the best any more, and adds the other terms to the scores of the rest."""
    for n, term in enumerate(left):
        if len(documents) > count:
            kept = scores >= _last(scores, count) - _most(search, left[n:]) - TIE
            documents, scores = documents[kept], scores[kept]
        scores = scores + search.added(term, documents)
    return _cut(documents, scores, count)


def _cut(documents: Numbers, scores: Floats, count: int) -> tuple[Numbers, Floats]:
    if len(documents) <= count:
        return documents, scores
    kept = scores >= _last(scores, count) - TIE
    return documents[kept], scores[kept]


def _most(search: Search, terms: Sequence[Term]) -> float:
    return sum(search.bound(term) for term in terms)


def _last(scores: Floats, count: int) -> float:
    """The score of the `count`-th best."""
    return float(np.partition(scores, len(scores) - count)[len(scores) - count])


@dataclass(frozen=True, slots=True)
class Pool:
    """The best documents of several searches, best first."""

    documents: Numbers
    scores: Floats
    searches: NDArray[np.int64]
    """Which search found each."""


def pooled(searches: Sequence[Search], count: int, among: Sequence[Numbers] | None = None) -> Pool:
    """The `count` best of all searches together, and those that tie with the last of them."""
    found = [best(search, count, None if among is None else among[n]) for n, search in enumerate(searches)]
    documents = np.concatenate([np.empty(0, np.int32), *(documents for documents, _ in found)])
    scores = np.concatenate([np.empty(0), *(scores for _, scores in found)])
    source = np.repeat(np.arange(len(found)), [len(documents) for documents, _ in found])
    order = np.argsort(-scores, kind="stable")
    if len(order) > count:
        order = order[: np.searchsorted(-scores[order], TIE - scores[order[count - 1]], side="right")]
    return Pool(documents[order], scores[order], source[order])
