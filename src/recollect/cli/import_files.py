"""The command that imports: our own exports, and the files of other programs."""

from __future__ import annotations

import shutil
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InvalidInput
from . import input, show
from .app import command
from .options import Embedder, Place
from .store import scratch
from .surface import BAD_INPUT

if TYPE_CHECKING:
    from ..imports import Imported

_SHOWN = 20
"""So many broken records are printed; --json has more."""
_EXPORT = b'{"type": "recollect"'


@command(
    "import",
    """
    recollect import memories.jsonl --db agent.db
    recollect import conversations.json --dry-run
    recollect import ~/vault --namespace ada/notes
    recollect import facts.csv --column text=Fact --column at=Date
    recollect import notes.txt --lines
    gunzip -c memories.jsonl.gz | recollect import -
    """,
)
def import_(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A file or a folder; - reads an export from stdin.")],
    place: Place,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be imported; store nothing.")] = False,
    columns: Annotated[
        list[str] | None,
        typer.Option("--column", metavar="FIELD=COLUMN", help="For CSV: which column has this field (repeatable)."),
    ] = None,
    lines: Annotated[
        bool, typer.Option("--lines", help="Of a text or Markdown file: each line or list item is a memory.")
    ] = False,
    embedder: Embedder = None,
) -> None:
    """Import an export, or what other programs wrote. The format is recognised. A second import adds nothing.

    Reads conversations of ChatGPT, claude.ai and Claude Code, memories of mem0 (results, history.db, Qdrant folder),
    LangGraph, OpenMem and the MCP memory server, folders of Obsidian and basic-memory, CSV and JSON lines. A record
    that can't be read is listed and skipped. An export of recollect is imported completely or not at all.
    """
    from_stdin = path == input.STDIN
    with scratch(from_stdin, path) as source:
        if from_stdin:
            with source.open("wb") as file:
                shutil.copyfileobj(sys.stdin.buffer, file)
        if _is_export(source):
            _import_export(source, place, embedder, dry_run)
        else:
            _import_other(source, place, embedder, dry_run, _mapping(columns), lines)


def _is_export(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_EXPORT)) == _EXPORT


def _import_export(source: Path, place: Place, embedder: str | None, dry_run: bool) -> None:
    if dry_run:
        raise InvalidInput("--dry-run is for files of other programs: an export is imported completely or not at all")
    with place.open(make=True, embedder=embedder) as mind:
        added = mind.import_(source, progress=True)
    show.answer(place.as_json, {"imported": added}, lambda: show.line(f"imported {_memories(added, 'new')}"))


def _import_other(
    source: Path, place: Place, embedder: str | None, dry_run: bool, columns: dict[str, str], lines: bool
) -> None:
    from ..imports import import_from

    with place.open_without_making() if dry_run else place.open(make=True, embedder=embedder) as mind:
        done = import_from(mind, source, columns=columns, preview=dry_run, show=True, lines=lines)
    data = {"imported": done.added, **asdict(done), "dry_run": dry_run}
    del data["ids"]  # as many as there are memories
    show.answer(place.as_json, data, lambda: _draw(done, dry_run))
    for broken in done.broken[:_SHOWN]:
        show.say(f"skipped {broken.where}: {broken.why}")
    if done.skipped > _SHOWN:
        show.say(f"and {done.skipped - _SHOWN:,} more records were skipped; --json lists them")
    if done.skipped and not (done.added or done.known or done.conversations):
        raise typer.Exit(BAD_INPUT)


def _draw(done: Imported, dry_run: bool) -> None:
    verb = "would import" if dry_run else "imported"
    spoken = show.counted(done.conversations, "conversation")
    if dry_run and done.conversations:
        first = f"{verb} {spoken} and {_memories(done.added, 'other')}"
    else:
        first = f"{verb} {_memories(done.added, 'new')}" + (f" from {spoken}" if done.conversations else "")
    links, known = show.counted(done.links, "link"), show.counted(done.known, "record")
    replaced = f", {done.replaced:,} replaced" if done.replaced else ""
    show.line(f"{first}, {links}; {known} known already{replaced}, {done.skipped:,} skipped")


def _memories(number: int, which: str) -> str:
    return show.counted(number, f"{which} memory", f"{which} memories")


def _mapping(columns: list[str] | None) -> dict[str, str]:
    found: dict[str, Any] = {}
    for each in columns or ():
        name, equals, column = each.partition("=")
        if not equals or not column:
            raise InvalidInput(f"--column {each!r}: write FIELD=COLUMN, such as text=Fact")
        found[name.strip()] = column.strip()
    return found
