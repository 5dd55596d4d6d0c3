"""The command `recollect` with all its commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, TypeAlias

import typer

from . import show
from .options import spread
from .surface import Surface

Body: TypeAlias = Callable[..., None]

ALL = "Every command takes --db, --namespace and --json, and shows an example with --help."
STATUSES = (
    "Exit status: 0 done · 1 not there · 2 wrong usage or bad input · 3 the store can't be used · 130 stopped by Ctrl-C"
)

app = typer.Typer(
    cls=Surface,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    epilog=f"\b\nExample:\n  recollect add 'Ada prefers dark mode'\n  recollect recall 'which theme does Ada like?'\n\n"
    f"{ALL}\n\n{STATUSES}",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def group(name: str, about: str) -> typer.Typer:
    """A command that has commands of its own."""
    made = typer.Typer(rich_markup_mode=None, help=about)
    app.add_typer(made, name=name)
    return made


def command(name: str, example: str, of: typer.Typer = app) -> Callable[[Body], Body]:
    """Registers a command; its docstring is its help, and the example stands below."""

    def register(body: Body) -> Body:
        of.command(name, epilog=_example(example))(spread(body))
        return body

    return register


def callback(of: typer.Typer, example: str) -> Callable[[Body], Body]:
    """Registers what a group does when none of its commands is named."""

    def register(body: Body) -> Body:
        of.callback(invoke_without_command=True, epilog=_example(example))(spread(body))
        return body

    return register


def _example(lines: str) -> str:
    shown = "\n".join(f"  {line.strip()}" for line in lines.strip().splitlines())
    return f"\b\nExample:\n{shown}"


def _version(wanted: bool) -> None:
    if wanted:
        from .. import __version__

        show.line(f"recollect {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def recollect(
    ctx: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Long-term memory for AI agents that you own: one file, explained recall."""
    if ctx.invoked_subcommand is None:
        show.line(ctx.get_help())


# They register their commands.
from . import (  # noqa: E402,F401
    benching,
    demo,
    ingesting,
    keeping,
    keys,
    linking,
    mcp,
    memories,
    migrating,
    recalling,
    recipes,
    serving,
    tending,
)
