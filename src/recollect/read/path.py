"""The read path: query → routes → fuse → spread → rank → resolve → reject → diversify → pack."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence, Sized
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Protocol, TypeVar

from ..recipes.confidence import Confidence
from ..recipes.recipe import Activation, Graph, Lexical, Recipe, Route, TimeWindow, TurnNeighbours, Vector
from ..store.protocol import Store
from ..types import Candidate, Granularity, Hit, Link, Memory, Neighbourhood, Query, Recall, Sighting, Signals, Step
from . import conflict, fuse, group, pack, question, rank, reject
from .diversify import concerns, diversify, needs_vectors
from .routes import SIGNAL_DEPTH, Sighted, graph, lexical, time_window, vector
from .spread import spread

if TYPE_CHECKING:
    from ..types import Vector as Floats


T = TypeVar("T")
_WORDS_AS_COSINE = 0.15
"""What it is worth, as cosine, to hold all of the question's words."""
_STANDING_AS_COSINE = 0.15
"""What a memory's standing is worth: twice as high, a tenth of a cosine more."""
_LEAST_STANDING = 0.01
_EVIDENCE_DEPTH = 20
"""Of the ranked candidates, those that may be the evidence."""


class Asker(Protocol):
    """Turns the question into a vector, if it can."""

    @property
    def name(self) -> str | None: ...

    def vector(self, text: str) -> Floats | None: ...


def recall(
    store: Store, asker: Asker, recipe: Recipe, query: Query, *, id: str, model: Callable[[str | None], Confidence]
) -> Recall:
    """The answer from what is in sight; when there is none, from what was archived."""
    found = _recall(store, asker, recipe, query, id, model)
    if found.hits or not query.look_further:
        return found
    archived = replace(query, filter=replace(query.filter, tiers=("archived",)))
    if not store.scan(archived.filter, limit=1):
        return found
    again = _recall(store, asker, recipe, archived, id, model)
    step = Step(stage="second look", into=0, out=len(again.hits), note="among archived memories")
    return replace(again if again.hits else found, trace=(*found.trace, step, *again.trace))


def _recall(
    store: Store, asker: Asker, recipe: Recipe, query: Query, id: str, model: Callable[[str | None], Confidence]
) -> Recall:
    trace = Trace()
    found = _ask(store, asker, recipe, query, query, trace)
    if query.sides:
        found = _with_sides(found, [_ask_side(store, asker, recipe, query, side, trace) for side in query.sides])
    signals, pool = found.signals, found.pool
    compared = asker.name if signals.top_similarity is not None else None
    fitted = model(compared)
    sure = reject.confidence(signals, fitted)
    refused = reject.reject(signals, sure, recipe.reject, compared, fitted) if recipe.reject and pool else None
    if refused:
        pool = trace.run("reject", pool, list, refused)
    pool = _chosen(recipe, query, pool, found, trace)
    return Recall(
        id=id,
        query=query.text,
        recipe=recipe.name,
        at=query.at,
        hits=_hits(store, recipe, query, pool),
        rejected=refused or _why_empty(pool, found.seen),
        confidence=sure if _sightings(found.seen) else 0.0,
        signals=signals,
        trace=tuple(trace.steps),
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """What the stages up to the choice make of a question."""

    seen: dict[str, Sighted]
    pool: list[Candidate]
    around: Neighbourhood
    signals: Signals
    firsts: frozenset[str] = frozenset()
    """The best memory of each side: what is many on one side must not crowd out the other."""


def _ask(store: Store, asker: Asker, recipe: Recipe, query: Query, whole: Query, trace: Trace) -> _Found:
    """Who and what time is meant, the whole question says also for its sides."""
    deep = replace(query, limit=query.limit * recipe.group.depth_multiplier) if _grouped(query) else query
    seen = _run_routes(store, asker, recipe, deep, trace)
    fused = trace.run("fuse", _sightings(seen), partial(_fuse, asker, recipe, deep, seen))
    start = time.perf_counter()
    pool, around = _fetched(store, recipe, query, fused)
    trace.note("fetch", fused, pool, start)
    pool = _scored(recipe, whole, pool, around, trace)
    return _Found(seen, pool, around, replace(_signals(seen), evidence=_evidence(pool, seen)))


def _ask_side(store: Store, asker: Asker, recipe: Recipe, query: Query, side: str, trace: Trace) -> _Found:
    start = time.perf_counter()
    found = _ask(store, asker, recipe, question.one_side(query, side), query, Trace())
    trace.note("side", (), found.pool, start, side)
    pool = [candidate.scored(candidate.score.noted(f"asked for: {side}")) for candidate in found.pool]
    return replace(found, pool=pool)


def _with_sides(whole: _Found, sides: Sequence[_Found]) -> _Found:
    """A memory counts for what it is worth to the question or to one of its sides; each side must be in memory."""
    best: dict[str, Candidate] = {}
    for candidate in chain(whole.pool, *(side.pool for side in sides)):
        held = best.setdefault(candidate.memory.id, candidate)
        if candidate.score.value > held.score.value:
            best[candidate.memory.id] = candidate
    vectors = {id: vector for found in (whole, *sides) for id, vector in found.around.vectors.items()}
    known = [side.signals.evidence or 0.0 for side in sides]
    signals = whole.signals if whole.signals.evidence is None else replace(whole.signals, evidence=min(known))
    return _Found(
        whole.seen,
        fuse.best_first(best.values()),
        replace(whole.around, vectors=vectors),
        signals,
        frozenset(side.pool[0].memory.id for side in sides if side.pool),
    )


def _scored(
    recipe: Recipe, query: Query, pool: list[Candidate], around: Neighbourhood, trace: Trace
) -> list[Candidate]:
    """spread → rank → normalise → conflict"""
    for part in recipe.spread:
        pool = trace.run("spread", pool, partial(spread, pool, part, around), type(part).__name__)
    asked = rank.Asked(words=query.words, content=frozenset(query.content), spans=query.spans)
    pool = trace.run("rank", pool, partial(rank.rank, pool, recipe.factors, query.at, asked))
    if recipe.normalise:
        pool = trace.run("normalise", pool, partial(rank.normalise, pool, recipe.normalise))
    if recipe.conflicts:
        pool = trace.run("conflict", pool, partial(conflict.resolve, pool, recipe.conflicts, around, query.at))
    return pool


def _chosen(recipe: Recipe, query: Query, pool: list[Candidate], found: _Found, trace: Trace) -> list[Candidate]:
    """diversify → group → pack"""
    grouped = _grouped(query)
    for how in recipe.diversify:
        if concerns(how, grouped=grouped is not None):
            pool = trace.run(
                "diversify", pool, partial(diversify, pool, how, found.around, query.limit), type(how).__name__
            )
    if grouped:
        put_together = partial(group.group, pool, recipe.group, grouped)
        pool = trace.run("group", pool, put_together, f"into {grouped}s")
    pool = pack.with_room(pool, found.firsts, query.limit)
    fitting = partial(pack.pack, pool, recipe.pack, limit=query.limit, budget_tokens=query.budget_tokens)
    return trace.run("pack", pool, fitting)


def _grouped(query: Query) -> Granularity | None:
    """What hits are put together into, if anything."""
    return query.granularity if query.granularity in ("round", "session") else None


class Trace:
    """Notes what each stage did."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def run(self, name: str, into: Sized, stage: Callable[[], list[T]], note: str = "") -> list[T]:
        start = time.perf_counter()
        result = stage()
        self.note(name, into, result, start, note)
        return result

    def note(self, name: str, into: Sized, out: Sized, start: float, note: str = "") -> None:
        spent = (time.perf_counter() - start) * 1000
        self.steps.append(Step(stage=name, into=len(into), out=len(out), note=note, ms=spent))


def _sightings(seen: dict[str, Sighted]) -> list[Sighting]:
    return [sighting for found in seen.values() for sighting in found.sightings]


def _fuse(asker: Asker, recipe: Recipe, query: Query, seen: dict[str, Sighted]) -> list[fuse.Fused]:
    covered = {name: found.support for name, found in seen.items() if found.top_similarity is None}
    return fuse.fuse(_sightings(seen), recipe.fuse, limit=query.limit, embedder=asker.name, coverage=covered)


def _run_routes(store: Store, asker: Asker, recipe: Recipe, query: Query, trace: Trace) -> dict[str, Sighted]:
    asked = asker.vector(query.text) if recipe.vector_routes else None
    found = store.together([partial(_timed, store, route, query, asked) for route in recipe.routes])
    for route, (sighted, spent) in zip(recipe.routes, found, strict=True):
        step = Step(stage=f"route {route.name}", into=0, out=len(sighted.sightings), note=sighted.note, ms=spent)
        trace.steps.append(step)
    return {route.name: sighted for route, (sighted, _) in zip(recipe.routes, found, strict=True)}


def _timed(store: Store, route: Route, query: Query, asked: Floats | None) -> tuple[Sighted, float]:
    start = time.perf_counter()
    return _sight(store, route, query, asked), (time.perf_counter() - start) * 1000


def _sight(store: Store, route: Route, query: Query, asked: Floats | None) -> Sighted:
    match route:
        case Lexical():
            return lexical.search(store, route, query)
        case Vector():
            return vector.search(store, route, query, asked)
        case Graph():
            return graph.search(store, route, query)
        case TimeWindow():
            return time_window.search(store, route, query, asked)


def _signals(seen: dict[str, Sighted]) -> Signals:
    similarities = [f.top_similarity for f in seen.values() if f.top_similarity is not None]
    firsts = [f.sightings[:SIGNAL_DEPTH] for f in seen.values() if f.sightings and f.of_all]
    return Signals(
        top_similarity=max(similarities, default=None),
        keyword_match=any(found.keyword_match for found in seen.values()),
        coverage=max((found.coverage for found in seen.values()), default=0.0),
        agreement=_mean(_overlap(a, b) for n, a in enumerate(firsts) for b in firsts[n + 1 :]),
        margin=_mean(map(_lead, firsts)),
        background=max((f.background for f in seen.values() if f.background is not None), default=None),
    )


def _evidence(pool: Sequence[Candidate], seen: dict[str, Sighted]) -> float | None:
    """Near, in the question's words and of good standing at once: memories that are one each are less than one that is
    all."""
    cosines = {s.memory_id: s.raw.value for f in seen.values() if f.top_similarity is not None for s in f.sightings}
    shares = [f.share for f in seen.values() if f.share is not None]
    if not cosines:
        return None
    least = min(cosines.values())  # what no vector route proposed is no nearer

    def offer(candidate: Candidate) -> float:
        id = candidate.memory.id
        words = _WORDS_AS_COSINE * max((share(id) for share in shares), default=0.0)
        return cosines.get(id, least) + words + _STANDING_AS_COSINE * math.log(max(candidate.standing, _LEAST_STANDING))

    return max(map(offer, pool[:_EVIDENCE_DEPTH]), default=None)


def _overlap(a: Sequence[Sighting], b: Sequence[Sighting]) -> float:
    return len({s.memory_id for s in a} & {s.memory_id for s in b}) / min(len(a), len(b))


def _lead(first: Sequence[Sighting]) -> float:
    """How far the first stands above the mean of the following ones, as a share of its own value."""
    top, *others = (s.raw.value for s in first)
    return 1 - _mean(others) / top if others and top > 0 else 0.0


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0


def _fetched(
    store: Store, recipe: Recipe, query: Query, fused: Sequence[fuse.Fused]
) -> tuple[list[Candidate], Neighbourhood]:
    """The candidates, and once for all what else the pure stages will need."""
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


def _beside(store: Store, recipe: Recipe, query: Query, pool: Sequence[Candidate]) -> dict[str, list[Memory]]:
    sharing = max((part.top_candidates for part in recipe.spread if isinstance(part, TurnNeighbours)), default=0)
    turns = [c.memory.id for c in pool[:sharing] if c.memory.granularity == "turn"]
    return store.turns_near(turns, 1, query.filter) if turns else {}


def _followed(store: Store, recipe: Recipe, ids: set[str], touching: Sequence[Link]) -> list[Link]:
    """The links that activation may follow from the candidates, and those between contradicting ones."""
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


def _hits(store: Store, recipe: Recipe, query: Query, pool: Sequence[Candidate]) -> tuple[Hit, ...]:
    beside: dict[str, list[Memory]] = {}
    if recipe.pack.neighbours and all(c.memory.granularity != "session" for c in pool):
        beside = store.turns_near([c.memory.id for c in pool], recipe.pack.neighbours, query.filter)
    return tuple(
        Hit(
            memory=c.memory,
            explanation=c.score,
            routes=_ranks(c),
            neighbours=tuple(beside.get(c.memory.id, ())),
            parts=tuple(Hit(memory=p.memory, explanation=p.score, routes=_ranks(p)) for p in c.parts),
        )
        for c in pool
    )


def _ranks(candidate: Candidate) -> dict[str, int]:
    return {s.route: s.rank for s in sorted(candidate.sightings, key=lambda s: s.route)}


def _why_empty(pool: Sequence[Candidate], seen: dict[str, Sighted]) -> str | None:
    if pool:
        return None
    notes = [f"{name}: {found.note}" for name, found in seen.items() if found.note and found.of_all]
    return "nothing found" + (f" ({'; '.join(notes)})" if notes else "")
