"""The command that stores conversations and documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InvalidInput
from . import input, show
from .app import command
from .options import MOMENT, Embedder, Place, RecipeName, one_of
from .surface import BAD_INPUT

if TYPE_CHECKING:
    from ..write.conversations.ingest import Ingested
    from ..write.conversations.transcripts import Conversation
    from ..write.documents.ingest import Documents

HOWS = ("hybrid", "turn", "fact", "round", "session", "session+round")
_JSON = (".json", ".jsonl", ".ndjson")


@dataclass(slots=True)
class _Given:
    """The files that were named, by sort."""

    conversations: list[Conversation] = field(default_factory=list)
    documents: list[Path] = field(default_factory=list)
    cut: list[str] = field(default_factory=list)
    """A message for each file that ends in the middle of a line."""


@command(
    "ingest",
    """
    recollect ingest chat.json --session trip --at 2026-05-20
    recollect ingest ~/.claude/projects/atlas/*.jsonl conversations.json
    recollect ingest notes/ README.md --namespace acme/docs
    my-agent --dump | recollect ingest - --session s1
    """,
)
def ingest(
    paths: Annotated[
        list[str],
        typer.Argument(metavar="PATH...", help="Transcripts, text files or folders; - reads a transcript from stdin."),
    ],
    place: Place,
    session_id: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="The id of the conversation, if the file has none.")
    ] = None,
    at: Annotated[
        str | None,
        typer.Option("--at", metavar=MOMENT, help="When the conversation took place, if the file does not say."),
    ] = None,
    granularity: Annotated[
        str,
        typer.Option(
            "--granularity",
            metavar="SIZE",
            help=f"{', '.join(HOWS)}.",
            autocompletion=one_of(lambda: HOWS),
        ),
    ] = "hybrid",
    extractor: Annotated[
        str | None,
        typer.Option("--extractor", metavar="NAME", help="What extracts facts: rules, or openai:MODEL@URL."),
    ] = None,
    embedder: Embedder = None,
    recipe: RecipeName = None,
) -> None:
    """Store conversations, or text files as chunks. Running it again adds only what is new.

    Reads a JSON list of messages with role and content, objects with session_id, at and messages, JSON lines of
    either, Claude Code transcripts and ChatGPT's conversations.json. Markdown and text files, and folders of them,
    become documents.
    """
    found = _sorted(paths)
    if not found.conversations and (session_id or at or granularity != "hybrid"):
        raise InvalidInput("--session, --at and --granularity are for conversations, not for documents")
    conversations = _with_defaults(found.conversations, session_id, at)
    with place.open(make=True, embedder=embedder, recipe=recipe) as mind:
        taken = mind.ingest_many(conversations, granularity=granularity, extractor=extractor, progress=True)
        read = mind.ingest_documents(found.documents, progress=True) if found.documents else None
    data = _data(taken, read, found.cut)
    show.answer(place.as_json, data, lambda: _drawn(data))
    for line in [*found.cut, *(read.skipped if read else ())]:
        show.say(line)
    if read and read.skipped and not (conversations or read.read or read.unchanged):
        raise typer.Exit(BAD_INPUT)


def _sorted(paths: Sequence[str]) -> _Given:
    from ..write.conversations.transcripts import read, read_file

    found = _Given()
    for name in paths:
        path = None if name == input.STDIN else Path(name)
        if path is not None and _is_document(path):
            found.documents.append(path)
            continue
        transcript = read(input.stdin(), "stdin") if path is None else read_file(path)
        found.conversations += transcript.conversations
        if transcript.cut is not None:
            found.cut.append(
                f"{name} ends in the middle of line {transcript.cut}: everything before it was stored; "
                "ingest the file again when it is complete"
            )
    return found


def _is_document(path: Path) -> bool:
    from ..write.conversations.transcripts import text_of
    from ..write.documents.ingest import SUFFIXES

    if path.is_dir() or path.suffix.lower() in SUFFIXES:
        return True
    if path.suffix.lower() in _JSON or not path.is_file():
        return False
    return not text_of(path).lstrip().startswith(("{", "["))


def _with_defaults(found: Sequence[Conversation], session_id: str | None, at: str | None) -> list[Conversation]:
    if session_id is not None and len(found) != 1:
        raise InvalidInput(f"--session names one conversation, and there are {len(found)} of them")
    kept = [each for each in found if each["messages"]]  # exports hold chats that were never begun
    if found and not kept:
        raise InvalidInput("the conversation is empty: there is nothing to ingest")
    return [{**each, "session_id": session_id or each["session_id"], "at": each["at"] or at} for each in kept]


def _data(taken: Sequence[Ingested], read: Documents | None, cut: Sequence[str]) -> dict[str, Any]:
    sessions = [
        {
            "session_id": done.session_id,
            "added": [memory.id for memory in done.added],
            "merged": len(done.merged),
            "changed": [memory.id for memory in done.changed],
            "unchanged": done.unchanged,
        }
        for done in taken
    ]
    return {"conversations": sessions, "documents": asdict(read) if read else None, "cut": list(cut)}


def _drawn(data: dict[str, Any]) -> None:
    if sessions := data["conversations"]:
        added, changed = (sum(len(done[name]) for done in sessions) for name in ("added", "changed"))
        merged, unchanged = (sum(done[name] for done in sessions) for name in ("merged", "unchanged"))
        what = "1 conversation" if len(sessions) == 1 else f"{len(sessions):,} conversations"
        show.line(
            f"{what}: {added:,} memories added, {merged:,} merged with what was there, "
            f"{changed:,} changed, {unchanged:,} unchanged"
        )
    if documents := data["documents"]:
        show.line(
            f"{show.counted(len(documents['read']), 'file')} read: {show.counted(documents['chunks'], 'chunk')} added, "
            f"{documents['replaced']:,} replaced; {show.counted(len(documents['unchanged']), 'file')} unchanged, "
            f"{len(documents['skipped']):,} skipped"
        )
