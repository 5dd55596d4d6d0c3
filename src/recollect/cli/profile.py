"""The commands profile and brief."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import Annotated

import typer

from ..types import Brief, Profile, ProfileStatement, Replaced
from . import show
from .app import command
from .options import MOMENT, At, Place

_INDENT = "      "


@command(
    "profile",
    """
    recollect profile
    recollect profile Ada --as-of 2026-03-01
    """,
)
def profile(
    place: Place,
    subject: Annotated[
        str | None,
        typer.Argument(metavar="SUBJECT", help="A person or thing by name; user or me is the owner of the memory."),
    ] = None,
    as_of: Annotated[
        str | None, typer.Option("--as-of", metavar=MOMENT, help="What was valid at this moment, instead of now.")
    ] = None,
    at: At = None,
) -> None:
    """Show what holds now about a person or thing, with dates, sources and what it replaced.

    Without SUBJECT: the owner of the memory, and those with the most statements. With SUBJECT, each entry has the
    commands that correct it.
    """
    with place.open() as mind:
        found = mind.profile(subject, as_of=as_of, at=at)
    show.answer(place.as_json, found.to_dict(), lambda: _draw(found, place, subject is not None))
    if not found.subjects:
        show.nothing(_unknown(subject))
    if not place.as_json:
        _advise(found, subject)


def _unknown(subject: str | None) -> str:
    if subject is None:
        return "nothing is known yet: store a first memory with `recollect add TEXT`"
    return f"nothing is known about {subject}: `recollect profile` shows who and what is known"


def _advise(found: Profile, subject: str | None) -> None:
    if found.truncated:
        show.say("older statements were left out: give a SUBJECT, or ask with `recollect recall`")
    if subject is None:
        show.say(
            "to correct an entry: `recollect update ID --text TEXT`, `recollect forget ID` or `recollect undo EVENT`; "
            "`recollect profile SUBJECT` shows these commands for each entry"
        )


def _draw(found: Profile, place: Place, commands: bool) -> None:
    for number, subject in enumerate(found.subjects):
        if number:
            show.line()
        show.line(show.bold(show.printable(subject.name)))
        for group in subject.groups:
            more = f" ({group.more:,} more)" if group.more else ""
            show.line(f"  {group.heading}{show.dim(more)}")
            for statement in group.statements:
                _entry(statement, found.namespace, place, commands)


def _entry(statement: ProfileStatement, namespace: str, place: Place, commands: bool) -> None:
    show.line(f"    {show.wrapped(show.printable(statement.text), 4)}")
    place_below = [statement.namespace] if statement.namespace != namespace else []
    own = [] if commands else [statement.id]
    show.line(show.dim(_INDENT + show.printable(" · ".join([*statement.facts, *place_below, *own]))))
    for other in statement.contradicts:
        show.line(f"{_INDENT}but: {other} says otherwise")
    for former in statement.replaced:
        _was(former, place, commands)
    if commands:
        change, forget = _line(place, "update", statement.id, "--text", "TEXT"), _line(place, "forget", statement.id)
        show.line(show.dim(f"{_INDENT}{change}\n{_INDENT}{forget}"))


def _was(former: Replaced, place: Place, commands: bool) -> None:
    text = show.wrapped(show.printable(former.text), len(_INDENT) + 5)
    show.line(f"{_INDENT}was: {text}{show.dim(f' ({former.period})')}")
    if former.event is not None:
        undo = _line(place, "undo", former.event) if commands else f"event {former.event}"
        show.line(show.dim(f"{_INDENT}     {undo}"))


def _line(place: Place, *words: str) -> str:
    """A command line for the same store."""
    store = [] if place.db is None else ["--db", place.db]
    return shlex.join(["recollect", *words, *store])


@command(
    "brief",
    """
    recollect brief s1
    recollect brief s1 --extractor openai:MODEL@URL
    """,
)
def brief(
    place: Place,
    session: Annotated[str, typer.Argument(metavar="SESSION", help="The id of the conversation.")],
    extractor: Annotated[
        str | None,
        typer.Option("--extractor", metavar="NAME", help="openai:MODEL@URL lets a model add a summary."),
    ] = None,
    at: At = None,
) -> None:
    """Show what a session told, what that replaced or contradicts, and what is still to come."""
    with place.open() as mind:
        found = mind.brief(session, extractor=extractor, at=at)
    show.answer(place.as_json, found.to_dict(), lambda: _draw_brief(found))
    if found.summary_failed:
        show.say(f"the model gave no summary: {found.summary_failed}")


def _draw_brief(found: Brief) -> None:
    for line in replace(found, summary_failed="").text.split("\n"):
        show.line(show.printable(line))
