"""The command line says what there is, and errors are JSON where JSON was asked for."""

import json
import subprocess
import sys

import pytest

from recollect import Recollect


@pytest.fixture
def run(path):
    """Runs a command as a process, because JSON errors depend on the whole command line."""
    with Recollect(path, embedder="hashing") as mind:
        mind.remember("Ada prefers dark mode", kind="preference", namespace="acme/ada")
        mind.remember("Ada lives in Oslo", namespace="acme/ada")
        mind.remember("Ada lives in Porto now", namespace="acme/ada")

    def command(*arguments, status=0):
        done = subprocess.run(
            [sys.executable, "-m", "recollect", *arguments, "--db", str(path)], capture_output=True, text=True
        )
        assert done.returncode == status, done
        return done

    return command


def test_an_unknown_kind_is_corrected(run):
    said = run("recall", "dark mode", "--kind", "prefrence", "--namespace", "acme/ada", status=1).stderr
    assert "no memory has the kind 'prefrence': did you mean 'preference'? there are fact (2), preference (1)" in said


def test_an_empty_namespace_names_those_that_are_not(run):
    said = run("recall", "dark mode", "--namespace", "globex", status=1).stderr
    assert "nothing is stored in 'globex'; namespaces: acme/ada" in said


def test_json_has_the_same_reasons(run):
    unknown = run("recall", "dark mode", "--kind", "prefrence", "--namespace", "acme/ada", "--json", status=1).stdout
    assert json.loads(unknown)["rejected"].startswith("no memory has the kind 'prefrence': did you mean 'preference'?")
    empty = run("recall", "dark mode", "--namespace", "globex", "--json", status=1).stdout
    assert json.loads(empty)["rejected"] == "nothing is stored in 'globex'; namespaces: acme/ada"


def test_an_option_before_the_command_is_told_its_place():
    done = subprocess.run(
        [sys.executable, "-m", "recollect", "--db", "agent.db", "list"], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "put --db after the command, such as `recollect list --db PATH`\n"


@pytest.mark.parametrize(
    ("arguments", "kind", "status"),
    [
        (["get", "00000000-nobody"], "NotFound", 1),
        (["list", "--since", "soon"], "InvalidInput", 2),
        (["list", "--no-such-option"], "Usage", 2),
        (["nonsense"], "Usage", 2),
    ],
)
def test_an_error_under_json_is_json(run, arguments, kind, status):
    done = run(*arguments, "--json", status=status)
    error = json.loads(done.stdout)["error"]
    assert (error["kind"], error["status"]) == (kind, status) and error["message"] in done.stderr
    assert run(*arguments, status=status).stdout == ""


def test_a_history_is_a_table_in_words(run):
    superseded = json.loads(run("list", "--status", "superseded", "--namespace", "acme/ada", "--json").stdout)
    [memory] = superseded["memories"] if isinstance(superseded, dict) else superseded
    lines = run("history", memory["id"]).stdout.splitlines()
    assert len(lines) == 2 and "{" not in "".join(lines)
    assert "remember   by user" in lines[0]
    assert "supersede  by itself  status, valid_to · live in: Oslo → Porto" in lines[1]


def test_words_are_dates_in_every_option(run):
    assert "Porto" in run("list", "--namespace", "acme/ada", "--since", "yesterday").stdout
    assert (
        run("recall", "where does Ada live?", "--namespace", "acme/ada", "--as-of", "last March", status=1).stdout == ""
    )
