"""Commands on single memories: add, get, list, update, forget, restore, purge, pin, history, undo."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any

import typer

from ..errors import InvalidInput, UnknownName
from ..recollect import Recollect
from ..types import Memory
from . import input, show
from .app import command
from .options import (
    MOMENT,
    Embedder,
    Filters,
    Id,
    MaybeId,
    Place,
    Preview,
    RecipeName,
    States,
    Yes,
    complete_kind,
    complete_status,
    complete_tier,
    one_of,
)

CLEARED: dict[str, Any] = {
    "tags": [],
    "entities": [],
    "gist": "",
    "metadata": {},
    "source": None,
    "occurred_at": None,
    "valid_to": None,
    "expires_at": None,
}
"""The value that `update --clear` gives a field."""


@dataclass(frozen=True, kw_only=True)
class About:
    """The fields of a memory besides its text."""

    kind: Annotated[
        str | None,
        typer.Option(
            "--kind", metavar="KIND", help="fact, preference, procedure … (any word).", autocompletion=complete_kind
        ),
    ] = None
    tags: Annotated[list[str] | None, typer.Option("--tag", metavar="TAG", help="A tag (repeatable).")] = None
    entities: Annotated[
        list[str] | None, typer.Option("--entity", metavar="NAME", help="A person or thing it is about (repeatable).")
    ] = None
    gist: Annotated[str | None, typer.Option("--gist", metavar="TEXT", help="A short title.")] = None
    importance: Annotated[float | None, typer.Option("--importance", metavar="0..1", help="How important it is.")] = (
        None
    )
    confidence: Annotated[float | None, typer.Option("--confidence", metavar="0..1", help="How certain it is.")] = None
    metadata: Annotated[
        str | None, typer.Option("--metadata", metavar="JSON", help="Your own fields, which --where can filter by.")
    ] = None
    occurred_at: Annotated[
        str | None, typer.Option("--occurred-at", metavar=MOMENT, help="When it happened, if not now.")
    ] = None
    expires_at: Annotated[
        str | None, typer.Option("--expires-at", metavar=MOMENT, help="It is not recalled after this moment.")
    ] = None
    source: Annotated[str | None, typer.Option("--source", metavar="TEXT", help="Where it comes from.")] = None

    def given(self) -> dict[str, Any]:
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        values["metadata"] = input.json_object("--metadata", self.metadata)
        return {name: value for name, value in values.items() if value is not None}


@command(
    "add",
    """
    recollect add 'Ada prefers dark mode' --kind preference --tag ui
    recollect add --lines - < notes.txt
    """,
)
def add(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to remember; - reads it from stdin.")],
    about: About,
    place: Place,
    lines: Annotated[bool, typer.Option("--lines", help="With -: store every line as its own memory.")] = False,
    session_id: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="The conversation it belongs to.")
    ] = None,
    at: Annotated[str | None, typer.Option("--at", metavar=MOMENT, help="When it was learned, if not now.")] = None,
    no_dedup: Annotated[bool, typer.Option("--no-dedup", help="Store it even if it is a duplicate.")] = False,
    embedder: Embedder = None,
    recipe: RecipeName = None,
) -> None:
    """Store a text as a memory. A duplicate is merged into the memory that is there.

    `recollect remember` is the same command.
    """
    texts = input.lines(text) if lines else [input.text(text)]
    common = about.given() | {"session_id": session_id, "at": at, "dedup": not no_dedup}
    with place.open(make=True, embedder=embedder, recipe=recipe) as mind:
        stored = mind.remember_many([{"text": each, **common} for each in texts], progress=lines)
    data = [memory.to_dict() for memory in stored]
    show.answer(place.as_json, data if lines else data[0], lambda: _added(stored, lines))


def _added(stored: Sequence[Memory], lines: bool) -> None:
    merged = [memory for memory in stored if memory.merged_into]
    if lines:
        show.line(f"remembered {len(stored) - len(merged):,}, merged {len(merged):,}")
    elif merged:
        show.line(f"merged into {merged[0].merged_into}: it is a duplicate")
    else:
        show.line(f"remembered {stored[0].id}")
        for id in stored[0].superseded:
            show.line(f"it supersedes {id}; `recollect history {id}` says why")


@command("get", "recollect get 01a1df23-e81c-75b3-b0b6-137c6021006e --links")
def get(
    id: Id,
    place: Place,
    links: Annotated[bool, typer.Option("--links", help="Also show the memories linked with it.")] = False,
) -> None:
    """Show all fields of one memory. Counts as an access."""
    with place.open() as mind:
        memory = mind.get(id)
        around = list(mind.neighbours(memory.id)) if links else []
    data = memory.to_dict()
    if links:
        data["links"] = [link.to_dict() | {"text": other.text} for link, other in around]

    def draw() -> None:
        show.whole(memory)
        for link, other in around:
            way = "→" if link.a == memory.id else "←"
            show.line(f"{way} {link.kind} {show.dim(f'{link.weight:g}')}  {show.row(other)}")

    show.answer(place.as_json, data, draw)


@command(
    "list",
    """
    recollect list --kind preference --tag ui --limit 20
    recollect list --status forgotten
    """,
)
def list_(
    filters: Filters,
    states: States,
    place: Place,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", metavar="N", help="At most this many; default: all.")
    ] = None,
    after: Annotated[
        str | None, typer.Option("--after", metavar="ID", help="Continue after this id, the last of the previous page.")
    ] = None,
) -> None:
    """List memories, newest first. Forgotten ones only with --status forgotten."""
    with place.open() as mind:
        found = mind.list(limit=limit, after=after, **filters.given(), **states.given())
    show.answer(place.as_json, [memory.to_dict() for memory in found], lambda: show.memories(found))
    if not found:
        show.nothing("no memory matches: leave out a filter, or name another --namespace")


@command("update", "recollect update 01a1df23-e81c-75b3-b0b6-137c6021006e --importance 0.9")
def update(
    id: Id,
    about: About,
    place: Place,
    text: Annotated[str | None, typer.Option("--text", metavar="TEXT", help="The new text; - reads stdin.")] = None,
    strength: Annotated[
        float | None, typer.Option("--strength", metavar="0..1", help="How strong it is; decay lowers it.")
    ] = None,
    status: Annotated[
        str | None,
        typer.Option("--status", metavar="STATUS", help="Such as completed.", autocompletion=complete_status),
    ] = None,
    tier: Annotated[
        str | None,
        typer.Option("--tier", metavar="TIER", help="pinned, searchable or archived.", autocompletion=complete_tier),
    ] = None,
    valid_from: Annotated[
        str | None, typer.Option("--valid-from", metavar=MOMENT, help="It is valid from this moment.")
    ] = (None),
    valid_to: Annotated[
        str | None, typer.Option("--valid-to", metavar=MOMENT, help="It is valid until this moment.")
    ] = None,
    clear: Annotated[
        list[str] | None,
        typer.Option(
            "--clear",
            metavar="FIELD",
            help="Empty a field, such as tags or expires_at (repeatable).",
            autocompletion=one_of(lambda: tuple(CLEARED)),
        ),
    ] = None,
    embedder: Embedder = None,
) -> None:
    """Change fields of a memory. Tags and entities are replaced. `history` keeps the old values."""
    named = {"strength": strength, "status": status, "tier": tier, "valid_from": valid_from, "valid_to": valid_to}
    changed = about.given() | {name: value for name, value in named.items() if value is not None} | _cleared(clear)
    if text is not None:
        changed["text"] = input.text(text)
    if not changed:
        raise InvalidInput("nothing to change: name a field, such as --importance 0.9 (see `recollect update --help`)")
    with place.open(embedder=embedder) as mind:
        memory = mind.update(id, **changed)
    show.answer(place.as_json, memory.to_dict(), lambda: show.line(f"updated {memory.id}{_others(memory)}"))


def _others(memory: Memory) -> str:
    """What a call changed together with a memory."""
    return f" and {_counted(len(memory.also_changed))} with it" if memory.also_changed else ""


def _cleared(names: Sequence[str] | None) -> dict[str, Any]:
    for name in names or ():
        if name not in CLEARED:
            raise UnknownName("field to clear", name, CLEARED)
    return {name: CLEARED[name] for name in names or ()}


@command(
    "forget",
    """
    recollect forget 01a1df23-e81c-75b3-b0b6-137c6021006e
    recollect forget --tag draft --until 2025-01-01 --preview
    """,
)
def forget(
    filters: Filters,
    states: States,
    place: Place,
    id: MaybeId = None,
    preview: Preview = False,
    yes: Yes = False,
) -> None:
    """Hide memories, by id or by filter, with what was made from them, such as the facts of a turn.

    `restore` brings them back. What a forgotten memory had replaced holds again.
    """
    _remove("forget", Recollect.forget, id, _chosen(id, filters, states, place), place, preview, yes)


@command(
    "purge",
    """
    recollect purge 01a1df23-e81c-75b3-b0b6-137c6021006e
    recollect purge --status forgotten --yes
    """,
)
def purge(
    filters: Filters,
    states: States,
    place: Place,
    id: MaybeId = None,
    preview: Preview = False,
    yes: Yes = False,
) -> None:
    """Delete memories for good, by id or by filter. Text, vectors and history leave the file.

    What was made from them alone goes too, such as the facts of a turn and summaries. --preview lists all of it.
    """
    _remove("purge", Recollect.purge, id, _chosen(id, filters, states, place), place, preview, yes)


def _chosen(id: str | None, filters: Filters, states: States, place: Place) -> dict[str, Any]:
    chosen = filters.given() | states.given()
    if id is not None and chosen:
        raise InvalidInput("give an id or filters, not both")
    if id is None and place.namespace is not None:
        chosen["namespace"] = place.namespace
    return chosen


def _remove(
    action: str,
    remove: Callable[..., Sequence[Memory]],
    id: str | None,
    chosen: dict[str, Any],
    place: Place,
    preview: bool,
    yes: bool,
) -> None:
    with place.open() as mind:
        found = remove(mind, id, preview=True, **chosen)
        if found and not preview:
            if id is None:
                input.agreed(f"{action} {_counted(len(found))}?", yes)
            found = remove(mind, id, **chosen)
    others = [memory for memory in found if action == "forget" and not preview and memory.status != "forgotten"]
    found = [memory for memory in found if memory not in others]
    data = {"action": action, "preview": preview, "count": len(found), "ids": [memory.id for memory in found]}
    data["also_changed"] = [memory.id for memory in others]
    show.answer(place.as_json, data, lambda: _removed(action, found, others, preview))
    if not found:
        show.nothing(f"there is nothing to {action}: `recollect list` shows the memories")


def _removed(action: str, found: Sequence[Memory], others: Sequence[Memory], preview: bool) -> None:
    if preview:
        show.memories(found)
        show.say(f"this would {action} {_counted(len(found))}; nothing was changed")
    elif found:
        done = {"forget": "forgot", "purge": "purged"}[action]
        changed = f"; {_counted(len(others))} changed with it" if others else ""
        show.line(f"{done} {_counted(len(found))}{changed}")


def _counted(count: int) -> str:
    return "1 memory" if count == 1 else f"{count:,} memories"


@command("restore", "recollect restore 01a1df23-e81c-75b3-b0b6-137c6021006e")
def restore(id: Id, place: Place) -> None:
    """Bring back a forgotten memory with what was forgotten along with it, or release a quarantined one."""
    with place.open() as mind:
        memory = mind.restore(id)
    done = f"restored {memory.id}: {memory.status}{_others(memory)}"
    show.answer(place.as_json, memory.to_dict(), lambda: show.line(done))


@command("pin", "recollect pin 01a1df23-e81c-75b3-b0b6-137c6021006e")
def pin(id: Id, place: Place, off: Annotated[bool, typer.Option("--off", help="Unpin it.")] = False) -> None:
    """Pin a memory: it becomes part of every context."""
    with place.open() as mind:
        memory = mind.pin(id, not off)
    done = "unpinned" if off else "pinned"
    show.answer(place.as_json, memory.to_dict(), lambda: show.line(f"{done} {memory.id}"))


@command("history", "recollect history 01a1df23-e81c-75b3-b0b6-137c6021006e")
def history(id: Id, place: Place) -> None:
    """Show the events of a memory, oldest first. `undo` takes the ids at the start of the lines."""
    with place.open() as mind:
        events = mind.history(id)
    show.answer(place.as_json, [event.to_dict() for event in events], lambda: show.events(events))


@command("undo", "recollect undo 01a1df23-e816-743d-8887-c7b25abf9c7d")
def undo(
    event: Annotated[
        str, typer.Argument(metavar="EVENT", help="An event's id from `recollect history`, or its beginning.")
    ],
    place: Place,
    embedder: Embedder = None,
) -> None:
    """Undo one event, such as a merge, an update or a link."""
    with place.open(embedder=embedder) as mind:
        undone = mind.undo(event)
    show.answer(
        place.as_json,
        undone.to_dict(),
        lambda: show.line(f"undid {undone.detail['undoes']} (this is event {undone.id})"),
    )
