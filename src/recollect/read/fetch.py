"""Fetches, once for all, what the pure stages need from the store."""

from __future__ import annotations

from collections.abc import Sequence

from ..recipes.recipe import Activation, Recipe, TurnNeighbours
from ..store.protocol import Store
from ..types import Candidate, Link, Memory, Neighbourhood, Query
from .diversify import needs_vectors
from .fuse import Fused


def fetch(store: Store, recipe: Recipe, query: Query, fused: Sequence[Fused]) -> tuple[list[Candidate], Neighbourhood]:
    """The candidates with their memories, and the links, vectors and turns around them."""
    view = recipe.vector_routes[0].view if recipe.vector_routes and any(map(needs_vectors, recipe.diversify)) else None
    linking = any(isinstance(part, Activation) for part in recipe.spread) or recipe.conflicts is not None
    found = store.fetch([f.memory_id for f in fused], links=linking, view=view)
    held = found.memories
    pool = [Candidate(held[f.memory_id], f.sightings, f.score) for f in fused if f.memory_id in held]
    links = _followed(store, recipe, set(held), found.links) if found.links else []
    beyond = {end for link in links for end in (link.a, link.b)} - held.keys()
    return pool, Neighbourhood(
        links=tuple(links),
        memories=store.get(beyond, query.filter) if beyond else {},
        vectors=found.vectors,
        beside=_beside(store, recipe, query, pool),
    )


def neighbours(store: Store, recipe: Recipe, query: Query, pool: Sequence[Candidate]) -> dict[str, list[Memory]]:
    """The turns beside each hit, by its id, where the recipe shows them."""
    if not recipe.pack.neighbours or any(c.memory.granularity == "session" for c in pool):
        return {}
    return store.turns_near([c.memory.id for c in pool], recipe.pack.neighbours, query.filter)


def _beside(store: Store, recipe: Recipe, query: Query, pool: Sequence[Candidate]) -> dict[str, list[Memory]]:
    """The turns just before and after those candidates that share their score with them."""
    sharing = max((part.top_candidates for part in recipe.spread if isinstance(part, TurnNeighbours)), default=0)
    turns = [c.memory.id for c in pool[:sharing] if c.memory.granularity == "turn"]
    return store.turns_near(turns, 1, query.filter) if turns else {}


def _followed(store: Store, recipe: Recipe, ids: set[str], touching: Sequence[Link]) -> list[Link]:
    """The links that activation may follow from the candidates, and those between conflicting candidates."""
    activations = [part for part in recipe.spread if isinstance(part, Activation)]
    found: dict[tuple[str, str, str], Link] = {}
    edge, known = set(ids), set(ids)
    for hop in range(max((part.hops for part in activations), default=1)):
        for link in store.links(edge) if hop else touching:
            followed = any(link.kind not in part.excluded_link_kinds for part in activations)
            if followed or (link.kind in ("contradicts", "supersedes") and {link.a, link.b} <= ids):
                found[link.a, link.b, link.kind] = link
        edge = {end for a, b, _ in found for end in (a, b)} - known
        known |= edge
        if not edge:
            break
    return [found[key] for key in sorted(found)]
