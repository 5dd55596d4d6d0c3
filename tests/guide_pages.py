"""Runs the code blocks of a documentation page in order, in a folder of their own and in this process."""

import ast
import asyncio
import inspect
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

from typer.testing import CliRunner

from recollect.cli.app import app

DOCS = Path(__file__).parents[1] / "docs"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINES = {"console": re.compile(r"^\$ (.*(?:\\\n    .*)*)", re.MULTILINE), "sh": re.compile(r"^(.+)$", re.MULTILINE)}
NEEDS_SHELL = re.compile(r"[|<>]|\$\(|^(?:cd|mkdir|export)\b|&&")
ID = r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"


@dataclass
class Page:
    """One page, and what it needs from the outside."""

    name: str
    folder: Path
    replaced: dict[str, str] = field(default_factory=dict)
    """Text of the page → what stands in its place in this run, such as an address."""
    elsewhere: tuple[str, ...] = ()
    """Beginnings of commands that are not run here. Each needs a reason where it is listed."""
    environment: dict[str, str] = field(default_factory=dict)
    given: dict[str, object] = field(default_factory=dict)
    """Names that the page's Python code uses and does not make."""
    printed: list[str] = field(default_factory=list)
    not_run: list[str] = field(default_factory=list)

    def run(self) -> str:
        """Everything that the page's blocks printed. A block that fails fails the test."""
        before = os.getcwd()
        os.chdir(self.folder)
        try:
            for language, text in self.blocks():
                self._block(language, text)
        finally:
            os.chdir(before)
        return "".join(self.printed)

    def blocks(self) -> list[tuple[str, str]]:
        text = (DOCS / self.name).read_text(encoding="utf-8")
        for shown, real in self.replaced.items():
            assert shown in text, f"{self.name} does not have {shown!r} any more"
            text = text.replace(shown, real)
        return BLOCK.findall(text)

    def _block(self, language: str, text: str) -> None:
        if language == "python":
            self.python(text)
        elif language in LINES:
            for line in LINES[language].findall(text):
                self._command(line)
        elif language == "json":
            json.loads(text)
        elif language == "toml":
            tomllib.loads(text)
        else:
            assert language == "text", f"{self.name}: nothing runs a block of {language!r}"

    def python(self, code: str) -> None:
        out = io.StringIO()
        compiled = compile(code, self.name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        with redirect_stdout(out), _environment(self.environment):
            result = eval(compiled, self.given)
            if inspect.iscoroutine(result):
                asyncio.run(result)
        self.printed.append(out.getvalue())

    def _command(self, line: str) -> None:
        if line.startswith(self.elsewhere):
            self.not_run.append(line)
        elif line.startswith("recollect ") and not NEEDS_SHELL.search(line.split(" #")[0]):
            self.printed.append(self.recollect(*map(os.path.expanduser, shlex.split(line, comments=True)[1:])))
        else:
            self._in_shell(line)

    def recollect(self, *arguments: str) -> str:
        """One command, in this process: the model is loaded once. What would ask a person is answered with yes."""
        asks = ["--yes"] if {"install", "uninstall"} & {*arguments[:2]} else []
        with _environment(self.environment):
            done = CliRunner().invoke(app, [*arguments, *asks], prog_name="recollect")
        refused = done.exit_code == 1 and "not in memory" in done.output
        assert done.exit_code == 0 or refused, (self.name, arguments, done.output, done.exception)
        return done.output

    def _in_shell(self, line: str) -> None:
        """What a shell does itself. Its folder and its variables stay for the commands that follow."""
        script = f"set -e\n{line}\npwd > {self.folder}/.pwd; env -0 > {self.folder}/.env"
        here = os.environ | self.environment
        path = f"{Path(sys.executable).parent}{os.pathsep}{here['PATH']}"
        done = subprocess.run(
            ["bash", "-c", script], env=here | {"PATH": path}, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, (self.name, line, done.stdout, done.stderr)
        self.printed.append(done.stdout)
        os.chdir((self.folder / ".pwd").read_text(encoding="utf-8").strip())
        changed = dict(pair.split("=", 1) for pair in (self.folder / ".env").read_text().split("\0") if "=" in pair)
        wanted = ("RECOLLECT_", "MODEL_", "MEMORY_")
        self.environment |= {name: value for name, value in changed.items() if name.startswith(wanted)}


class _environment:
    """These variables, as long as the block runs."""

    def __init__(self, variables: dict[str, str]) -> None:
        self._variables = variables

    def __enter__(self) -> None:
        self._before = {name: os.environ.get(name) for name in self._variables}
        os.environ.update(self._variables)

    def __exit__(self, *_: object) -> None:
        for name, value in self._before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
