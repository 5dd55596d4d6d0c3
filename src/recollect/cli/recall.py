"""Commands that search: recall and compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

import typer

from ..recollect import Recollect
from ..types import Recall
from . import input, show
from .app import command
from .options import At, Embedder, Filters, Limit, Place, Query, RecipeName, complete_recipe, complete_status

_MOST_NAMED = 8
"""How many namespaces a hint names."""
Include = Annotated[
    list[str] | None,
    typer.Option(
        "--include",
        metavar="STATUS",
        help="Search memories with this status instead of the recipe's; archived adds archived ones (repeatable).",
        autocompletion=complete_status,
    ),
]
Also = Annotated[
    list[str] | None,
    typer.Option("--also", metavar="NAMESPACE", help="Search this namespace as well (repeatable)."),
]


@command(
    "recall",
    """
    recollect recall 'which theme does Ada like?' --explain
    recollect recall 'open bugs' --tag atlas --since 2026-01-01 --json
    """,
)
def recall(
    query: Query,
    filters: Filters,
    place: Place,
    limit: Limit = 5,
    recipe: RecipeName = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show how every score was computed.")] = False,
    at: At = None,
    include: Include = None,
    also: Also = None,
    budget_tokens: Annotated[
        int | None, typer.Option("--budget-tokens", metavar="N", help="Return at most this many tokens of text.")
    ] = None,
    no_track: Annotated[bool, typer.Option("--no-track", help="Do not log or count this recall.")] = False,
    embedder: Embedder = None,
) -> None:
    """Find the memories that answer a question. Exit status 1 when the answer is not in memory.

    What comes nearest to a refused question is shown below "probably not in memory; nearest:". A hit is marked
    "earlier" if a newer memory gives another value of the same thing.
    """
    question = input.text(query)
    with place.open(embedder=embedder, recipe=recipe) as mind:
        found = mind.recall(
            question,
            limit=limit,
            at=at,
            include=include,
            budget_tokens=budget_tokens,
            track=not no_track,
            **filters.given(),
            **_places(mind.namespace, also),
        )
        if not found.hits:
            found = replace(found, rejected=_with_namespaces(mind, [mind.namespace, *(also or ())], found.rejected))
    show.answer(place.as_json, found.to_dict(), lambda: _draw(found, explain))
    if not found.hits:
        show.nothing(f"not in memory: {found.rejected or 'nothing matches the question and its filters'}")
    if not place.as_json and not explain:
        show.say(show.sure(found))


def _with_namespaces(mind: Recollect, places: Sequence[str], why: str | None) -> str | None:
    """The reason; if the namespaces have no memory, also which others there are."""
    if any(mind.stats(path).by_kind for path in places):
        return why
    known = ", ".join(list(mind.namespaces())[:_MOST_NAMED]) or "none yet"
    return f"nothing is stored in {' or '.join(map(repr, places))}; namespaces: {known}"


def _places(namespace: str, also: list[str] | None) -> dict[str, Any]:
    return {"namespaces": [namespace, *also]} if also else {}


def _draw(found: Recall, explain: bool) -> None:
    if explain:
        from .draw import explained

        explained(found)
    else:
        show.hits(found)


@command("compare", "recollect compare 'which theme?' --recipe memx --recipe default")
def compare(
    query: Query,
    filters: Filters,
    place: Place,
    recipes: Annotated[
        list[str] | None,
        typer.Option(
            "--recipe",
            metavar="NAME",
            help="A recipe's name or a .toml file (repeatable); default: all.",
            autocompletion=complete_recipe,
        ),
    ] = None,
    limit: Limit = 5,
    at: At = None,
    include: Include = None,
    also: Also = None,
    embedder: Embedder = None,
) -> None:
    """Ask the same question with several recipes and compare the ranks. Nothing is logged or counted."""
    question = input.text(query)
    with place.open(embedder=embedder) as mind:
        moment = {"at": at} if at else {}
        asked = {**filters.given(), **_places(mind.namespace, also), **moment}
        found = mind.compare(question, recipes, limit=limit, include=include, **asked)

    def draw() -> None:
        from .draw import compared

        compared(found)

    show.answer(place.as_json, found.to_dict(), draw)
    if not found.memories:
        show.nothing("not in memory: no recipe found anything")
