"""The container file: not root, a read-only file system, a health check. `make packages` also lints it."""

import json
import re
from pathlib import Path

from typer.testing import CliRunner

ROOT = Path(__file__).parents[1]
FILE = re.sub(r"\\\n\s*", "", (ROOT / "Containerfile").read_text(encoding="utf-8"))
LINES = [line.split(None, 1) for line in FILE.splitlines() if line and not line.startswith("#")]


def _last(instruction):
    return [rest for name, rest in LINES if name == instruction][-1]


def test_it_runs_as_a_user_without_rights():
    stages = [number for number, (name, _) in enumerate(LINES) if name == "FROM"]
    assert [rest for name, rest in LINES[stages[-1] :] if name == "USER"] == ["7411"]
    assert "useradd --system --uid 7411" in FILE and "nologin" in FILE


def test_it_writes_only_below_its_volume():
    assert _last("VOLUME") == "/data" and _last("WORKDIR") == "/data"
    assert "RECOLLECT_DB=/data/memory.db" in FILE and "PYTHONDONTWRITEBYTECODE=1" in FILE
    assert "--read-only" in (ROOT / "docs" / "team.md").read_text(encoding="utf-8")


def test_its_health_check_asks_the_port_that_the_server_listens_on():
    from recollect.cli.app import app

    check = _last("HEALTHCHECK")
    assert "http://127.0.0.1:7411/healthz" in check and _last("EXPOSE") == "7411"
    compile(json.loads(check[check.index("[") :])[2], "health check", "exec")
    started = [*json.loads(_last("ENTRYPOINT")), *json.loads(_last("CMD"))]
    assert started == ["recollect", "serve", "--host", "0.0.0.0"]
    shown = CliRunner().invoke(app, ["serve", "--help"], prog_name="recollect").output
    assert "default: 7411" in re.sub(r"\s+", " ", shown)


def test_what_it_copies_is_there_and_nothing_else_is_sent_to_the_builder():
    copied = [part for name, rest in LINES if name == "COPY" and "--from" not in rest for part in rest.split()[:-1]]
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert all((ROOT / part).exists() for part in copied)
    assert ignored[0] == "*" and {f"!{part}" for part in copied} <= set(ignored)
