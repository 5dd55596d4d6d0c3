"""The words of a question by a recipe's analyzer, and the memories that have them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...recipes.recipe import Lexical
from ...store.protocol import Store
from ...store.values import Proposed
from ...text.fts5 import query_terms
from ...types import Query
from ...types.bm25 import Formula
from . import fts5_index


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
        return store.search_text(
            asked.content,
            asked.stop,
            query.filter,
            match=route.match,
            fields=route.fields,
            limit=limit,
            formula=Formula(k1=route.k1, b=route.b, stopword_weight=route.stopword_weight),
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
