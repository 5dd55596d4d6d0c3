"""The command that saves what can be read of a damaged file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from . import show
from .app import command
from .options import Embedder, Place
from .surface import UNUSABLE_STORE

if TYPE_CHECKING:
    from ..keep.recover import Lost, Recovered

_SHOWN = 20


@command(
    "recover",
    """
    recollect recover agent.db saved.db
    recollect recover agent.db saved.db --json > lost.json
    """,
)
def recover(
    damaged: Annotated[str, typer.Argument(metavar="DB", help="The damaged SQLite file.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The file to write; it must not exist yet.")],
    place: Place,
    embedder: Embedder = None,
) -> None:
    """Save what can be read of a damaged store into a new one, and list what can't.

    Stop programs that use the store first. DB is only read, with the log (-wal) next to it. A memory whose row was
    altered is saved in quarantine: `recollect list --status quarantined` shows it. Words are made again, and so are
    vectors that are damaged. Exit status 3 when something is lost.
    """
    from ..keep.recover import recover as run

    done = run(damaged, new, embedder=embedder, show=True)
    show.answer(place.as_json, done.to_dict(), lambda: _draw(done))
    if not done.complete:
        show.say(f"not everything could be saved: {damaged} is unchanged, keep it until you have checked {new}")
        raise typer.Exit(UNUSABLE_STORE)


def _draw(done: Recovered) -> None:
    show.numbers(done.saved)
    for lost in done.lost:
        show.line(_named(lost))
    if done.altered:
        show.line(f"altered, now in quarantine: {_few(done.altered)}")
    if done.embedded:
        show.line(f"made the vectors of {done.embedded:,} memories again")
    if done.without_vector:
        show.line(f"{done.without_vector:,} memories have no vector: run `recollect reembed --db {done.target}`")
    if done.chain == "begun anew":
        show.line("the hash chain of the log begins anew, because the saved events do not give its last hash")
    if done.complete:
        show.line(f"everything is in {done.target}")


def _named(lost: Lost) -> str:
    parts = [f"{len(lost.keys):,} rows ({_few(lost.keys)})"] if lost.keys else []
    parts += [f"rows {'?' if first is None else first} to {'?' if last is None else last}" for first, last in lost.rows]
    parts += [f"unreadable pages {_few(tuple(map(str, lost.pages)))}"] if lost.pages else []
    return f"lost of the table {lost.table}: {'; '.join(parts)}"


def _few(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _SHOWN:,} more (see --json)" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
