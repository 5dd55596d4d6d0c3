import json
import os
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from recollect import config
from recollect.cli.app import app


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A user of their own, with nothing in their settings."""
    folder = tmp_path / "home"
    folder.mkdir()
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setattr(config, "files", lambda: [])
    return folder


@pytest.fixture
def install(home):
    """Runs `recollect mcp install` for a client; its output, or the line with which it refused."""

    def run(client, *options, status=0):
        done = CliRunner().invoke(app, ["mcp", "install", "--client", client, *options], prog_name="recollect")
        assert done.exit_code == status, (done.exit_code, done.stdout, done.stderr, done.exception)
        return done.stdout if status == 0 else done.stderr

    return run


@pytest.fixture
def environment(tmp_path):
    """What a server's process gets to see: nobody's settings, and an embedder that needs no model."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(config.PREFIX)}
    return {**kept, "HOME": str(tmp_path), "RECOLLECT_EMBEDDER": "hashing"}


@pytest.fixture
def command(path):
    return [sys.executable, "-m", "recollect", "mcp", "--db", str(path)]


@pytest.fixture
def written():
    """What a file holds as JSON."""
    return lambda file: json.loads(Path(file).read_text(encoding="utf-8"))
