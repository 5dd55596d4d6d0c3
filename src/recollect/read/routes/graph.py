"""Searches by entity: memories that name what the question names, and memories linked to them."""

from __future__ import annotations

from ...explanation import Explanation
from ...recipes.recipe import Graph
from ...store.protocol import Store
from ...types import Link, Query, Ranking
from ...types.bm25 import Formula
from ..bm25 import Bm25
from . import Sighted, ranked

_FIELDS = {"entities": 1.0}
_FORMULA = Formula()
_PER_HOP = 0.5
"""A memory one link away gets half the value of the memory it was reached from."""


def search(store: Store, route: Graph, query: Query) -> Sighted:
    limit = route.depth.of(query.limit)
    found = _naming(store, query, limit)
    if not found:
        return Sighted(note="no memory names an entity of the question")
    edge = set(found)
    for _ in range(route.hops):
        links = [link for link in store.links(edge) if link.kind not in route.excluded_link_kinds]
        reached = _step(links, found, edge)
        edge = set(store.get(reached, query.filter))
        found |= {id: reached[id] for id in edge}
    return Sighted(sightings=_ranked(route.name, found, limit))


def _ranked(route: str, found: dict[str, Explanation], limit: int) -> Ranking:
    raws = list(found.values())
    return ranked(route, "linked", found, [raw.value for raw in raws], limit, raws.__getitem__)


def _naming(store: Store, query: Query, limit: int) -> dict[str, Explanation]:
    terms = dict.fromkeys(query.content, 1.0)
    postings, corpora = store.search_text(
        query.content, (), query.filter, match="any", fields=_FIELDS, limit=limit, formula=_FORMULA
    )
    bm25 = {pair: Bm25(corpus, terms, _FIELDS, _FORMULA.k1, _FORMULA.b) for pair, corpus in corpora.items()}
    known = [p for p in postings if (p.tenant, p.granularity) in bm25]
    scored = {p.memory_id: bm25[p.tenant, p.granularity].score(p) for p in known}
    return {sighting.memory_id: sighting.raw for sighting in _ranked("naming", scored, limit)}


def _step(links: list[Link], found: dict[str, Explanation], edge: set[str]) -> dict[str, Explanation]:
    """The memories one link beyond the edge. The best path counts."""
    reached: dict[str, Explanation] = {}
    for link in links:
        for start, end in ((link.a, link.b), (link.b, link.a)):
            if start not in edge or end in found:
                continue
            source = found[start].named("source")
            value = source.value * link.weight * _PER_HOP
            if end not in reached or reached[end].value < value:
                parts = (source, Explanation("weight", link.weight, note=link.kind))
                reached[end] = Explanation("linked", value, f"source * weight * {_PER_HOP}", parts)
    return reached
