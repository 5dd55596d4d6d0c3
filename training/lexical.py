"""BM25 of each question against all passages, scaled as recall scales it: the best of a memory is 1."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from examples import Example, Examples

from recollect.text.analyze import analyze, analyze_query

K1, B = 1.2, 0.75


class Lexical:
    def __init__(self, data: Examples) -> None:
        counted = [Counter(analyze(text)) for text in data.passages]
        lengths = np.array([sum(counts.values()) for counts in counted])
        self._norm = K1 * (1 - B + B * lengths / lengths.mean())
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for n, counts in enumerate(counted):
            for term, count in counts.items():
                self._postings[term].append((n, count))
        self._rows = {example.question: self._row(example) for example in data.examples}

    def _row(self, example: Example) -> np.ndarray:
        row = np.zeros(len(self._norm), np.float32)
        for term in analyze_query(example.question).content:
            found = self._postings.get(term)
            if found:
                at, count = np.array(found).T
                idf = np.log((len(row) - len(at) + 0.5) / (len(at) + 0.5) + 1)
                row[at] += idf * count * (K1 + 1) / (count + self._norm[at])
        best = row[list(example.evidence + example.beside)].max()
        return np.minimum(row / best, 1).astype(np.float16) if best > 0 else row.astype(np.float16)

    def scores(self, batch: Sequence[Example], shown: Sequence[int]) -> np.ndarray:
        return np.stack([self._rows[example.question][shown] for example in batch]).astype(np.float32)
