"""Writes docs/cli.md from the commands' own help texts; `--check` only says whether it is up to date."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.main import get_command

from recollect.cli.app import ALL, STATUSES, app

TARGET = Path(__file__).parent.parent / "docs" / "cli.md"
SHARED = ("--db", "--namespace", "--json")
HEAD = f"""# The command line

<!-- Written by scripts/generate_cli_docs.py from the commands' help texts: change those, then run it again. -->

{ALL} Options come after the command's name. Messages and progress go to stderr, so stdout holds only the answer.

| every command takes | |
|---|---|
"""
TAIL = f"""
{STATUSES}. Every failure prints one line on stderr that says what to do.

`recollect --install-completion` sets up completion of commands, options, recipes and kinds in your shell.
A `MOMENT` is ISO 8601 such as `2026-05-20T07:34:00Z` or `2026-05-20`, a month such as `2026-06`, or words such as
`yesterday`, `last March` and `3 weeks ago`. A named day, month or year means its beginning, in your time zone.
An `ID` may be shortened to its first characters, at least 8, if no other id begins with them. An id begins with the
time of its creation, so ids of the same minute share their first 8 characters; give 13 or more.
With `--json`, an error is JSON on stdout too: an object `error` with `kind`, `message` and `status`.
The names of the Python interface work as well: `recollect remember`, `recollect assemble`, and the options `--kinds`,
`--tags`, `--statuses` and `--tiers`.
"""


def commands() -> Iterator[tuple[str, Any]]:
    """Every command with its whole name, groups before their members."""
    group = get_command(app)
    yield from _below("recollect", group)


def _below(path: str, group: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - a typer command
    for name in group.list_commands(None):
        command = group.commands[name]
        yield f"{path} {name}", command
        if hasattr(command, "commands"):
            yield from _below(f"{path} {name}", command)


def document() -> str:
    found = list(commands())
    shared = [param for param in found[0][1].params if set(param.opts) & set(SHARED)]
    parts = [HEAD + "".join(map(_row, shared)) + TAIL]
    parts += [_section(path, command) for path, command in found]
    return "\n".join(parts)


def _section(path: str, command: Any) -> str:  # noqa: ANN401
    own = [param for param in command.params if not set(param.opts) & {*SHARED, "--help"}]
    arguments = [param for param in own if param.param_type_name == "argument"]
    usage = " ".join([path, *(p.metavar if p.required else f"[{p.metavar}]" for p in arguments), "[OPTIONS]"])
    rows = "".join(map(_row, own))
    table = f"\n| | |\n|---|---|\n{rows}" if rows else ""
    return f"## {path}\n\n{_text(command.help)}\n\n```\n{usage}\n```\n{table}\n{_example(command.epilog)}"


def _text(help: str) -> str:
    return "\n\n".join(" ".join(part.split()) for part in help.split("\n\n"))


def _row(param: Any) -> str:  # noqa: ANN401
    names = param.metavar if param.param_type_name == "argument" else ", ".join(f"`{opt}`" for opt in param.opts)
    value = f" {param.metavar}" if param.metavar and param.param_type_name == "option" else ""
    default = "" if param.default in (None, False, (), []) or param.required else f" Default: {param.default}."
    return f"| {names}{value} | {param.help}{default} |\n"


def _example(epilog: str) -> str:
    lines = epilog.split("Example:\n")[1].splitlines()
    return "```sh\n" + "\n".join(line.removeprefix("  ") for line in lines) + "\n```\n"


def main() -> int:
    text = document()
    if "--check" in sys.argv:
        return 0 if TARGET.exists() and TARGET.read_text(encoding="utf-8") == text else 1
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
