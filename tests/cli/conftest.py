from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from recollect.cli.app import app


class Shell:
    """Runs commands on one store, in this process."""

    def __init__(self, db: Path) -> None:
        self.db = db

    def __call__(self, *arguments: str, stdin: str | bytes | None = None, db: str | None = None) -> Any:
        return CliRunner().invoke(app, [*arguments, "--db", db or str(self.db)], input=stdin, prog_name="recollect")

    def done(self, *arguments: str, **more: Any) -> str:
        """The output of a command that must succeed."""
        result = self(*arguments, **more)
        assert result.exit_code == 0, (result.exit_code, result.stdout, result.stderr, result.exception)
        return str(result.stdout)

    def json(self, *arguments: str, **more: Any) -> Any:
        """Its answer in JSON, and nothing else on stdout."""
        return json.loads(self.done(*arguments, "--json", **more))

    def refused(self, status: int, *arguments: str, **more: Any) -> str:
        """The one line it says when it must not succeed."""
        result = self(*arguments, **more)
        assert result.exit_code == status, (result.exit_code, result.stdout, result.stderr, result.exception)
        assert len(result.stderr.strip().splitlines()) == 1, result.stderr
        assert "Traceback" not in result.output
        return str(result.stderr)


@pytest.fixture(autouse=True)
def nobodys_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings file or variable of the machine reaches a test."""
    from recollect import config

    for name in ("DB", "NAMESPACE", "RECIPE", "ACTOR"):
        monkeypatch.delenv(f"RECOLLECT_{name}", raising=False)
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "hashing")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(config, "files", lambda: [])


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "agent.db")


@pytest.fixture
def add(shell: Shell) -> Callable[..., str]:
    """Remembers a text and returns its id."""
    return lambda text, *options: str(shell.json("add", text, *options)["id"])
