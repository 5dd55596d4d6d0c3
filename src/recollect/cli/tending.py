"""The life of memories: context, feedback, tend, consolidate, archive, retention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer

from ..errors import InvalidInput
from ..types import Context, Memory, Retention, Tended
from . import input, show
from .app import command
from .options import At, Embedder, Filters, MaybeId, Place, Preview, Query, RecipeName, States, Yes, one_of

RECALL = "01a1df23-e81c-75b3-b0b6-137c6021006e"
ONE = "01a1df23-e81a-70d3-bf3d-299f22c3d42c"
_PLAIN = {
    "expired": "expired",
    "completed": "completed tasks",
    "decayed": "faded",
    "archived": "archived",
    "consolidated": "consolidated",
    "summaries": "summaries made",
    "linked": "links made",
    "recovered": "passages read again",
}


@command(
    "context",
    """
    recollect context 'plan the trip to Porto' --budget-tokens 4000
    recollect context 'fix the build' --namespace acme/agents/ada --team acme
    """,
)
def context(
    query: Query,
    place: Place,
    budget_tokens: Annotated[
        int, typer.Option("--budget-tokens", metavar="N", help="No more text than this.")
    ] = 16_000,
    team: Annotated[
        str | None, typer.Option("--team", metavar="NAMESPACE", help="Also what this namespace shares.")
    ] = None,
    recipe: RecipeName = None,
    at: At = None,
    no_track: Annotated[bool, typer.Option("--no-track", help="Leave no trace: no counter, no log.")] = False,
    embedder: Embedder = None,
) -> None:
    """Put together what a prompt should hold: pinned, team, recent, recalled, documents.

    The text is fenced as data. The recalls it was made from go to stderr, for `recollect feedback`.
    """
    question = input.text(query)
    with place.open(embedder=embedder, recipe=recipe) as mind:
        found = mind.assemble(question, budget_tokens=budget_tokens, team=team, at=at, track=not no_track)
    show.answer(place.as_json, found.to_dict(), lambda: show.line(show.printable(found.text)))
    if not found.text:
        show.nothing("there is nothing to put into a context: `recollect add TEXT` makes the first memory")
    if not place.as_json:
        show.say(_layers(found))


def _layers(found: Context) -> str:
    layers = " · ".join(f"{layer.name} {layer.tokens:,}" for layer in found.layers if layer.tokens)
    recalls = f" · recalls {' '.join(found.recalls)}" if found.recalls else ""
    return f"{found.tokens:,} tokens · {layers}{recalls}"


@command("feedback", f"recollect feedback {RECALL} \\\n  --used {ONE} --outcome helped")
def feedback(
    recall: Annotated[str, typer.Argument(metavar="RECALL", help="A recall's id, as `recall` and `context` show it.")],
    place: Place,
    used: Annotated[
        list[str] | None, typer.Option("--used", metavar="ID", help="A hit that was used (repeatable).")
    ] = None,
    outcome: Annotated[
        str | None,
        typer.Option(
            "--outcome",
            metavar="WORD",
            help="helped, failed, or a number from -1 to 1.",
            autocompletion=one_of(lambda: ("helped", "failed")),
        ),
    ] = None,
) -> None:
    """Say which hits of a recall were used, and whether it helped. Said again, it replaces the former."""
    with place.open() as mind:
        found = mind.feedback(recall, used or (), _number(outcome))
    data = [memory.to_dict() for memory in found]
    show.answer(place.as_json, data, lambda: _credited(found, used or ()))


def _number(outcome: str | None) -> str | float | None:
    try:
        return None if outcome is None else float(outcome)
    except ValueError:
        return outcome


def _credited(found: Sequence[Memory], used: Sequence[str]) -> None:
    for memory in found:
        said = "used   " if memory.id in used else "ignored"
        show.line(f"{said}  strength {memory.strength:.3f}  importance {memory.importance:.3f}  {show.row(memory)}")


@command("tend", "recollect tend --preview")
def tend(
    place: Place, preview: Preview = False, at: At = None, recipe: RecipeName = None, embedder: Embedder = None
) -> None:
    """Do what is due: expire, complete, fade, archive, consolidate, link.

    Nothing is deleted. It can run as often as you like, for example every night.
    """
    with place.open(recipe=recipe, embedder=embedder) as mind:
        done = mind.tend(at=at, preview=preview)
    show.answer(place.as_json, done.to_dict(), lambda: _tended(done))


def _tended(done: Tended) -> None:
    counts = {_PLAIN[name]: count for name, count in done.counts.items() if count}
    if not counts:
        show.line("nothing is due")
    for name, count in counts.items():
        show.line(f"{count:>8,}  {name}")
    if done.preview and counts:
        show.say("this is what `recollect tend` would do; nothing was changed")


@command("consolidate", "recollect consolidate --namespace acme/agents/ada --preview")
def consolidate(
    place: Place, preview: Preview = False, at: At = None, recipe: RecipeName = None, embedder: Embedder = None
) -> None:
    """Replace groups of memories that say much the same by one each. `undo` brings them back."""
    with place.open(recipe=recipe, embedder=embedder) as mind:
        made = mind.consolidate(at=at, preview=preview)
    show.answer(place.as_json, [memory.to_dict() for memory in made], lambda: _summaries(made, preview))


def _summaries(made: Sequence[Memory], preview: bool) -> None:
    for memory in made:
        show.line(f"{len(memory.metadata['consolidates'])} memories → {show.printable(memory.text)}")
    if not made:
        show.line("no memories say so much the same that one could stand for several")
    elif preview:
        show.say("nothing was changed")


@command(
    "archive",
    f"""
    recollect archive {ONE}
    recollect archive --until 2025-01-01 --preview
    """,
)
def archive(
    filters: Filters, states: States, place: Place, id: MaybeId = None, preview: Preview = False, yes: Yes = False
) -> None:
    """Put memories out of the way, by id or by filter.

    They are found only when nothing better is there, or with --include archived.
    """
    chosen = filters.given() | states.given()
    if id is not None and chosen:
        raise InvalidInput("give an id or filters, not both")
    if id is None and place.namespace is not None:
        chosen["namespace"] = place.namespace
    with place.open() as mind:
        found = mind.archive(id, preview=True, **chosen)
        if found and not preview:
            if id is None:
                input.agreed(f"archive {len(found):,} memories?", yes)
            found = mind.archive(id, **chosen)
    data = {"preview": preview, "count": len(found), "ids": [memory.id for memory in found]}
    show.answer(place.as_json, data, lambda: _archived(found, preview))
    if not found:
        show.nothing("there is nothing to archive: `recollect list` shows what is there")


def _archived(found: Sequence[Memory], preview: bool) -> None:
    if preview:
        show.memories(found)
        show.say(f"this would archive {len(found):,}; nothing was changed")
    elif found:
        show.line(f"archived {len(found):,}; `recollect update ID --tier searchable` brings one back")


@command(
    "retention",
    """
    recollect retention --namespace acme/support
    recollect retention --namespace acme/support --expires-after-days 365
    """,
)
def retention(
    place: Place,
    expires_after_days: Annotated[
        int | None, typer.Option("--expires-after-days", metavar="N", help="How long memories last.")
    ] = None,
    most_memories: Annotated[
        int | None, typer.Option("--most-memories", metavar="N", help="How many stay in sight.")
    ] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Take the namespace's limits away.")] = False,
) -> None:
    """Show or set how long and how much a namespace keeps in sight. `tend --preview` shows what it means."""
    wanted = {"expires_after_days": expires_after_days, "most_memories": most_memories}
    named = {name: value for name, value in wanted.items() if value is not None}
    if clear and named:
        raise InvalidInput("--clear takes all limits away: give it alone")
    with place.open(make=bool(named)) as mind:
        rule = mind.retention()
        if clear or named:
            rule = mind.set_retention(**({} if clear else asdict(rule) | named))
    show.answer(place.as_json, asdict(rule), lambda: _rule(rule))


def _rule(rule: Retention) -> None:
    limits = {name.replace("_", " "): value for name, value in asdict(rule).items()}
    for name, value in limits.items():
        show.line(f"{name:>18}  {'no limit' if value is None else f'{value:,}'}")
