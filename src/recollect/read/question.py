"""Checks a caller's question and filters, and makes a query of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from typing import Any, Literal

from .. import checks
from ..checks.where import parse_where
from ..errors import InvalidInput, UnknownName
from ..recipes.recipe import Recipe
from ..text.analyze import analyze_query, answer_terms, words_outside_requests
from ..text.comparisons import comparison_sides
from ..text.moments import in_zone
from ..text.question_time import asks_about_the_past, asks_when
from ..text.topics import question_topics, stands_alone
from ..types import GRANULARITIES, STATUSES, TIERS, Filter, Query, Status, Tier

IN_SIGHT: tuple[Tier, ...] = ("pinned", "searchable")
MOST_QUERY_CHARS = 20_000
_EITHER: tuple[Literal["past", "future"], ...] = ("past", "future")
GROUPS = ("round", "session")
"""Granularities that are groups of turns and facts."""


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
    zone: tzinfo = UTC,
) -> Query:
    """`zone` is where words such as "yesterday" are meant."""
    checks.text(text, "query")
    past = recipe.past_questions and asks_about_the_past(text[:MOST_QUERY_CHARS])
    statuses, tiers = _admitted(recipe, filter, include, past=past)
    live_at = None if "expired" in statuses else filter.as_of or at
    sides = comparison_sides(text) if recipe.split_comparisons else ()
    topics = question_topics(text) if recipe.split_topics and not sides else ()
    wanted = None if granularity is None else checks.one_of("granularity", granularity, GRANULARITIES)
    leaves = () if wanted in (None, *GROUPS) else (wanted,)
    return Query(
        text=text,
        filter=replace(filter, statuses=statuses, tiers=tiers, granularities=leaves, live_at=live_at),
        granularity=wanted,
        at=at,
        limit=checks.count("limit", limit),
        budget_tokens=None if budget_tokens is None else checks.count("budget_tokens", budget_tokens),
        **_words(text[:MOST_QUERY_CHARS]),
        spans=_spans(text, in_zone(at, zone)) if recipe.needs_dates else (),
        about_the_past=past,
        asks_when=recipe.past_questions and asks_when(text[:MOST_QUERY_CHARS]),
        sides=sides or topics,
        sides_are_topics=bool(topics),
        search_archived_too=recipe.second_look and include is None and not recipe.search_archived,
    )


def ask(given: Mapping[str, Any], *, own: str, recipe: Recipe, at: datetime, zone: tzinfo) -> Query:
    """The query that `recall`'s arguments mean, by their names. `own` is the caller's namespace."""
    names = ("kinds", "tags", "session_id", "since", "until", "as_of", "where")
    inside = namespaces(own, given["namespace"], given["namespaces"])
    return query(
        given["query"],
        recipe=recipe,
        filter=filter_from(namespaces=inside, **{name: given[name] for name in names}),
        at=at,
        limit=given["limit"],
        budget_tokens=given["budget_tokens"],
        include=given["include"],
        granularity=given["granularity"],
        zone=zone,
    )


def one_side(query: Query, side: str) -> Query:
    """The same query with the text of one side. A topic that stands alone asks about its own time."""
    own = query.sides_are_topics and stands_alone(side)
    return replace(
        query,
        text=side,
        **_words(side),
        about_the_past=query.about_the_past and (not own or asks_about_the_past(side)),
        asks_when=query.asks_when and (not own or asks_when(side)),
        sides=(),
        sides_are_topics=False,
    )


def _words(text: str) -> dict[str, Any]:
    terms = analyze_query(text)
    return {
        "content": terms.content,
        "stop": terms.stop,
        "words": words_outside_requests(text),
        "telling": answer_terms(terms.content),
        "codes": _codes(text),
    }


def _codes(text: str) -> tuple[str, ...]:
    if not any(map(str.isdigit, text)):
        return ()
    from ..text.codes import find_codes  # its patterns take time to compile

    return find_codes(text)


def _spans(text: str, at: datetime) -> tuple[tuple[datetime, datetime], ...]:
    """The times that the question names: whole days in the zone of `at`, as moments in UTC.

    "What about Thursday?" asks for the last Thursday and for the next one.
    """
    from ..text.dates import find_dates  # its patterns take time to compile

    found = [span for tense in _EITHER for span in find_dates(text[:MOST_QUERY_CHARS], at, tense)]
    return tuple(dict.fromkeys((in_zone(span.start, UTC), in_zone(span.end, UTC)) for span in found))


def _admitted(
    recipe: Recipe, filter: Filter, include: Sequence[str] | None, *, past: bool
) -> tuple[tuple[Status, ...], tuple[Tier, ...]]:
    if include is None:
        # a memory that was superseded later still held at that moment
        held = (*recipe.statuses, "superseded") if filter.as_of or past else recipe.statuses
        return tuple(dict.fromkeys(held)), TIERS if recipe.search_archived else IN_SIGHT
    named = checks.several_of("include", include, (*STATUSES, "archived"))
    statuses = tuple(name for name in named if name != "archived") or recipe.statuses
    return statuses, TIERS if "archived" in named else IN_SIGHT


def filter_from(
    *,
    namespaces: Sequence[str],
    kinds: str | Sequence[str] | None = None,
    tags: str | Sequence[str] | None = None,
    statuses: str | Sequence[str] | None = None,
    tiers: str | Sequence[str] | None = None,
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
        kinds=checks.choice("kinds", kinds),
        tags=checks.choice("tags", tags),
        statuses=checks.several_of("status", statuses, STATUSES),
        tiers=checks.several_of("tier", tiers, TIERS),
        granularities=() if granularity is None else (checks.one_of("granularity", granularity, GRANULARITIES),),
        session_id=checks.optional("session_id", session_id),
        since=start,
        until=end,
        as_of=checks.moment("as_of", as_of),
        where=parse_where(where),
    )


def filter_of(own: str, filters: Mapping[str, Any]) -> Filter:
    """The filter that a caller's keywords mean; without a namespace it is the caller's `own`."""
    values = dict(filters)
    inside = namespaces(own, values.pop("namespace", None), values.pop("namespaces", None))
    known = filter_from.__kwdefaults__ or {}
    for name in values:
        if name not in known:
            raise UnknownName("filter", name, known)
    return filter_from(namespaces=inside, **values)


def namespaces(own: str, one: str | None, several: Sequence[str] | None) -> Sequence[str]:
    """The namespaces to search: those that were given, or the caller's `own`."""
    if one is not None and several is not None:
        raise InvalidInput("give namespace or namespaces, not both")
    if isinstance(several, str) or not isinstance(several or (), Sequence):
        raise InvalidInput(f"namespaces must be a list of paths, not {several!r}")
    if len(several or ()) > checks.MOST_TAGS:
        raise InvalidInput(f"namespaces has {len(several or ())} entries, more than {checks.MOST_TAGS}")
    return several or (own if one is None else one,)
