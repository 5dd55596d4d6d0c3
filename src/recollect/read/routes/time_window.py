"""Searches by meaning among memories from the time that the question names."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from ...recipes.recipe import TimeWindow
from ...store.protocol import Store
from ...text.moments import add_days
from ...types import Filter, Query
from . import Sighted, ranked

if TYPE_CHECKING:
    from ...types import Vector as Floats


MOST_TIMES = 4
"""Each time costs a search. A question that names more is a pasted text."""


def search(store: Store, route: TimeWindow, query: Query, asked: Floats | None) -> Sighted:
    past = list(dict.fromkeys(span for span in query.spans if span[0] <= query.at))[:MOST_TIMES]
    if asked is None or not past:
        return Sighted(of_all=False, note="the question names no past time" if not past else "no embedder")
    limit = route.depth.of(query.limit)
    cosines: dict[str, float] = {}
    for start, end in past:
        within = _within(query.filter, add_days(start, -route.slack_days), add_days(end, route.slack_days))
        cosines |= store.search_vector(asked, route.view, within, limit=limit)
    return Sighted(sightings=ranked(route.name, "cosine", cosines, list(cosines.values()), limit), of_all=False)


def _within(filter: Filter, start: datetime, end: datetime) -> Filter:
    """The filter, limited to both the caller's bounds and the question's."""
    since = start if filter.since is None else max(start, filter.since)
    until = end if filter.until is None else min(end, filter.until)
    return replace(filter, since=since, until=until)
