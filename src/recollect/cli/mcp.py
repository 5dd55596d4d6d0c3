"""Commands for MCP: the stdio server, and setting up clients."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InvalidInput
from ..extras import install_command
from . import input, show
from .app import callback, command, group
from .options import Embedder, Place, RecipeName, Yes, one_of

if TYPE_CHECKING:
    from ..recollect import Recollect
    from ..serve.mcp.clients import Client
    from ..serve.mcp.greeting import ToolSetName
    from ..serve.mcp.settings.files import Change
    from ..serve.scope import Caller

NAME = "mcp"
"""The actor in the log, and the origin of memories."""


def _clients() -> list[str]:
    from ..serve.mcp.clients import CLIENTS

    return list(CLIENTS)


mcp_group = group("mcp", "Run the MCP server on stdin and stdout, or set up a client that starts it.")


@callback(
    mcp_group,
    """
    recollect mcp --db ~/agent.db --namespace acme/agents/ada
    recollect mcp install --client claude-desktop
    """,
)
def mcp(
    ctx: typer.Context,
    place: Place,
    role: Annotated[
        str, typer.Option("--role", metavar="ROLE", help="What the model may do: read, write or admin.")
    ] = "write",
    trust: Annotated[
        str,
        typer.Option(
            "--trust",
            metavar="CLASS",
            help="agent: text that looks like instructions or secrets is quarantined. user: it is not.",
        ),
    ] = "agent",
    tools: Annotated[
        str,
        typer.Option(
            "--tools",
            metavar="SET",
            help="standard, all (also compare and stats), or knowledge-graph (those of the official memory server).",
        ),
    ] = "standard",
    recipe: RecipeName = None,
    embedder: Embedder = None,
) -> None:
    """Run the MCP server on stdin and stdout, for a client that starts its own server.

    Several clients, each with its own server, may use the same file."""
    if ctx.invoked_subcommand is not None:
        return place.refuse_before(ctx.invoked_subcommand)
    caller, offered = _caller(place, role, trust), _tool_set(tools)

    def opens() -> Recollect:
        return place.open(make=True, recipe=recipe, embedder=embedder)

    _serve(opens, caller, offered)


def _caller(place: Place, role: str, trust: str) -> Caller:
    from .. import checks
    from ..serve.scope import ROLES, Caller, Scope

    known = checks.one_of("role", role, ROLES)
    scope = Scope(namespace=checks.path(place.settings().namespace), role=known)
    return Caller(name=NAME, scope=scope, trust=checks.label("trust", trust))


def _tool_set(name: str) -> ToolSetName:
    from .. import checks
    from ..serve.mcp.greeting import TOOL_SETS

    found: ToolSetName = checks.one_of("set of tools", name, TOOL_SETS)
    return found


def _serve(opens: Callable[[], Recollect], caller: Caller, tools: ToolSetName) -> None:
    """Takes stdin and stdout for the protocol, answers the first request, and loads the rest after that."""
    if find_spec("mcp") is None:
        raise InvalidInput(f"MCP needs the package mcp: run: {install_command('server')}")
    from ..serve.mcp.descriptors import claim
    from ..serve.mcp.pipes import Lines

    pipes = claim()
    lines = Lines(pipes, tools)
    from ..serve.mcp.stdio import serve

    serve(pipes, lines, opens, caller, tools)


@command(
    "install",
    """
    recollect mcp install --client claude-desktop
    recollect mcp install --client codex --db ~/agent.db --yes
    recollect mcp install --client cursor --undo
    """,
    of=mcp_group,
)
def install(
    place: Place,
    client: Annotated[
        str,
        typer.Option("--client", metavar="NAME", help="Such as claude-desktop.", autocompletion=one_of(_clients)),
    ],
    project: Annotated[
        bool, typer.Option("--project", help="Use the settings of the project in the current folder, not yours.")
    ] = False,
    only_print: Annotated[bool, typer.Option("--print", help="Print what to paste; write nothing.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Remove it again.")] = False,
    preview: Annotated[bool, typer.Option("--preview", help="Only show what would change.")] = False,
    yes: Yes = False,
) -> None:
    """Add the server to a client's settings, after showing what will change.

    Clients: claude-desktop, claude-code, cursor, vscode, windsurf, codex, gemini, zed, lm-studio."""
    from ..serve.mcp import clients
    from ..serve.mcp import install as work

    known = clients.named(client)
    path = known.settings(Path.cwd() if project else None)
    if only_print:
        return _print(place, known, path)
    traces = _traces()
    change = work.plan_undo(known, path, traces) if undo else work.plan(known, path, _command(place))
    changed = change.before != change.after
    if changed and not preview:
        _ask(change, yes)
        if undo:
            work.write_undo(change, traces)
        else:
            work.write(known, change, traces)
    _say(place, known, change, undo=undo, written=changed and not preview)


def _ask(change: Change, yes: bool) -> None:
    show.line(show.printable(change.diff).rstrip(), sys.stderr)
    input.agreed(f"change {change.path}?", yes)


def _say(place: Place, client: Client, change: Change, *, undo: bool, written: bool) -> None:
    data = {"client": client.name, "path": str(change.path), "written": written, "diff": change.diff}
    done = "removed it from" if undo else "wrote"

    def draw() -> None:
        if written:
            show.line(f"{done} {change.path}: restart {client.title}")
        else:
            show.line(show.printable(change.diff).rstrip() or f"{change.path} needs no change")

    show.answer(place.as_json, data, draw)


def _print(place: Place, client: Client, path: Path) -> None:
    snippet = client.snippet(_command(place))
    data = {"client": client.name, "path": str(path), "snippet": snippet}
    show.answer(place.as_json, data, lambda: show.line(snippet.rstrip()))
    if not place.as_json:
        show.say(f"for {path}")


def _command(place: Place) -> list[str]:
    """How a client starts the server."""
    return [*started_program(), "mcp", *server_options(place)]


def server_options(place: Place) -> list[str]:
    """With whole paths, because a client has neither our folder nor our environment."""
    settings = place.settings()
    db = ["--db", _whole(settings.db)] if settings.db else []
    namespace = ["--namespace", settings.namespace] if settings.namespace != "default" else []
    return [*db, *namespace]


def started_program() -> list[str]:
    """Clients start it in any folder. With -P, Python imports nothing from there."""
    script = Path(sys.executable).with_name("recollect.exe" if sys.platform == "win32" else "recollect")
    return [str(script)] if script.exists() else [sys.executable, "-P", "-m", "recollect"]


def _whole(db: str) -> str:
    return db if "://" in db or db == ":memory:" else os.path.abspath(os.path.expanduser(db))


def _traces() -> Path:
    from platformdirs import user_state_path

    return user_state_path("recollect") / "mcp-installed.json"
