"""BM25, the same for all stores. Formula and constants are those of the article that the `bm25` recipe cites."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import accumulate
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from ..explanation import Explanation
from ..text.cjk import is_bigram, without_cross_word_bigrams
from ..types import FIELDS, Block, Corpus, Posting, Postings, Statistics
from ..types.bm25 import idf

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Number = TypeVar("Number", float, Floats)

Held: TypeAlias = Mapping[str, tuple[tuple[str, str], Collection[str]]]
"""Memory id → its tenant and granularity, and the terms of the question that it has in any field."""
_NOWHERE: Mapping[str, int] = {}
_TERM = "idf * f * ({k1!r} + 1) / (f + {k1!r} * (1 - {b!r} + {b!r} * length / mean_length))"


def saturation(f: Number, length: Number, mean_length: float, k1: float, b: float) -> Number:
    """What f occurrences count in a document of that length."""
    return f * (k1 + 1) / (f + k1 * (1 - b + b * length / mean_length))


class Bm25:
    """Scores memories of one corpus. `terms` maps each term to a weight for its IDF. A field's weight multiplies its
    term counts, as in FTS5; it does not change lengths."""

    def __init__(
        self, corpus: Corpus, terms: Mapping[str, float], weights: Mapping[str, float], k1: float, b: float
    ) -> None:
        known = corpus.document_frequencies
        self._rarities = [(term, share * idf(corpus.documents, known.get(term, 0))) for term, share in terms.items()]
        self._fields = [(name, weight) for name, weight in weights.items() if weight]
        total = sum(corpus.lengths.get(name, 0) for name, _ in self._fields)
        self._mean = (total / corpus.documents if corpus.documents else 0.0) or 1.0
        self._k1, self._b = k1, b

    def score(self, posting: Posting) -> Explanation:
        found = self._found(posting)
        value = 0.0
        for *_, added in found:  # as for a block: from Python 3.12 on, sum() rounds differently
            value += added
        return Explanation("bm25", value, _sum_of_terms(len(found)), partial(self._parts, posting))

    def _found(self, posting: Posting) -> list[tuple[str, float, float, float]]:
        """(term, weighted count, IDF, what it adds) of the terms that the memory has."""
        counts: dict[str, float] = {}
        for name, weight in self._fields:
            for term, count in posting.frequencies.get(name, _NOWHERE).items():
                counts[term] = counts.get(term, 0.0) + weight * count
        length = self._length(posting)
        return [
            (term, f, rarity, rarity * saturation(f, length, self._mean, self._k1, self._b))
            for term, rarity in self._rarities
            if (f := counts.get(term))
        ]

    def _length(self, posting: Posting) -> int:
        return sum(posting.lengths.get(name, 0) for name, _ in self._fields)

    def _parts(self, posting: Posting) -> tuple[Explanation, ...]:
        """One part per term: how often it occurs, how rare it is and what it adds."""
        lengths = (Explanation("length", self._length(posting)), Explanation("mean_length", self._mean))
        formula = _TERM.format(k1=self._k1, b=self._b)
        return tuple(
            Explanation(
                f"term_{n}", value, formula, (Explanation("idf", rarity), Explanation("f", f), *lengths), note=term
            )
            for n, (term, f, rarity, value) in enumerate(self._found(posting), start=1)
        )

    def score_block(self, block: Block) -> tuple[list[float], Callable[[int], Explanation]]:
        """The same scores for all memories of a block, and a function that explains the n-th."""
        import numpy as np

        counts, rarities = self._of_block(block)
        lengths = sum(block.lengths[FIELDS.index(name)] for name, _ in self._fields)
        has = counts > 0
        counts[~has] = 1.0  # any number: these are not added
        added = has * (rarities * saturation(counts, lengths, self._mean, self._k1, self._b))
        values: list[float] = sum(added, np.zeros(len(block.ids))).tolist()  # term by term, in the order of `score`

        def explain(n: int) -> Explanation:
            terms = _sum_of_terms(int(np.count_nonzero(has[:, n])))
            return Explanation("bm25", values[n], terms, partial(self._parts_in, block, n))

        return values, explain

    def _of_block(self, block: Block) -> tuple[Floats, Floats]:
        """The weighted counts by term and memory, and the IDFs as a column."""
        import numpy as np

        places = {term: n for n, term in enumerate(block.terms)}
        known = [(places[term], rarity) for term, rarity in self._rarities if term in places]
        counts = np.zeros((len(known), len(block.ids)))
        at = [place for place, _ in known]
        for name, weight in self._fields:
            counts += weight * block.counts[FIELDS.index(name), at]
        return counts, np.array([rarity for _, rarity in known]).reshape(-1, 1)

    def _parts_in(self, block: Block, n: int) -> tuple[Explanation, ...]:
        return self._parts(block.posting(n))


@lru_cache
def _sum_of_terms(count: int) -> str:
    return " + ".join(f"term_{n}" for n in range(1, count + 1))


class Scores(Mapping[str, Explanation]):
    """Memory id → its score. It is explained when it is asked for."""

    def __init__(self, ids: Sequence[str], numbers: Sequence[float], explain: Callable[[int], Explanation]) -> None:
        self.ids, self.numbers, self.explain = ids, numbers, explain
        self._places = dict(zip(ids, range(len(ids)), strict=True))

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def __contains__(self, memory_id: object) -> bool:
        return memory_id in self._places

    def __getitem__(self, memory_id: str) -> Explanation:
        return self.explain(self._places[memory_id])


def scores(
    postings: Sequence[Posting],
    corpora: Statistics,
    terms: Mapping[str, float],
    fields: Mapping[str, float],
    k1: float,
    b: float,
) -> Scores:
    """Postings of a corpus without statistics are left out: another process may have stored its first memory or purged
    its last just now."""
    bm25 = {pair: Bm25(corpus, terms, fields, k1, b) for pair, corpus in corpora.items()}
    if isinstance(postings, Postings):
        blocks = [block for block in postings.blocks if (block.tenant, block.granularity) in bm25]
        return _of_blocks(blocks, [bm25[block.tenant, block.granularity].score_block(block) for block in blocks])
    known = [p for p in postings if (p.tenant, p.granularity) in bm25]
    scored = [bm25[p.tenant, p.granularity].score(p) for p in known]
    return Scores([p.memory_id for p in known], [score.value for score in scored], scored.__getitem__)


def _of_blocks(blocks: Sequence[Block], scored: Sequence[tuple[list[float], Callable[[int], Explanation]]]) -> Scores:
    starts = [0, *accumulate(len(values) for values, _ in scored)]

    def explain(n: int) -> Explanation:
        at = bisect_right(starts, n) - 1
        return scored[at][1](n - starts[at])

    return Scores([id for block in blocks for id in block.ids], [v for values, _ in scored for v in values], explain)


class Share:
    """The IDF-weighted share of some terms."""

    def __init__(self, corpus: Corpus, terms: Sequence[str]) -> None:
        self._rarities = {term: idf(corpus.documents, corpus.document_frequencies.get(term, 0)) for term in terms}
        self._whole = sum(self._rarities.values())

    def of(self, held: Collection[str]) -> float:
        """The share that a memory with these terms has."""
        if not self._whole:
            return 0.0
        return sum([rarity for term, rarity in self._rarities.items() if term in held]) / self._whole


def coverage(corpus: Corpus, terms: Sequence[str]) -> Share:
    """The share of the question's words."""
    return Share(corpus, without_cross_word_bigrams(terms, corpus.document_frequencies) or terms)


def support(corpus: Corpus, terms: Sequence[str]) -> Share:
    """The same, without pairs of Chinese or Japanese characters that occur in no memory: they distinguish nothing."""
    known = corpus.document_frequencies
    return Share(corpus, [term for term in terms if known.get(term) or not is_bigram(term)] or terms)


def held_terms(postings: Sequence[Posting]) -> Held:
    if isinstance(postings, Postings):
        return _HeldIn(postings)
    return {
        p.memory_id: ((p.tenant, p.granularity), {term for counts in p.frequencies.values() for term in counts})
        for p in postings
    }


class _HeldIn(Mapping[str, tuple[tuple[str, str], Collection[str]]]):
    """The terms of a memory are listed when they are asked for."""

    def __init__(self, postings: Postings) -> None:
        self._postings = postings
        self._places = dict(zip(postings.ids, range(len(postings)), strict=True))

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __getitem__(self, memory_id: str) -> tuple[tuple[str, str], list[str]]:
        block, n = self._postings.place(self._places[memory_id])
        return (block.tenant, block.granularity), block.held(n)
