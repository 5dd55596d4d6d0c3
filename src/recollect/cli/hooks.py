"""Commands for the hooks of assistants: install, show, pause, resume, uninstall."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from ..hooks.assistants import DEFAULT, assistant
from . import input, show
from .app import callback, command, group
from .mcp import server_options, started_program
from .options import Place, Yes

if TYPE_CHECKING:
    from ..serve.mcp.settings.files import Change

hooks_group = group("hooks", "Let an assistant recall before each prompt and remember each session by itself.")

Project: TypeAlias = Annotated[
    bool, typer.Option("--project", help="Your own settings of the project in the current folder, not those of all.")
]
Client: TypeAlias = Annotated[str, typer.Option("--client", metavar="NAME", help="claude-code, codex or gemini.")]
PreviewOnly: TypeAlias = Annotated[bool, typer.Option("--preview", help="Only show what would change.")]


@callback(
    hooks_group,
    """
    recollect hooks install
    recollect hooks show
    recollect hooks uninstall
    """,
)
def hooks(ctx: typer.Context, place: Place) -> None:
    """Let an assistant recall before each prompt and remember each session by itself. Shows what is installed."""
    if ctx.invoked_subcommand is not None:
        return place.refuse_before(ctx.invoked_subcommand)
    show_hooks(place)


@command(
    "install",
    """
    recollect hooks install
    recollect hooks install --client codex
    recollect hooks install --project --db ~/agent.db --yes
    """,
    of=hooks_group,
)
def install(
    place: Place,
    client: Client = DEFAULT,
    project: Project = False,
    only_print: Annotated[bool, typer.Option("--print", help="Print what to paste; write nothing.")] = False,
    preview: PreviewOnly = False,
    yes: Yes = False,
) -> None:
    """Add hooks to an assistant's settings, after showing what will change.

    A session starts with what is pinned and recent. Each prompt comes with what recall finds for it. When the session
    ends, its conversation is stored. A hook takes at most two seconds; without an answer by then, it adds nothing."""
    from ..hooks import install as work

    chosen, commands = assistant(client), _commands(place, client)
    if only_print:
        return show.answer(True, {work.SECTION: work.entries(chosen, commands)}, lambda: None)
    change = work.plan(_file(client, project), chosen, commands)
    if _agreed(change, preview, yes):
        work.write(change, _traces())
    _say(place, change, f"wrote {change.path}: {chosen.afterwards}", preview)


@command("uninstall", "recollect hooks uninstall", of=hooks_group)
def uninstall(
    place: Place,
    client: Client = DEFAULT,
    project: Project = False,
    preview: PreviewOnly = False,
    yes: Yes = False,
) -> None:
    """Remove the hooks from an assistant's settings. Memories stay."""
    from ..hooks import install as work

    change = work.plan_undo(_file(client, project), _traces())
    if _agreed(change, preview, yes):
        work.write_undo(change, _traces())
    _say(place, change, f"removed them from {change.path}", preview)


@command("show", "recollect hooks show", of=hooks_group)
def show_hooks(place: Place, client: Client = DEFAULT, project: Project = False) -> None:
    """Show which hooks are installed, whether they are paused, and what went wrong last."""
    from ..hooks import install as work
    from ..hooks import state

    path = _file(client, project)
    found, problem = work.installed(path), state.last_problem()
    data = {"path": str(path), "hooks": found, "paused": state.is_paused(), "last_problem": problem}

    def draw() -> None:
        for event, run in found.items():
            show.line(f"{event}: {show.printable(run)}")
        show.line(f"{path} has {len(found) or 'no'} hooks of ours{', which are paused' if state.is_paused() else ''}")
        if problem:
            show.line(f"last problem: {show.printable(problem)}")

    show.answer(place.as_json, data, draw)


@command("pause", "recollect hooks pause", of=hooks_group)
def pause(place: Place) -> None:
    """Let the hooks do nothing until `recollect hooks resume`."""
    _set_paused(place, True)


@command("resume", "recollect hooks resume", of=hooks_group)
def resume(place: Place) -> None:
    """Let the hooks work again."""
    _set_paused(place, False)


def _set_paused(place: Place, paused: bool) -> None:
    from ..hooks import state

    state.pause(paused)
    done = "paused: hooks add nothing and store nothing" if paused else "hooks work again"
    show.answer(place.as_json, {"paused": paused}, lambda: show.line(done))


def _agreed(change: Change, preview: bool, yes: bool) -> bool:
    if change.before == change.after or preview:
        return False
    show.line(show.printable(change.diff).rstrip(), sys.stderr)
    input.agreed(f"change {change.path}?", yes)
    return True


def _say(place: Place, change: Change, done: str, preview: bool) -> None:
    written = change.before != change.after and not preview
    data = {"path": str(change.path), "written": written, "diff": change.diff}
    shown = show.printable(change.diff).rstrip() or f"{change.path} needs no change"
    show.answer(place.as_json, data, lambda: show.line(done if written else shown))


def _file(client: str, project: bool) -> Path:
    return assistant(client).settings_file(Path.cwd() if project else None)


def _commands(place: Place, client: str) -> dict[str, str]:
    join = subprocess.list2cmdline if sys.platform == "win32" else shlex.join
    options = [*([] if client == DEFAULT else ["--client", client]), *server_options(place)]
    return {
        event: join([*started_program(), "hooks", "run", event, *options])
        for event in assistant(client).events.values()
    }


def _traces() -> Path:
    from ..hooks.state import folder

    return folder() / "hooks-installed.json"
