"""The words of a question by a recipe's analyzer, and the memories that have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ...recipes.recipe import Lexical
from ...store.protocol import Store
from ...store.values import Proposed
from ...text.fts5 import query_terms
from ...types import FIELDS, Corpus, Filter, Query, Statistics
from . import fts5_index

_ALL = 1_000_000_000
"""A limit that no store reaches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """The terms of a question."""

    content: tuple[str, ...]
    stop: tuple[str, ...]
    telling: tuple[str, ...]
    """The content words that an answer would contain too."""


def wording(route: Lexical, query: Query) -> Wording:
    if route.analyzer == "recollect":
        found = Wording(content=query.content, stop=query.stop, telling=query.telling)
    else:
        terms = query_terms(query.text, route.analyzer)
        found = Wording(content=terms.content, stop=terms.stop, telling=terms.content)
    return replace(found, content=(*found.content, *found.stop), stop=()) if route.stopwords_match else found


def weights(route: Lexical, asked: Wording) -> dict[str, float]:
    """Term → the weight of its IDF."""
    stop_weight = route.stopword_weight if asked.content else 1.0
    return dict.fromkeys(asked.content, 1.0) | dict.fromkeys(asked.stop, stop_weight)


def propose(store: Store, route: Lexical, asked: Wording, query: Query, limit: int) -> Proposed:
    """The memories with these words, and the statistics of the searched fields."""
    if route.analyzer == "recollect":
        return propose_terms(
            store, asked.content, asked.stop, query.filter, match=route.match, fields=route.fields, limit=limit
        )
    words = fts5_index.Words(
        tokenizer=route.analyzer,
        required=asked.content or asked.stop,
        match=route.match,
        terms=weights(route, asked),
        fields=route.fields,
        k1=route.k1,
        b=route.b,
    )
    return fts5_index.search(store, words, query.filter, limit)


def propose_terms(
    store: Store,
    content: Sequence[str],
    stop: Sequence[str],
    filter: Filter,
    *,
    match: Literal["any", "all"],
    fields: Mapping[str, float],
    limit: int,
) -> Proposed:
    """What the store's index proposes. A document counts for a term only if a searched field has it."""
    found = store.search_text(content, stop, filter, match=match, fields=fields, limit=limit)
    if all(map(fields.get, FIELDS)) or not found.postings:
        return found
    return found._replace(corpora=_of_fields(store, found.corpora, (*content, *stop), fields))


def _of_fields(store: Store, corpora: Statistics, terms: Sequence[str], fields: Mapping[str, float]) -> Statistics:
    """The statistics with document frequencies of the searched fields. The index counts documents that have a term in
    any field, so those that have it only in other fields are taken away. If the texts are not searched, that would be
    most of them: then those of the searched fields are counted."""
    searched = {name for name in FIELDS if fields.get(name)}
    among = dict.fromkeys(searched if "text" not in searched else set(FIELDS) - searched, 1.0)
    known = {term for corpus in corpora.values() for term in corpus.document_frequencies}
    counts = {key: dict.fromkeys(known, 0) for key in corpora}
    everything = Filter(namespaces=tuple(sorted({tenant for tenant, _ in corpora})))
    for term in known.intersection(terms):
        for posting in store.search_text([term], (), everything, match="any", fields=among, limit=_ALL).postings:
            held = {name for name, counted in posting.frequencies.items() if term in counted}
            if "text" not in searched or not held & searched:
                counts[posting.tenant, posting.granularity][term] += 1
    return {key: _recounted(corpus, counts[key], direct="text" not in searched) for key, corpus in corpora.items()}


def _recounted(corpus: Corpus, counts: Mapping[str, int], *, direct: bool) -> Corpus:
    held = corpus.document_frequencies
    counted = {term: counts[term] if direct else held[term] - counts[term] for term in held}
    return replace(corpus, document_frequencies={term: n for term, n in counted.items() if n > 0})
