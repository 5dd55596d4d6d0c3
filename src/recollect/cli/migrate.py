"""The command that copies a memory from one store to another."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Annotated

import typer

from ..progress import progress
from . import show
from .app import command
from .options import Place


@command(
    "migrate",
    """
    recollect migrate agent.db postgresql://ada@db.example.org/memory
    recollect migrate postgresql://ada@db.example.org/memory agent.db
    """,
)
def migrate(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="The store to copy: a path or a URL.")],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="An empty or new store: a path or a URL.")],
    place: Place,
) -> None:
    """Copy a memory between SQLite and PostgreSQL.

    Copies ids, vectors, links, history and statistics, and verifies them at the end. After an interruption, the same
    command continues where it stopped. The source is not changed.
    """
    from ..keep.migrate import migrate as run

    with ExitStack() as stack:
        moved = run(source, target, lambda total: stack.enter_context(progress("moving", total)))
    show.answer(place.as_json, moved.to_dict(), lambda: _draw(moved.target, moved.counts))


def _draw(target: str, counts: dict[str, int]) -> None:
    show.numbers(counts)
    show.line(f"everything is in {target} and was verified there")
