"""The command `recollect` and how its commands are registered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, TypeAlias

import typer

from . import show
from .options import spread
from .surface import Surface, main_name

Body: TypeAlias = Callable[..., None]

ALL = "Every command takes --db, --namespace and --json, and shows an example with --help."
STATUSES = (
    "Exit status: 0 done · 1 not found or refused · 2 wrong usage or bad input · 3 the store can't be used · "
    "130 stopped by Ctrl-C"
)

app = typer.Typer(
    cls=Surface,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    epilog=f"\b\nExample:\n  recollect add 'Ada prefers dark mode'\n  recollect recall 'which theme does Ada like?'\n\n"
    f"{ALL}\n\n{STATUSES}",
    context_settings={"help_option_names": ["-h", "--help"], "token_normalize_func": main_name},
)


def group(name: str, about: str) -> typer.Typer:
    """A command that has commands of its own."""
    made = typer.Typer(rich_markup_mode=None, help=about)
    app.add_typer(made, name=name)
    return made


def command(name: str, example: str, of: typer.Typer = app) -> Callable[[Body], Body]:
    """Registers a command. Its docstring is its help text; the example is shown below it."""

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
    """Long-term memory for AI agents, in one file that you own."""
    if ctx.invoked_subcommand is None:
        show.line(ctx.get_help())


# Importing these registers their commands.
from . import (  # noqa: E402,F401
    bench,
    bench_lives,
    bench_speed,
    bench_systems,
    calibrate,
    demo,
    hooks,
    import_files,
    ingest,
    keys,
    links,
    maintenance,
    mcp,
    memories,
    migrate,
    partitions,
    profile,
    recall,
    recipes,
    recover,
    serve,
    store,
    trust,
)
