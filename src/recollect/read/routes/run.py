"""Runs the routes of a recipe."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Protocol

from ...recipes.recipe import Graph, Lexical, Recipe, Route, TimeWindow, Vector
from ...store.protocol import Store
from ...types import Query, Ranking, Step
from ..trace import Trace
from . import Sighted, graph, lexical, time_window, vector

if TYPE_CHECKING:
    from ...types import Vector as Floats


class Asker(Protocol):
    """Turns the question into a vector, if it can."""

    @property
    def name(self) -> str | None: ...

    def vector(self, text: str) -> Floats | None: ...


def run(store: Store, asker: Asker, recipe: Recipe, query: Query, trace: Trace) -> dict[str, Sighted]:
    """What each route saw, by its name. Routes run at the same time where the store can do that."""
    asked = asker.vector(query.text) if recipe.vector_routes else None
    found = store.gather([partial(_timed, store, route, query, asked) for route in recipe.routes])
    for route, (sighted, spent) in zip(recipe.routes, found, strict=True):
        step = Step(stage=f"route {route.name}", into=0, out=len(sighted.sightings), note=sighted.note, ms=spent)
        trace.steps.append(step)
    return {route.name: sighted for route, (sighted, _) in zip(recipe.routes, found, strict=True)}


def rankings(seen: dict[str, Sighted]) -> list[Ranking]:
    """Those of all routes that found something."""
    return [found.sightings for found in seen.values() if found.sightings]


def support(seen: dict[str, Sighted]) -> dict[str, float]:
    """How much of the question the best memory of each lexical route holds."""
    return {name: found.support for name, found in seen.items() if found.top_similarity is None}


def _timed(store: Store, route: Route, query: Query, asked: Floats | None) -> tuple[Sighted, float]:
    start = time.perf_counter()
    return _search(store, route, query, asked), (time.perf_counter() - start) * 1000


def _search(store: Store, route: Route, query: Query, asked: Floats | None) -> Sighted:
    match route:
        case Lexical():
            return lexical.search(store, route, query)
        case Vector():
            return vector.search(store, route, query, asked)
        case Graph():
            return graph.search(store, route, query)
        case TimeWindow():
            return time_window.search(store, route, query, asked)
