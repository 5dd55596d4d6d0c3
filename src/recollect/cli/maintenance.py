"""Commands for contexts and maintenance: context, feedback, tend, consolidate, archive, retention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InvalidInput
from ..types import NEAREST_LAYER, Context, Memory, Retention, Tended
from . import input, show
from .app import command
from .options import At, Embedder, FarAhead, Filters, MaybeId, Place, Preview, Query, RecipeName, States, Yes, one_of

if TYPE_CHECKING:
    from ..recollect import Recollect

_LATEST = 1_000
"""How many events are searched for the last decay. Later steps of a run write events too."""
RECALL = "01a1df23-e81c-75b3-b0b6-137c6021006e"
ONE = "01a1df23-e81a-70d3-bf3d-299f22c3d42c"
_PLAIN = {
    "expired": "expired",
    "completed": "completed tasks",
    "decayed": "decayed",
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
        int, typer.Option("--budget-tokens", metavar="N", help="At most this many tokens of text.")
    ] = 16_000,
    team: Annotated[
        str | None,
        typer.Option("--team", metavar="NAMESPACE", help="Also include the pinned memories of this namespace."),
    ] = None,
    recipe: RecipeName = None,
    at: At = None,
    no_track: Annotated[bool, typer.Option("--no-track", help="Do not log or count the recalls.")] = False,
    embedder: Embedder = None,
) -> None:
    """Assemble the context for a prompt: pinned, team, recent, recalled, documents.

    The text is fenced as data. If no recall finds an answer, what comes nearest is in a layer of its own that begins
    with "probably not in memory; nearest:". The ids of the recalls go to stderr, for `recollect feedback`.

    `recollect assemble` is the same command.
    """
    question = input.text(query)
    with place.open(embedder=embedder, recipe=recipe) as mind:
        found = mind.assemble(question, budget_tokens=budget_tokens, team=team, at=at, track=not no_track)
    show.answer(place.as_json, found.to_dict(), lambda: _draw_context(found))
    if not found.text:
        show.nothing("the context is empty: store a first memory with `recollect add TEXT`")
    if not place.as_json:
        show.say(_layers(found))


def _draw_context(found: Context) -> None:
    texts = [(layer.name, show.printable(layer.text)) for layer in found.layers if layer.text]
    show.line("\n\n".join(show.dim(text) if name == NEAREST_LAYER else text for name, text in texts))


def _layers(found: Context) -> str:
    layers = " · ".join(f"{layer.name} {layer.tokens:,}" for layer in found.layers if layer.tokens)
    recalls = f" · recalls {' '.join(found.recalls)}" if found.recalls else ""
    return f"{found.tokens:,} tokens · {layers}{recalls}"


@command("feedback", f"recollect feedback {RECALL} \\\n  --used {ONE} --outcome helped")
def feedback(
    recall: Annotated[
        str, typer.Argument(metavar="RECALL", help="A recall's id from `recall` or `context`, or its beginning.")
    ],
    place: Place,
    used: Annotated[
        list[str] | None, typer.Option("--used", metavar="ID", help="The id of a hit that was used (repeatable).")
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
    """Say which hits of a recall were used, and whether they helped. A second feedback replaces the first."""
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
        said = "used   " if memory.id.startswith(tuple(used)) else "ignored"
        show.line(f"{said}  strength {memory.strength:.3f}  importance {memory.importance:.3f}  {show.row(memory)}")


@command("tend", "recollect tend --preview")
def tend(
    place: Place,
    preview: Preview = False,
    at: At = None,
    recipe: RecipeName = None,
    embedder: Embedder = None,
    force: FarAhead = False,
) -> None:
    """Run the maintenance that is due: expire, complete, decay, archive, consolidate, link.

    Age alone archives only messages, never a memory or a fact.

    Nothing is deleted. Run it as often as you like, for example every night.
    """
    with place.open(recipe=recipe, embedder=embedder) as mind:
        done = mind.tend(at=at, preview=preview, force=force)
        event = last_decay(mind) if done.decayed and not preview else None
    show.answer(place.as_json, done.to_dict(), lambda: _tended(done, event))


def last_decay(mind: Recollect) -> str | None:
    """The id of the latest decay, for `undo`."""
    latest = mind.store.events(limit=_LATEST)
    return next((event.id for event in latest if event.action == "decay"), None)


def _tended(done: Tended, event: str | None) -> None:
    counts = {_PLAIN[name]: count for name, count in done.counts.items() if count}
    if not counts:
        show.line("nothing is due")
    for name, count in counts.items():
        show.line(f"{count:>8,}  {name}")
    if event:
        show.line(f"to take the decay back: recollect undo {event}")
    if done.preview and counts:
        show.say("this is what `recollect tend` would do; nothing was changed")


@command("consolidate", "recollect consolidate --namespace acme/agents/ada --preview")
def consolidate(
    place: Place, preview: Preview = False, at: At = None, recipe: RecipeName = None, embedder: Embedder = None
) -> None:
    """Replace groups of similar memories by one summary each. `undo` brings the originals back."""
    with place.open(recipe=recipe, embedder=embedder) as mind:
        made = mind.consolidate(at=at, preview=preview)
    show.answer(place.as_json, [memory.to_dict() for memory in made], lambda: _summaries(made, preview))


def _summaries(made: Sequence[Memory], preview: bool) -> None:
    for memory in made:
        show.line(f"{len(memory.metadata['consolidates'])} memories → {show.printable(memory.text)}")
    if not made:
        show.line("no memories are similar enough to be consolidated")
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
    """Archive memories, by id or by filter.

    The recipe `default` still finds archived memories, with a lower score. Other recipes search them only with
    --include archived.
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
        show.nothing("there is nothing to archive: `recollect list` shows the memories")


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
        int | None, typer.Option("--expires-after-days", metavar="N", help="Memories expire after this many days.")
    ] = None,
    most_memories: Annotated[
        int | None,
        typer.Option("--most-memories", metavar="N", help="The weakest memories beyond this number are archived."),
    ] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Remove the namespace's limits.")] = False,
) -> None:
    """Show or set how long and how many memories a namespace keeps. `tend --preview` shows the effect."""
    wanted = {"expires_after_days": expires_after_days, "most_memories": most_memories}
    named = {name: value for name, value in wanted.items() if value is not None}
    if clear and named:
        raise InvalidInput("--clear removes all limits: give it alone")
    with place.open(make=bool(named)) as mind:
        rule = mind.retention()
        if clear or named:
            rule = mind.set_retention(**({} if clear else asdict(rule) | named))
    show.answer(place.as_json, asdict(rule), lambda: _rule(rule))


def _rule(rule: Retention) -> None:
    limits = {name.replace("_", " "): value for name, value in asdict(rule).items()}
    for name, value in limits.items():
        show.line(f"{name:>18}  {'no limit' if value is None else f'{value:,}'}")
