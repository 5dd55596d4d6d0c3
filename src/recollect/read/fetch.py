"""Fetches, once for all, what the pure stages need from the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..namespaces import is_within
from ..recipes.recipe import Activation, Recipe, SessionFirst, TurnNeighbours
from ..store.protocol import Store
from ..types import Candidate, Link, Memory, Neighbourhood, Query
from .diversify import needs_vectors
from .fuse import Fusion


def fetch(store: Store, recipe: Recipe, query: Query, fused: Fusion) -> tuple[list[Candidate], Neighbourhood]:
    """The candidates with their memories, and the links, vectors and turns around them."""
    view = recipe.vector_routes[0].view if recipe.vector_routes and any(map(needs_vectors, recipe.diversify)) else None
    linking = any(isinstance(part, Activation) for part in recipe.spread) or recipe.conflicts is not None
    found = store.fetch(fused.ids, links=linking, view=view)
    held = {id: memory for id, memory in found.memories.items() if _is_asked_for(memory, query)}
    pool = [Candidate(held[f.memory_id], f.sightings, f.score) for f in fused if f.memory_id in held]
    links = _followed(store, recipe, set(held), found.links) if found.links else []
    beyond = {end for link in links for end in (link.a, link.b)} - held.keys()
    sessions = _sessions(store, recipe, query, pool)
    more = store.fetch([memory.id for memory in sessions], view=view).vectors if sessions and view else {}
    return pool, Neighbourhood(
        links=tuple(links),
        memories=store.get(beyond, query.filter) if beyond else {},
        vectors={**found.vectors, **more},
        beside=_beside(store, recipe, query, pool),
        sessions=sessions,
    )


def _is_asked_for(memory: Memory, query: Query) -> bool:
    """A memory may have moved since the search, and a damaged index may name those of others."""
    asked = query.filter.namespaces
    return not asked or any(is_within(memory.namespace, path) for path in asked)


def neighbours(store: Store, recipe: Recipe, query: Query, pool: Sequence[Candidate]) -> dict[str, list[Memory]]:
    """The turns or rounds beside each hit, by its id, where the recipe shows them. What counts is the position in the
    session: rounds are numbered by their first turn."""
    distance = recipe.pack.neighbours
    if not distance or any(c.memory.granularity == "session" for c in pool):
        return {}
    hits = [c.parts[0].memory if c.parts else c.memory for c in pool]
    found: dict[str, list[Memory]] = {}
    for session in {_position_in(memory): memory for memory in hits if memory.session_id}.values():
        records = _session_records(store, query, session)
        for n, memory in enumerate(records):
            found[memory.id] = [*records[max(0, n - distance) : n], *records[n + 1 : n + 1 + distance]]
    return {memory.id: found[memory.id] for memory in hits if memory.id in found}


def _position_in(memory: Memory) -> tuple[str, str | None, str]:
    return memory.namespace, memory.session_id, memory.granularity


def _session_records(store: Store, query: Query, memory: Memory) -> list[Memory]:
    """The records of the memory's session and granularity, in their order."""
    within = replace(
        query.filter,
        namespaces=(memory.namespace,),
        exact=True,
        session_id=memory.session_id,
        granularities=(memory.granularity,),
    )
    return sorted(store.scan(within, order="id"), key=lambda each: (each.turn or 0, each.id))


def _sessions(store: Store, recipe: Recipe, query: Query, pool: Sequence[Candidate]) -> tuple[Memory, ...]:
    """The records of the found turns' sessions that no route found, where the recipe ranks whole sessions."""
    if query.filter.granularities or not any(isinstance(part, SessionFirst) for part in recipe.spread):
        return ()
    known = {candidate.memory.id for candidate in pool}
    turns = [c.memory for c in pool if c.memory.session_id and c.memory.granularity != "session"]
    wanted = {(turn.namespace, turn.session_id): replace(turn, granularity="session") for turn in turns}
    records = [found for memory in wanted.values() for found in _session_records(store, query, memory)]
    return tuple(memory for memory in records if memory.id not in known)


def _beside(store: Store, recipe: Recipe, query: Query, pool: Sequence[Candidate]) -> dict[str, list[Memory]]:
    """The turns just before and after those candidates that share their score with them."""
    sharing = max((part.top_candidates for part in recipe.spread if isinstance(part, TurnNeighbours)), default=0)
    turns = [c.memory.id for c in pool[:sharing] if c.memory.granularity == "turn"]
    return store.turns_near(turns, 1, query.filter) if turns else {}


def _followed(store: Store, recipe: Recipe, ids: set[str], touching: Sequence[Link]) -> list[Link]:
    """The links that activation may follow from the candidates, and the conflicts between all that it may reach."""
    activations = [part for part in recipe.spread if isinstance(part, Activation)]
    found: dict[tuple[str, str, str], Link] = {}
    conflicts: list[Link] = []
    edge, known = set(ids), set(ids)
    for hop in range(max((part.hops for part in activations), default=0)):
        links = store.links(edge) if hop else touching
        conflicts += filter(_is_conflict, links)
        followed = [link for link in links if any(link.kind not in part.excluded_link_kinds for part in activations)]
        found |= {(link.a, link.b, link.kind): link for link in followed}
        edge = {end for link in followed for end in (link.a, link.b)} - known
        known |= edge
        if not edge:
            break
    if edge and recipe.conflicts is not None:  # what the last hop reached may conflict too
        conflicts += filter(_is_conflict, store.links(edge) if activations else touching)
    found |= {(link.a, link.b, link.kind): link for link in conflicts if {link.a, link.b} <= known}
    return [found[key] for key in sorted(found)]


def _is_conflict(link: Link) -> bool:
    return link.kind in ("contradicts", "supersedes")
