"""Searches by words: the store proposes memories, BM25 ranks them."""

from __future__ import annotations

from collections.abc import Sequence

from ...recipes.recipe import Lexical
from ...store.protocol import Store
from ...types import Posting, Query, Statistics
from ..bm25 import Bm25, coverage, support
from . import SIGNAL_DEPTH, Sighted, ranked
from .wording import propose, weights, wording


def search(store: Store, route: Lexical, query: Query) -> Sighted:
    words = wording(route, query)
    if not (words.content or words.stop):
        return Sighted(note="the question has no words")
    limit = route.depth.of(query.limit)
    postings, corpora = propose(store, route, words, query, limit)
    terms = weights(route, words)
    bm25 = {pair: Bm25(corpus, terms, route.fields, route.k1, route.b) for pair, corpus in corpora.items()}
    scored = {
        p.memory_id: bm25[p.tenant, p.granularity].score(p)
        for p in postings
        if (p.tenant, p.granularity) in bm25  # another process may have stored the first or purged the last just now
    }
    sightings = ranked(route.name, scored.items(), limit)
    asked, telling = words.content or words.stop, words.telling or words.stop
    by_id = {p.memory_id: p for p in postings if p.memory_id in scored}
    first = {s.memory_id for s in sightings[:SIGNAL_DEPTH]}
    near = [p for p in postings if p.memory_id in first]

    def share(memory_id: str) -> float:
        p = by_id.get(memory_id)
        return coverage(p, corpora[p.tenant, p.granularity], telling) if p is not None else 0.0

    return Sighted(
        sightings=sightings,
        coverage=max(map(share, first), default=0.0),
        share=share,
        support=max((support(p, corpora[p.tenant, p.granularity], asked) for p in near), default=0.0),
        keyword_match=any(_contains_all(p, asked) for p in near),
        known=_known(postings, corpora, all_found=route.match == "any" and len(postings) < limit),
        note="" if sightings else "no memory has the question's words",
    )


def _known(postings: Sequence[Posting], corpora: Statistics, *, all_found: bool) -> frozenset[str]:
    """The terms that occur in a memory. If the store did not return every match, its statistics tell, which also count
    memories that the query may not see."""
    if all_found:
        return frozenset(term for p in postings for counts in p.frequencies.values() for term in counts)
    return frozenset(term for corpus in corpora.values() for term, n in corpus.document_frequencies.items() if n)


def _contains_all(posting: Posting, terms: tuple[str, ...]) -> bool:
    held = {term for counts in posting.frequencies.values() for term in counts}
    return held.issuperset(terms)
