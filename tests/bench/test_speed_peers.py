"""`recollect bench speed --peers`, with recollect itself as the other library: nothing is installed here."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from recollect import config
from recollect.bench.peers import environment, packages, run, tables
from recollect.bench.peers.environment import CantRun, reason
from recollect.bench.peers.figures import Measured
from recollect.bench.peers.packages import OURS, PEERS, Peer
from recollect.cli.app import app
from recollect.errors import InvalidInput

TWIN = Peer(name="twin", packages=("twin==1.0",), store="store_recollect", about="recollect once more")
BROKEN = Peer(name="broken", packages=("broken==1.0",), store="store_of_nothing")
ABSENT = Peer(name="absent", packages=("no-such-package-anywhere==0.0.0",), store="store_absent")


@pytest.fixture
def prepared(tmp_path):
    """A cache where the environments of two libraries are made: both are this one."""
    for peer in (TWIN, BROKEN):
        python = environment._python(environment.place(peer, tmp_path / "cache"))
        python.parent.mkdir(parents=True)
        python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n', encoding="utf-8")
        python.chmod(0o755)
        (python.parents[1] / environment.MADE).write_text("\n".join(peer.packages), encoding="utf-8")
    return tmp_path / "cache"


@pytest.mark.skipif(sys.platform == "win32", reason="the interpreter of the test is a script of a POSIX shell")
def test_each_library_does_the_same_work_and_what_fails_is_named(prepared, tmp_path):
    said = []
    (sized,) = run.measure([200], tmp_path / "out", prepared, said.append, (TWIN, BROKEN))
    own, twin, broken = sized.measured
    assert own.name == OURS.name and own.rows == twin.rows == 200
    assert [found.kind for found in own.searches] == [found.kind for found in twin.searches]
    assert own.search("vectors").exact == twin.search("vectors").exact == 1.0
    assert own.search("words").exact is None and own.search("words").hits > 0
    assert own.first.cpu > 0 and own.disk_mb > 0 and own.added_per_second > 0
    assert broken.reason == "could not add: ModuleNotFoundError: No module named 'store_of_nothing'"
    assert any("broken" in line and "could not add" in line for line in said)
    shown = {part.title: part for part in tables.parts([sized]) if hasattr(part, "head")}
    assert [row[0] for row in shown["200 memories: stores"].rows] == ["recollect", "twin", "broken"]
    assert shown["200 memories: how each was run"].rows[-1][-1] == broken.reason
    compared = {row[1] for row in shown["200 memories: who is ahead"].rows if row[0] == "twin"}
    assert {"added per second", "open to first recall, ms", "recall by vectors, p50 ms", "disk, MB"} <= compared
    assert not list((tmp_path / "out").iterdir())


def test_a_library_that_cant_be_installed_is_named_with_the_reason(tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("UV_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    with pytest.raises(CantRun, match="could not be installed: "):
        environment.make(ABSENT, tmp_path)
    assert not (environment.place(ABSENT, tmp_path) / environment.MADE).exists()


def test_the_command_writes_text_json_and_html(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(config, "files", lambda: [])
    monkeypatch.setattr(packages, "named", lambda libraries: ())
    done = CliRunner().invoke(app, ["bench", "speed", "--peers", "--sizes", "150", "--out", "out"])
    assert done.exit_code == 0, (done.output, done.exception)
    assert "150 memories: who is ahead" in done.stdout
    found = json.loads((tmp_path / "out" / "speed-peers.json").read_text(encoding="utf-8"))
    (library,) = found["measured"][0]["libraries"]
    assert library["name"] == "recollect" and library["searches"][0]["spread"]["cpu_p50"] > 0
    assert "how each was run" in (tmp_path / "out" / "speed-peers.html").read_text(encoding="utf-8")


def test_libraries_are_chosen_by_name():
    assert packages.named("all") == PEERS
    assert [peer.name for peer in packages.named("txtai")] == ["txtai", "txtai, vectors"]
    with pytest.raises(InvalidInput, match="--libraries must be of all, chromadb, .* not 'txtai,nothing'"):
        packages.named("txtai,nothing")


def test_every_package_is_pinned_and_every_store_exists():
    for peer in PEERS:
        assert all("==" in package for package in peer.packages)
        assert run.WORKER.parent.joinpath("stores", f"{peer.store}.py").is_file()
    assert len({peer.name for peer in PEERS}) == len(PEERS)


def test_a_library_without_figures_has_dashes():
    (row,) = (tables._store(one) for one in [Measured(name="a", version="1", about="", reason="no wheel")])
    assert row == ("a", "1", "–", "–", "–", "–", "–")


@pytest.mark.parametrize(
    ("status", "errors", "shown"),
    [
        (1, "Traceback\n  x\nValueError: no\n\n", "ValueError: no"),
        (3, "\n", "it said nothing, and its exit status is 3"),
        (-9, "some warning", "ended by signal 9"),
    ],
)
def test_the_reason_is_the_last_line_that_says_something(status, errors, shown):
    assert reason(subprocess.CompletedProcess([], status, "", errors)) == shown
