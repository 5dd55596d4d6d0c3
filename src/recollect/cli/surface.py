"""The outermost surface: errors become one line on stderr and an exit status."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from ..config import IgnoredSettings
from ..embedders.optional import LexicalOnly
from ..errors import Conflict, InvalidInput, NotFound, RecollectError
from .show import dumps, line, say, without_passwords

NOT_THERE, BAD_INPUT, UNUSABLE_STORE = 1, 2, 3
INTERRUPTED = 130
PIPE_CLOSED = 141
"""What a shell reports for a program that SIGPIPE ended."""


_OF_COMMANDS = ("--db", "--namespace", "--json", "--read-url")
"""Options of every command; in front of a command they have no effect."""
_SAID = (LexicalOnly, IgnoredSettings)
"""Warnings that are shown as one plain line."""
ORDER = (
    "add ingest recall get list update forget restore purge pin link unlink supersede contradict reinforce "
    "history undo profile brief compare context feedback tend consolidate decay archive retention namespaces "
    "stats check chain doctor backup restore-backup recover export import migrate partitions row-security reembed "
    "calibrate recipes trust bench serve mcp hooks keys demo"
).split()
"""The order in which the help lists the commands."""
ALIASES = {
    "remember": "add",
    "assemble": "context",
    "kinds": "kind",
    "statuses": "status",
    "tags": "tag",
    "tiers": "tier",
    "session-id": "session",
    "session_id": "session",
    "dry-run": "preview",
}
"""Other names of commands and options: those of Python, and of the same option elsewhere. No help text lists them."""
OTHER_NAMES = {
    **dict.fromkeys(("save", "store", "put"), "add"),
    **dict.fromkeys(("ask", "find", "query", "search"), "recall"),
    **dict.fromkeys(("delete", "remove", "rm"), "forget"),
    **dict.fromkeys(("edit", "change"), "update"),
    "show": "get",
}
"""What people type by mistake, and the command to suggest."""


def main_name(name: str) -> str:
    """The name of a command or option, given any of its names."""
    return ALIASES.get(name, name)


class Surface(TyperGroup):
    """The group of all commands. Errors that a command raises on purpose end here, without a traceback."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,  # noqa: ANN401 - typer's
    ) -> NoReturn:
        printable_anywhere()
        try:
            code = super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
        except typer.TyperException as error:
            _report(_usage(error), "Usage", BAD_INPUT)
            code = BAD_INPUT
        except typer.Abort:
            say("nothing was changed")
            code = NOT_THERE
        sys.exit(code if isinstance(code, int) else 0)

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        """In the order of `ORDER`."""
        return sorted(self.commands, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name))

    def resolve_command(self, ctx: typer.Context, args: list[str]) -> Any:  # type: ignore[override]  # noqa: ANN401
        if args and args[0] in OTHER_NAMES:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {OTHER_NAMES[args[0]]!r}?")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]  # noqa: ANN401
        with _plain_warnings(), _plain_errors():
            found = super().invoke(ctx)
            sys.stdout.flush()
            return found


def printable_anywhere() -> None:
    """A terminal that can't show a character gets its escape, not a crash."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def status_of(error: RecollectError) -> int:
    if isinstance(error, InvalidInput):
        return BAD_INPUT
    return NOT_THERE if isinstance(error, NotFound | Conflict) else UNUSABLE_STORE


def _report(message: str, kind: str, status: int) -> None:
    """One line on stderr. With --json, stdout gets the error as JSON, so that a program always reads JSON there."""
    say(message)
    if "--json" in sys.argv:
        line(dumps({"error": {"kind": kind, "message": without_passwords(message), "status": status}}))


@contextmanager
def _plain_errors() -> Iterator[None]:
    try:
        yield
    except RecollectError as error:
        _report(str(error), type(error).__name__, status_of(error))
        raise typer.Exit(status_of(error)) from None
    except KeyboardInterrupt:
        say("stopped: nothing is half written; what was stored before stays")
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        _silence_stdout()
        raise typer.Exit(PIPE_CLOSED) from None
    except OSError as error:
        _report(f"{error.filename or 'the system'}: {error.strerror or error}", "OSError", UNUSABLE_STORE)
        raise typer.Exit(UNUSABLE_STORE) from None


@contextmanager
def _plain_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        shown = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *rest: Any, **more: Any) -> None:  # noqa: ANN401
            if issubclass(category, _SAID):
                say(str(message))
            else:
                shown(message, category, *rest, **more)

        warnings.showwarning = show
        for category in _SAID:
            warnings.filterwarnings("always", category=category)
        yield


def _silence_stdout() -> None:
    """The reader is gone. Python's flush at exit must not complain about it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _usage(error: typer.TyperException) -> str:
    ctx = getattr(error, "ctx", None)
    where = ctx.command_path if ctx is not None else "recollect"
    message = " ".join(error.format_message().split()).rstrip(".")
    if where == "recollect" and message.endswith(_OF_COMMANDS):
        return f"put {message.split()[-1]} after the command, such as `recollect list --db PATH`"
    return f"{message} (see `{where} --help`)"
