"""Commands between memories: link, unlink, supersede, contradict; and reinforce."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from ..types import LINK_KINDS
from . import show
from .app import command
from .options import MOMENT, Place, complete_link

First: TypeAlias = Annotated[str, typer.Argument(metavar="A", help="The memory the link starts from, by id.")]
Second: TypeAlias = Annotated[str, typer.Argument(metavar="B", help="The memory it leads to, by id.")]
ONE, OTHER = "01a1df23-e81a-70d3-bf3d-299f22c3d42c", "01a1df23-e7b1-73fd-be7b-df47e34d421a"


@command("link", f"recollect link {ONE} \\\n  {OTHER} --kind caused_by")
def link(
    a: First,
    b: Second,
    place: Place,
    kind: Annotated[
        str,
        typer.Option("--kind", metavar="KIND", help=f"{', '.join(LINK_KINDS)}.", autocompletion=complete_link),
    ] = "related",
    weight: Annotated[float, typer.Option("--weight", metavar="0..1", help="How strong it is.")] = 0.5,
) -> None:
    """Link two memories. `A caused_by B` means that B caused A."""
    with place.open() as mind:
        made = mind.link(a, b, kind, weight)
    show.answer(place.as_json, made.to_dict(), lambda: show.line(f"linked {made.a} {made.kind} {made.b}"))


@command("unlink", f"recollect unlink {ONE} \\\n  {OTHER}")
def unlink(
    a: First,
    b: Second,
    place: Place,
    kind: Annotated[
        str | None,
        typer.Option("--kind", metavar="KIND", help="Only the link of this kind.", autocompletion=complete_link),
    ] = None,
) -> None:
    """Remove the links from A to B."""
    with place.open() as mind:
        gone = mind.unlink(a, b, kind)
    kinds = ", ".join(each.kind for each in gone)
    show.answer(place.as_json, [each.to_dict() for each in gone], lambda: show.line(f"removed {kinds}"))


@command("supersede", f"recollect supersede {OTHER} \\\n  {ONE}")
def supersede(
    old: Annotated[str, typer.Argument(metavar="OLD", help="The id of the memory that is no longer valid.")],
    place: Place,
    new: Annotated[str | None, typer.Argument(metavar="NEW", help="The id of the memory that is valid now.")] = None,
    text: Annotated[str | None, typer.Option("--text", metavar="TEXT", help="Or its text.")] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar=MOMENT, help="With --text: when it changed. Default: now.")
    ] = None,
) -> None:
    """Mark an old memory as replaced by a new one, or by a new text. The old one is still found with --as-of. What was
    never right: `recollect update`."""
    with place.open() as mind:
        replaced = mind.supersede(old, new, text=text, since=since)
    new = new or replaced.also_changed[0]
    until = f"{replaced.valid_to:%Y-%m-%d}" if replaced.valid_to else "now"
    show.answer(
        place.as_json,
        replaced.to_dict(),
        lambda: show.line(f"{replaced.id} was valid until {until}; {new} replaces it"),
    )


@command("contradict", f"recollect contradict {OTHER} \\\n  {ONE}")
def contradict(
    a: Annotated[str, typer.Argument(metavar="A", help="The id of a memory.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The id of a memory that can't be true as well.")],
    place: Place,
) -> None:
    """Mark two memories that can't both be true. Recall then prefers the stronger one."""
    with place.open() as mind:
        made = mind.contradict(a, b)
    show.answer(place.as_json, made.to_dict(), lambda: show.line(f"linked {made.a} {made.kind} {made.b}"))


@command("reinforce", f"recollect reinforce {ONE}")
def reinforce(
    id: Annotated[str, typer.Argument(metavar="ID", help="The id of the memory.")],
    place: Place,
) -> None:
    """Raise the strength of a memory by one step, up to 1."""
    with place.open() as mind:
        stronger = mind.reinforce(id)
    show.answer(
        place.as_json, stronger.to_dict(), lambda: show.line(f"{stronger.id} has strength {stronger.strength:g}")
    )
