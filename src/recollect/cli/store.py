"""Commands on the store: decay, namespaces, figures, checks, backups, exports."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ..errors import InvalidInput
from ..store.values import Finding
from . import input, show
from .app import callback, command, group
from .maintenance import last_decay
from .options import At, Embedder, FarAhead, Filters, Force, Place, RecipeName
from .surface import UNUSABLE_STORE

if TYPE_CHECKING:
    from ..keep.repair import Repaired

_MARKS = {"ok": ("ok  ", "green"), "warn": ("warn", "yellow"), "fail": ("fail", "red")}


@command("decay", "recollect decay --at 2026-12-01")
def decay(place: Place, at: At = None, recipe: RecipeName = None, force: FarAhead = False) -> None:
    """Lower the strength of memories by the time passed. A second run changes nothing more. `undo` takes it back."""
    with place.open(recipe=recipe) as mind:
        changed = mind.decay(at=at, force=force)
        event = last_decay(mind) if changed else None

    def draw() -> None:
        show.line(f"{changed:,} memories decayed")
        if event:
            show.line(f"to take it back: recollect undo {event}")

    show.answer(place.as_json, {"changed": changed, "event": event}, draw)


# Namespaces ---------------------------------------------------------------------------------------

namespaces_group = group("namespaces", "List namespaces, or rename and merge them.")


@callback(
    namespaces_group,
    """
    recollect namespaces
    recollect namespaces move acme/agents/ada acme/archive/ada
    """,
)
def namespaces(ctx: typer.Context, place: Place) -> None:
    """List the namespaces with the number of their memories. `namespaces move` renames and merges them."""
    if ctx.invoked_subcommand is not None:
        return place.refuse_before(ctx.invoked_subcommand)
    with place.open() as mind:
        found = {path: count for path, count in mind.namespaces().items() if _is_under(path, place.namespace)}
    show.answer(place.as_json, found, lambda: _namespaces(found))
    if not found:
        show.nothing("there is no namespace yet: create one with `recollect add TEXT`")


def _is_under(path: str, above: str | None) -> bool:
    return above is None or path == above or path.startswith(f"{above}/")


def _namespaces(found: dict[str, int]) -> None:
    for path, count in found.items():
        show.line(f"{count:>8,}  {show.printable(path)}")


@command("move", "recollect namespaces move acme/agents/ada acme/archive/ada", of=namespaces_group)
def move(
    old: Annotated[str, typer.Argument(metavar="OLD", help="The namespace to move, with those below it.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="Its new name; an existing one is merged.")],
    filters: Filters,
    place: Place,
    id: Annotated[str | None, typer.Option("--id", metavar="ID", help="Move only this memory.")] = None,
) -> None:
    """Rename a namespace with those below it, or merge it into another.

    With --id or filters, only those memories move, with what was made from them, such as the facts of a turn.
    """
    with place.open() as mind:
        moved = mind.move(old, new, id=id, **filters.given())
    show.answer(place.as_json, {"moved": moved}, lambda: show.line(f"moved {moved:,} memories from {old} to {new}"))


# Looking after it ---------------------------------------------------------------------------------


@command("stats", "recollect stats --namespace acme")
def stats(place: Place) -> None:
    """Count what is in the store, or in one namespace of it."""
    with place.open() as mind:
        counts = mind.stats(place.namespace)
    found = {name: value for name, value in asdict(counts).items() if name != "extra" or value}
    show.answer(place.as_json, found, lambda: show.numbers(found))


@command(
    "check",
    """
    recollect check --db agent.db
    recollect check --repair
    """,
)
def check(
    place: Place,
    repair: Annotated[
        bool, typer.Option("--repair", help="Mend words, vectors, counts and indexes from the rows.")
    ] = False,
    chain_head: Annotated[
        str | None, typer.Option("--chain-head", metavar="HASH", help="A hash that `recollect chain` printed before.")
    ] = None,
) -> None:
    """Read every row, and check that checksums, words, vectors, links and logs agree, and the chain of events is whole.

    Exit status 3 when they do not. --repair makes derived data again and says what it did. If rows themselves are
    damaged, it changes nothing: `recollect recover` saves the other rows.
    """
    from ..store.chain import head as head_of

    done = _repaired(place, chain_head) if repair else None
    with place.open_store() as store:
        findings = store.check(chain_head=chain_head) if done is None else done.left
        head = None if findings else head_of(store)  # a damaged store may not tell
    data = [asdict(finding) for finding in findings] if done is None else done.to_dict()
    show.answer(place.as_json, data, lambda: _draw_check(findings, done, head))
    if findings:
        show.say(f"{len(findings)} findings: {findings[0].mend}")
        raise typer.Exit(UNUSABLE_STORE)


def _repaired(place: Place, chain_head: str | None) -> Repaired:
    from ..keep.repair import repair

    with place.open() as mind:
        return repair(mind.store, mind.embedder, chain_head=chain_head, show=True)


def _draw_check(findings: Sequence[Finding], done: Repaired | None, head: str | None) -> None:
    for finding in done.mended if done else ():
        show.line(f"mended: {finding.what} ({finding.count:,})")
    if done and done.embedded:
        show.line(f"made the vectors of {done.embedded:,} memories again")
    for finding in findings:
        show.line(f"{finding.what}: {finding.count:,} ({finding.mend})")
    if not findings:
        chained = "" if head is None else ", and the chain of events is whole"
        show.line(f"all is well: rows, words, vectors and links agree{chained}")


@command(
    "chain",
    """
    recollect chain on --db agent.db
    recollect chain
    """,
)
def chain(
    place: Place,
    switch: Annotated[
        Literal["on", "off"] | None, typer.Argument(metavar="[on|off]", help="Without it, the state is shown.")
    ] = None,
) -> None:
    """Make the event log a hash chain, which `recollect check` verifies.

    The switch is part of the store: every program that writes to it goes on with the chain.
    """
    with place.open() as mind:
        head = mind.chain(None if switch is None else switch == "on")
    shown = "the chain is off" if head is None else f"the chain is on; hash of the last event: {head}"
    show.answer(place.as_json, {"head": head}, lambda: show.line(shown))


@command("doctor", "recollect doctor")
def doctor(place: Place, embedder: Embedder = None) -> None:
    """Show what is in use, and what to do about problems.

    Checks the store, the model, the settings and the versions. Exit status 3 when something does not work.
    """
    with place.open(embedder=embedder) as mind:
        advice = mind.doctor()

    def draw() -> None:
        for each in advice:
            mark, colour = _MARKS[each.state]
            show.line(f"{show.styled(mark, colour)}  {each.what}{f': {each.do}' if each.do else ''}")

    show.answer(place.as_json, [each.to_dict() for each in advice], draw)
    if any(each.state == "fail" for each in advice):
        show.say("something does not work: see the lines marked fail")
        raise typer.Exit(UNUSABLE_STORE)


@command(
    "row-security",
    """
    recollect row-security on --db postgresql://ada@db.example.org/memory
    recollect row-security
    """,
)
def row_security(
    place: Place,
    switch: Annotated[
        Literal["on", "off"] | None, typer.Argument(metavar="[on|off]", help="Without it, the state is shown.")
    ] = None,
) -> None:
    """Let PostgreSQL itself limit each key of the server to its namespace.

    The first time, your user needs the right to make a role. Start servers again afterwards.
    """
    from ..store.operated import Operated

    with place.open() as mind:
        store = mind.store
        if not isinstance(store, Operated):
            raise InvalidInput(f"row security is for a PostgreSQL store, and {mind.url} is a file")
        if switch is not None:
            store.set_row_security(switch == "on")
        on = store.has_row_security
    show.answer(place.as_json, {"on": on}, lambda: show.line(f"row security is {'on' if on else 'off'}"))


@command("reembed", "recollect reembed --embedder recollect-multilingual")
def reembed(place: Place, embedder: Embedder = None) -> None:
    """Fill in missing vectors, or change to another model.

    With another --embedder, all vectors are made anew. The command can be stopped and run again.
    """
    settings = place.settings()
    # the store still has its former embedder: a setting for the new one must not stop us from opening it
    with place.open(settings=replace(settings, embedder="")) as mind:
        done = mind.reembed(embedder or settings.embedder or None, progress=True)
        name = mind.embedder.name
    data = {"embedded": done, "embedder": name}
    show.answer(place.as_json, data, lambda: show.line(f"embedded {done:,} memories with {name}"))


# Files --------------------------------------------------------------------------------------------


@command("backup", "recollect backup agent-2026-11-02.db")
def backup(
    path: Annotated[str, typer.Argument(metavar="PATH", help="The copy; it must not exist yet.")], place: Place
) -> None:
    """Copy the store, and check the copy. Other programs can go on writing meanwhile.

    A damaged store is not copied: `recollect recover` saves what can be read of it.
    """
    with place.open() as mind:
        made = mind.backup(path)
    show.answer(place.as_json, {"backup": str(made)}, lambda: show.line(f"copied to {made}"))


@command("restore-backup", "recollect restore-backup agent-2026-11-02.db --db agent.db --force")
def restore_backup(
    path: Annotated[str, typer.Argument(metavar="PATH", help="The backup.")],
    place: Place,
    force: Force = False,
) -> None:
    """Replace the store by a backup.

    Stop programs that use the store first; it is refused while one has it open. The backup is checked, and the old
    store is kept next to it as .replaced-TIMESTAMP. A kill at any moment leaves the old store or the new one.
    """
    from .restore_backup import replace_store

    if "://" in place.path:
        raise InvalidInput(f"a database is not replaced by a file: use `recollect migrate {path} URL`")
    target = Path(place.path)
    aside = replace_store(target, Path(path), force=force)
    data = {"store": str(target), "from": path, "kept": str(aside) if aside else None}

    def draw() -> None:
        show.line(f"{target} is now what {path} was")
        if aside:
            show.line(f"what was there before is {aside}")

    show.answer(place.as_json, data, draw)


@command(
    "export",
    """
    recollect export memories.jsonl --namespace acme
    recollect export - | gzip > memories.jsonl.gz
    """,
)
def export(
    path: Annotated[str, typer.Argument(metavar="PATH", help="The file to write; - writes to stdout.")],
    place: Place,
    force: Force = False,
) -> None:
    """Write memories with their links, history and recalls as JSON lines: all, or those of a namespace."""
    to_stdout = path == input.STDIN
    if not to_stdout and Path(path).is_file() and not force:
        raise InvalidInput(f"{path} exists already: choose another name, or overwrite it with --force")
    with place.open() as mind, scratch(to_stdout, path) as target:
        written = mind.export(target, namespace=place.namespace, overwrite=force, progress=True)
        if to_stdout:
            _copy_to_stdout(target)
    if to_stdout:
        show.say(f"exported {written:,} memories")
    else:
        data = {"exported": written, "path": path}
        show.answer(place.as_json, data, lambda: show.line(f"exported {written:,} memories to {path}"))


@contextmanager
def scratch(wanted: bool, path: str) -> Iterator[Path]:
    """The path itself, or a temporary file in place of a pipe."""
    if not wanted:
        yield Path(path)
        return
    with tempfile.TemporaryDirectory(prefix="recollect-") as folder:
        yield Path(folder) / "memories.jsonl"


def _copy_to_stdout(source: Path) -> None:
    with source.open("rb") as file:
        sys.stdout.flush()
        shutil.copyfileobj(file, sys.stdout.buffer)
