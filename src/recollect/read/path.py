"""The read path: query → routes → fuse → spread → rank → conflict → read → reject → diversify → pack."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial

from ..readers.optional import shared
from ..recipes.recipe import Read, Recipe
from ..store.protocol import Store
from ..text.topics import stands_alone, topic_question
from ..types import STATUSES, Candidate, Filter, Neighbourhood, Query, Recall, Step
from . import absent, conflict, fetch, foremost, fuse, group, hits, pack, question, rank, reading, reject, subquestions
from .diversify import concerns, diversify
from .routes.run import Asker, rankings, run, support
from .signals import signals
from .spread import spread
from .subquestions import Found
from .trace import Trace


def recall(store: Store, asker: Asker, recipe: Recipe, query: Query, *, id: str, model: reject.Model) -> Recall:
    """Searches what is in sight. When nothing there answers, searches what was archived."""
    found = _recall(store, asker, recipe, query, id, model)
    archived = replace(query, filter=replace(query.filter, tiers=("archived",)))
    if found.hits or not query.search_archived_too or not store.scan(archived.filter, limit=1):
        return _explained(store, query, found)
    again = _recall(store, asker, recipe, archived, id, model)
    step = Step(stage="second look", into=0, out=len(again.hits), note="among archived memories")
    return replace(again if again.hits else found, trace=(*found.trace, step, *again.trace))


def _explained(store: Store, query: Query, found: Recall) -> Recall:
    """With a better reason, if the namespace is empty or no memory has the kind."""
    asked = query.filter
    if found.hits or found.nearest or not asked.namespaces:
        return found
    # with statuses, the newest is read from an index
    is_empty = not store.scan(Filter(namespaces=asked.namespaces, exact=asked.exact, statuses=STATUSES), limit=1)
    kinds = store.counts(asked.namespaces).by_kind if asked.kinds and not is_empty else {}
    return replace(found, rejected=absent.why(asked, is_empty, kinds) or found.rejected)


def _recall(store: Store, asker: Asker, recipe: Recipe, query: Query, id: str, model: reject.Model) -> Recall:
    trace = Trace()
    found = _search(store, asker, recipe, query, query, trace)
    sides = [_side(store, asker, recipe, query, side, trace) for side in query.sides]
    if sides and not query.sides_are_topics:
        found = subquestions.merge(found, sides)
    if recipe.read is not None and found.pool:
        found = _read(recipe.read, query, found, trace)
        if recipe.conflicts:
            found = replace(found, pool=conflict.correct(found.pool, recipe.conflicts, found.around))
    if sides and query.sides_are_topics:
        found = subquestions.merge_topics(found, sides, apart=all(map(stands_alone, query.sides)))
    judged_by = reject.judge(asker.name, recipe, found.signals)
    fitted = model(judged_by)
    sure = reject.confidence_of(found.signals, found.topics, fitted)
    gate = recipe.reject if found.pool else None
    refused = reject.reject(found.signals, sure, gate, judged_by, fitted) if gate else None
    hidden = bool(refused and gate and not gate.show_nearest)
    kept = trace.run("reject", found.pool, lambda: [] if hidden else found.pool, refused) if refused else found.pool
    pool = _choose(recipe, query, kept, found, trace)
    shown = hits.hits(pool, fetch.neighbours(store, recipe, query, pool))
    return Recall(
        id=id,
        query=query.text,
        recipe=recipe.name,
        at=query.at,
        hits=() if refused else shown,
        nearest=shown if refused else (),
        rejected=refused or (None if pool else hits.why_empty(found.seen)),
        confidence=sure if rankings(found.seen) else 0.0,
        signals=found.signals,
        past_moment=query.past_moment,
        trace=tuple(trace.steps),
    )


def _read(how: Read, query: Query, found: Found, trace: Trace) -> Found:
    """Reads the question with the best candidates, and scores them anew. Without a reader nothing changes."""
    start = time.perf_counter()
    chosen = reading.chosen(found.pool, how, query.moment)
    readings = shared(how.reader).read(query.text, reading.passages(chosen, query, how, found.around), query.moment)
    if readings is None:
        trace.note("read", found.pool, found.pool, start, "left out: the reader's model is missing")
        return found
    told = reading.told(chosen, readings)
    speakers = rank.Asked.of(query).naming(chosen).speakers
    pool = reading.rescored(found.pool, told, how, query, readings.current)
    trace.note("read", found.pool, pool, start, f"{len(told)} read")
    return replace(found, pool=pool, signals=reading.signals(found.signals, told, readings.among, speakers))


def _search(store: Store, asker: Asker, recipe: Recipe, query: Query, whole: Query, trace: Trace) -> Found:
    """routes → fuse → fetch → score. Speaker and time come from the whole question, even for one of its sides."""
    deep = group.deepened(query, recipe.group)
    seen = run(store, asker, recipe, deep, trace)
    start, found = time.perf_counter(), rankings(seen)
    fused = fuse.fuse(found, recipe.fuse, limit=deep.limit, embedder=asker.name, coverage=support(seen))
    trace.note("fuse", range(sum(map(len, found))), fused, start)
    fetched, around = _fetch(store, recipe, query, fused, trace)
    pool = _score(recipe, whole, fetched, around, trace)
    return Found(seen, pool, around, signals(seen, pool, query))


def _fetch(
    store: Store, recipe: Recipe, query: Query, fused: fuse.Fusion, trace: Trace
) -> tuple[list[Candidate], Neighbourhood]:
    start = time.perf_counter()
    read = foremost.fields(recipe, query, len(fused))
    chosen = foremost.foremost(recipe, query, fused, read, store.get(fused.ids, numbers=read)) if read else fused
    fetched, around = fetch.fetch(store, recipe, query, chosen)
    if len(fetched) < len(chosen) < len(fused):  # some have moved since the search: others take their places
        fetched, around = fetch.fetch(store, recipe, query, fused)
    note = "the others can't be among the best" if len(chosen) < len(fused) else ""
    trace.note("fetch", fused, fetched, start, note)
    return fetched, around


def _side(store: Store, asker: Asker, recipe: Recipe, query: Query, side: str, trace: Trace) -> Found:
    start = time.perf_counter()
    alone = question.one_side(query, side)
    whole = replace(query, about_the_past=alone.about_the_past)
    found = _search(store, asker, recipe, alone, whole, Trace())
    if query.sides_are_topics and recipe.read is not None and found.pool:
        found = _read(recipe.read, replace(alone, text=topic_question(side)), found, Trace())
    trace.note("topic" if query.sides_are_topics else "side", (), found.pool, start, side)
    return subquestions.of_side(found, side)


def _score(recipe: Recipe, query: Query, pool: list[Candidate], around: Neighbourhood, trace: Trace) -> list[Candidate]:
    """spread → rank → normalise → conflict"""
    for part in recipe.spread:
        pool = trace.run("spread", pool, partial(spread, pool, part, around), type(part).__name__)
    pool = trace.run("rank", pool, partial(rank.rank, pool, recipe.factors, query.at, rank.Asked.of(query)))
    if recipe.normalise:
        pool = trace.run("normalise", pool, partial(rank.normalise, pool, recipe.normalise))
    if recipe.conflicts:
        pool = trace.run("conflict", pool, partial(conflict.resolve, pool, recipe.conflicts, around, query.at))
    return pool


def _choose(recipe: Recipe, query: Query, pool: list[Candidate], found: Found, trace: Trace) -> list[Candidate]:
    """diversify → group → pack"""
    size = group.size(query)
    for how in (how for how in recipe.diversify if concerns(how, grouped=size is not None)):
        apart = partial(diversify, pool, how, found.around, query.limit)
        pool = trace.run("diversify", pool, apart, type(how).__name__)
    if size:
        pool = trace.run("group", pool, partial(group.group, pool, recipe.group, size), f"into {size}s")
    pool = pack.with_room(pool, found.firsts, query.limit)
    fitting = partial(pack.pack, pool, recipe.pack, limit=query.limit, budget_tokens=query.budget_tokens)
    return trace.run("pack", pool, fitting)
