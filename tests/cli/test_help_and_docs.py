"""Every command has a help text with an example, and stands in docs/cli.md."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from recollect.cli.app import app

ROOT = Path(__file__).parent.parent.parent
SCRIPT = ROOT / "scripts" / "generate_cli_docs.py"
CONTRACT = (
    "add ingest recall get list update forget restore purge pin link unlink supersede history undo compare context "
    "feedback tend consolidate decay archive retention namespaces stats check chain doctor backup restore-backup "
    "export import reembed recipes demo brief"
).split()


def generator():
    spec = importlib.util.spec_from_file_location("generate_cli_docs", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


COMMANDS = dict(generator().commands())


def test_every_command_of_the_contract_is_there():
    assert {path.split()[1] for path in COMMANDS} >= set(CONTRACT)


@pytest.mark.parametrize("path", COMMANDS)
def test_a_command_has_help_with_an_example_in_80_columns(path):
    shown = CliRunner(env={"COLUMNS": "80"}).invoke(app, [*path.split()[1:], "--help"])
    assert shown.exit_code == 0
    assert f"Example:\n    {path}" in shown.stdout or f"| {path}" in shown.stdout
    assert all(len(line) <= 80 for line in shown.stdout.splitlines())
    for option in ("--db", "--namespace", "--json"):
        assert option in shown.stdout


@pytest.mark.parametrize("path", COMMANDS)
def test_a_command_says_what_every_option_is_for(path):
    assert COMMANDS[path].help
    assert [param.name for param in COMMANDS[path].params if not param.help] == []


@pytest.mark.parametrize("path", COMMANDS)
def test_a_command_is_documented(path):
    assert f"## {path}\n" in (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")


def test_the_documentation_is_up_to_date():
    written = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert written == generator().document(), "run scripts/generate_cli_docs.py"


def test_without_a_command_the_help_is_shown():
    result = CliRunner().invoke(app, [])
    assert result.exit_code == 0 and "Commands:" in result.stdout


def test_the_version_is_printed():
    from recollect import __version__

    assert CliRunner().invoke(app, ["--version"]).stdout == f"recollect {__version__}\n"


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("recollect recall x --recipe me", {"memx", "memsense", "memweave"}),
        ("recollect recall x --kind pre", {"preference"}),
        ("recollect recipes show bm", {"bm25"}),
        ("recollect link a b --kind caus", {"caused_by"}),
        ("recollect restore-", {"restore-backup"}),
    ],
)
def test_the_shell_completes_names(line, offered, monkeypatch):
    environment = {"_RECOLLECT_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    done = subprocess.run([sys.executable, "-m", "recollect"], capture_output=True, text=True, check=False)
    assert offered <= set(done.stdout.split())


@pytest.mark.parametrize(
    ("typed", "meant"), [("save", "add"), ("search", "recall"), ("delete", "forget"), ("stat", "stats")]
)
def test_a_command_by_another_name_is_answered_with_ours(shell, typed, meant):
    assert f"Did you mean '{meant}'" in shell.refused(2, typed, "x")


def test_the_names_of_the_python_interface_work_too(shell):
    shell.done("remember", "Ada prefers dark mode", "--kind", "preference", "--tags", "ui")
    for options in (["--kinds", "preference"], ["--tags", "ui"], ["--statuses", "active"], ["--tiers=searchable"]):
        assert [memory["text"] for memory in shell.json("list", *options)] == ["Ada prefers dark mode"]
        assert shell.json("list", *(option.replace("s=", "=") for option in options))
    assert "Ada prefers dark mode" in shell.done("assemble", "dark mode")
    shell.done("remember", "Ada sails", "--session-id", "monday")
    assert [memory["text"] for memory in shell.json("list", "--session-id", "monday")] == ["Ada sails"]
    shown = CliRunner().invoke(app, ["--help"]).stdout
    assert "remember " not in shown and "assemble " not in shown


def test_a_preview_has_one_name_with_every_command(shell, tmp_path):
    shell.done("add", "Ada sails", "--tag", "boat")
    (tmp_path / "facts.jsonl").write_text('{"text": "The boat is blue"}')
    for option in ("--preview", "--dry-run"):
        assert "would import 1" in shell.done("import", str(tmp_path / "facts.jsonl"), option)
        shell.done("forget", "--tag", "boat", option)
    assert [memory["text"] for memory in shell.json("list")] == ["Ada sails"]


@pytest.mark.parametrize(("alias", "name"), [("remember", "add"), ("assemble", "context")])
def test_a_command_names_its_other_name(alias, name):
    for typed in (alias, name):
        assert f"recollect {alias}" in CliRunner().invoke(app, [typed, "--help"], prog_name="recollect").stdout
