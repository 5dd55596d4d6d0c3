"""A caller's question and filters, checked and made into a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from .. import checks
from ..checks.where import parse_where
from ..errors import InvalidInput
from ..recipes.recipe import Recipe
from ..text.analyze import analyze_query, answer_terms, words_outside_requests
from ..text.comparisons import comparison_sides
from ..types import GRANULARITIES, STATUSES, TIERS, Filter, Query, Status, Tier

IN_SIGHT: tuple[Tier, ...] = ("pinned", "searchable")
MOST_QUERY_CHARS = 20_000
GROUPS = ("round", "session")
"""Granularities that are put together from turns and facts."""


def query(
    text: str,
    *,
    recipe: Recipe,
    filter: Filter,
    at: datetime,
    limit: int,
    budget_tokens: int | None,
    include: Sequence[str] | None,
    granularity: str | None = None,
) -> Query:
    checks.text(text, "query")
    statuses, tiers = _admitted(recipe, filter, include)
    wanted = None if granularity is None else checks.one_of("granularity", granularity, GRANULARITIES)
    leaves = () if wanted in (None, *GROUPS) else (wanted,)
    return Query(
        text=text,
        filter=replace(filter, statuses=statuses, tiers=tiers, granularities=leaves, live_at=filter.as_of or at),
        granularity=wanted,
        at=at,
        limit=checks.count("limit", limit),
        budget_tokens=None if budget_tokens is None else checks.count("budget_tokens", budget_tokens),
        **_words(text[:MOST_QUERY_CHARS]),
        spans=_spans(text, at) if recipe.needs_dates else (),
        sides=comparison_sides(text) if recipe.split_comparisons else (),
        look_further=include is None,
    )


def one_side(query: Query, side: str) -> Query:
    """The same asked for one of its sides alone."""
    return replace(query, text=side, **_words(side), sides=())


def _words(text: str) -> dict[str, Any]:
    terms = analyze_query(text)
    return {
        "content": terms.content,
        "stop": terms.stop,
        "words": words_outside_requests(text),
        "telling": answer_terms(terms.content),
    }


def _spans(text: str, at: datetime) -> tuple[tuple[datetime, datetime], ...]:
    from ..text.dates import find_dates  # its patterns take time to compile

    return tuple((span.start, span.end) for span in find_dates(text[:MOST_QUERY_CHARS], at))


def _admitted(
    recipe: Recipe, filter: Filter, include: Sequence[str] | None
) -> tuple[tuple[Status, ...], tuple[Tier, ...]]:
    if include is None:
        # what was superseded since then still held at that moment
        held = (*recipe.statuses, "superseded") if filter.as_of else recipe.statuses
        return tuple(dict.fromkeys(held)), IN_SIGHT
    named = checks.several_of("include", include, (*STATUSES, "archived"))
    statuses = tuple(name for name in named if name != "archived") or recipe.statuses
    return statuses, TIERS if "archived" in named else IN_SIGHT


def filter_from(
    *,
    namespaces: Sequence[str],
    kinds: Sequence[str] | None = None,
    tags: Sequence[str] | None = None,
    statuses: Sequence[str] | None = None,
    tiers: Sequence[str] | None = None,
    granularity: str | None = None,
    session_id: str | None = None,
    since: str | datetime | None = None,
    until: str | datetime | None = None,
    as_of: str | datetime | None = None,
    where: Mapping[str, Any] | None = None,
) -> Filter:
    start, end = checks.moment("since", since), checks.moment("until", until)
    if start and end and start >= end:
        raise InvalidInput(f"since ({since}) must come before until ({until})")
    return Filter(
        namespaces=tuple(dict.fromkeys(checks.path(path) for path in namespaces)),
        kinds=checks.labels("kinds", kinds),
        tags=checks.labels("tags", tags),
        statuses=checks.several_of("status", statuses, STATUSES),
        tiers=checks.several_of("tier", tiers, TIERS),
        granularities=() if granularity is None else (checks.one_of("granularity", granularity, GRANULARITIES),),
        session_id=checks.optional("session_id", session_id),
        since=start,
        until=end,
        as_of=checks.moment("as_of", as_of),
        where=parse_where(where),
    )
