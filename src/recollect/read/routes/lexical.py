"""Searches by words: the store proposes memories, BM25 ranks them."""

from __future__ import annotations

from ...recipes.recipe import Lexical
from ...store.protocol import Store
from ...types import Query, Statistics
from ..bm25 import Held, coverage, held_terms, scores, support
from . import SIGNAL_DEPTH, Sighted, ranked
from .wording import propose, weights, wording


def search(store: Store, route: Lexical, query: Query) -> Sighted:
    words = wording(route, query)
    if not (words.content or words.stop):
        return Sighted(note="the question has no words")
    limit = route.depth.of(query.limit)
    postings, corpora = propose(store, route, words, query, limit)
    scored = scores(postings, corpora, weights(route, words), route.fields, route.k1, route.b)
    sightings = ranked(route.name, "bm25", scored.ids, scored.numbers, limit, scored.explain)
    asked, telling = words.content or words.stop, words.telling or words.stop
    held = held_terms(postings)
    first = [held[memory_id] for memory_id in sightings.ids[:SIGNAL_DEPTH]]
    coverages = {pair: coverage(corpus, telling) for pair, corpus in corpora.items()}
    supports = {pair: support(corpora[pair], asked) for pair, _ in first}

    def share(memory_id: str) -> float:
        if memory_id not in scored:
            return 0.0
        pair, terms = held[memory_id]
        return coverages[pair].of(terms)

    return Sighted(
        sightings=sightings,
        coverage=max((coverages[pair].of(terms) for pair, terms in first), default=0.0),
        share=share,
        support=max((supports[pair].of(terms) for pair, terms in first), default=0.0),
        keyword_match=any(set(terms).issuperset(asked) for _, terms in first),
        known=_known(held, corpora, all_found=route.match == "any" and len(postings) < limit),
        note="" if sightings else "no memory has the question's words",
    )


def _known(held: Held, corpora: Statistics, *, all_found: bool) -> frozenset[str]:
    """The terms that occur in a memory. If the store did not return every match, its statistics tell, which also count
    memories that the query may not see."""
    if all_found:
        return frozenset(term for _, terms in held.values() for term in terms)
    return frozenset(term for corpus in corpora.values() for term, n in corpus.document_frequencies.items() if n)
