"""BM25, the same for all stores. Formula and constants are those of the article that the `bm25` recipe cites."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial

from ..explanation import Explanation
from ..text.cjk import is_bigram, without_cross_word_bigrams
from ..types import Corpus, Posting
from ..types.bm25 import idf

_NOWHERE: Mapping[str, int] = {}
_TERM = "idf * f * ({k1!r} + 1) / (f + {k1!r} * (1 - {b!r} + {b!r} * length / mean_length))"


def saturation(f: float, length: float, mean_length: float, k1: float, b: float) -> float:
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
        counts: dict[str, float] = {}
        length = 0
        for name, weight in self._fields:
            length += posting.lengths.get(name, 0)
            for term, count in posting.frequencies.get(name, _NOWHERE).items():
                counts[term] = counts.get(term, 0.0) + weight * count
        found = [
            (term, f, rarity, rarity * saturation(f, length, self._mean, self._k1, self._b))
            for term, rarity in self._rarities
            if (f := counts.get(term))
        ]
        value = sum([value for *_, value in found])
        return Explanation("bm25", value, _sum_of_terms(len(found)), partial(self._parts, length, found))

    def _parts(self, length: int, found: Sequence[tuple[str, float, float, float]]) -> tuple[Explanation, ...]:
        """One part per term: how often it occurs, how rare it is and what it adds."""
        lengths = (Explanation("length", length), Explanation("mean_length", self._mean))
        formula = _TERM.format(k1=self._k1, b=self._b)
        return tuple(
            Explanation(
                f"term_{n}", value, formula, (Explanation("idf", rarity), Explanation("f", f), *lengths), note=term
            )
            for n, (term, f, rarity, value) in enumerate(found, start=1)
        )


@lru_cache
def _sum_of_terms(count: int) -> str:
    return " + ".join(f"term_{n}" for n in range(1, count + 1))


def coverage(posting: Posting, corpus: Corpus, terms: Sequence[str]) -> float:
    """The IDF-weighted share of the question's words that the memory contains."""
    return _share(posting, corpus, without_cross_word_bigrams(terms, corpus.document_frequencies) or terms)


def support(posting: Posting, corpus: Corpus, terms: Sequence[str]) -> float:
    """The same, without pairs of Chinese or Japanese characters that occur in no memory: they distinguish nothing."""
    known = corpus.document_frequencies
    return _share(posting, corpus, [term for term in terms if known.get(term) or not is_bigram(term)] or terms)


def _share(posting: Posting, corpus: Corpus, terms: Sequence[str]) -> float:
    rarities = {term: idf(corpus.documents, corpus.document_frequencies.get(term, 0)) for term in terms}
    whole = sum(rarities.values())
    held = {term for counts in posting.frequencies.values() for term in counts}
    return sum(rarity for term, rarity in rarities.items() if term in held) / whole if whole else 0.0
