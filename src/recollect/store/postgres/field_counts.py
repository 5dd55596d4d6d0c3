"""Document frequencies of the searched fields. The statistics count documents that have a term in any field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from ...types import FIELDS, Corpus, Filter
from ..sql.text_query import TextQuery
from ..values import Proposed

_ALL = 1_000_000_000
"""A limit that no store reaches."""


def counted(found: Proposed, asked: TextQuery, search: Callable[[TextQuery], Proposed]) -> Proposed:
    """Corrects the frequencies. Documents that have a term only in other fields are taken away. If the texts are not
    searched, that would be most of them: then those of the searched fields are counted."""
    if asked.formula is None or len(asked.weights) == len(FIELDS) or not found.postings:
        return found
    direct, corpora = "text" not in asked.weights, found.corpora
    among = dict.fromkeys(asked.weights if direct else set(FIELDS) - set(asked.weights), 1.0)
    known = {term for corpus in corpora.values() for term in corpus.document_frequencies}
    counts = {key: dict.fromkeys(known, 0) for key in corpora}
    everything = Filter(namespaces=tuple(sorted({tenant for tenant, _ in corpora})))
    for term in known.intersection(asked.terms):
        one = TextQuery(content=[term], stop=(), filter=everything, match="any", fields=among, limit=_ALL)
        for posting in search(one).postings:
            held = {name for name, terms in posting.frequencies.items() if term in terms}
            if direct or not held & asked.weights.keys():
                counts[posting.tenant, posting.granularity][term] += 1
    return found._replace(
        corpora={key: _recounted(corpus, counts[key], direct=direct) for key, corpus in corpora.items()}
    )


def _recounted(corpus: Corpus, counts: Mapping[str, int], *, direct: bool) -> Corpus:
    held = corpus.document_frequencies
    found = {term: counts[term] if direct else held[term] - counts[term] for term in held}
    return replace(corpus, document_frequencies={term: n for term, n in found.items() if n > 0})
