"""Only the owner reads the files, no password is shown, and an odd path gives one line."""

import os
import socket

import pytest
from typer.testing import CliRunner

from recollect import Recollect
from recollect.cli.app import app
from recollect.errors import StoreError

URLS = [
    "postgresql://ada:s3cret@127.0.0.1:1/db",
    "postgresql://ada:p@s3cret@127.0.0.1:1/db",
    "postgresql://ada@127.0.0.1:1/db?password=s3cret",
    "postgresql://ada:s3cret%zz@127.0.0.1:1/db",
    "postgresql://ada:s3cret@127.0.0.1:none/db",
    "postgresql://ada:s3cret@[::1/db",
    "postgresql://ada:s3cret@127.0.0.1:1/db?unknown=x",
    "POSTGRESQL://ada:s3cret@127.0.0.1:1/db",
    "mysql://ada:s3cret@127.0.0.1/db",
]


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "hashing")


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], prog_name="recollect")


def mode(path):
    return os.stat(path).st_mode & 0o777


@pytest.mark.skipif(os.name == "nt", reason="files have no modes here")
def test_what_holds_memories_is_made_for_its_owner_only(tmp_path, path):
    old = os.umask(0o022)
    try:
        with Recollect(path, embedder="hashing") as mind:
            mind.remember("Ada sails")
            assert [mode(f"{path}{suffix}") for suffix in ("", "-wal", "-shm")] == [0o600] * 3
            mind.backup(tmp_path / "copy.db")
            mind.export(tmp_path / "memories.jsonl")
        run("restore-backup", tmp_path / "copy.db", "--db", tmp_path / "new.db")
        run("recover", path, tmp_path / "saved.db")
    finally:
        os.umask(old)
    assert [mode(tmp_path / name) for name in ("copy.db", "memories.jsonl", "new.db", "saved.db")] == [0o600] * 4
    path.chmod(0o640)
    with Recollect(path, embedder="hashing") as mind:
        mind.remember("Bob rides")
    assert mode(path) == 0o640


@pytest.mark.skipif(os.name == "nt", reason="files have no modes here")
def test_a_store_that_a_link_leads_to_is_made_for_its_owner_only(tmp_path):
    os.symlink("kept.db", tmp_path / "link.db")
    old = os.umask(0o022)
    try:
        with Recollect(tmp_path / "link.db", embedder="hashing") as mind:
            mind.remember("Ada sails")
    finally:
        os.umask(old)
    assert mode(tmp_path / "kept.db") == 0o600 and (tmp_path / "link.db").is_symlink()


def test_a_refused_path_leaves_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError, match="UTF-8"):
        Recollect("\udcff.db", embedder="hashing")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("url", URLS)
def test_a_password_in_a_url_is_never_shown(url, path):
    with Recollect(path, embedder="hashing") as mind:
        mind.remember("Ada sails")
    for arguments in (
        ("add", "x", "--db", url),
        ("doctor", "--db", url),
        ("migrate", path, url),
        ("migrate", url, path),
        ("backup", url, "--db", path),
        ("export", url, "--db", path),
        ("import", url, "--db", path),
        ("restore-backup", url, "--force", "--db", path),
        ("restore-backup", path, "--force", "--db", url),
        ("recover", url, path),
        ("recover", path, url),
    ):
        done = run(*arguments)
        assert done.exit_code and isinstance(done.exception, SystemExit), (arguments, done.exception)
        assert "s3cret" not in done.output and len(done.stderr.strip().splitlines()) == 1, (arguments, done.output)


@pytest.mark.parametrize("url", URLS)
def test_no_error_of_a_store_holds_the_password(url):
    import traceback

    with pytest.raises(StoreError) as caught:
        Recollect(url, embedder="hashing")
    assert "s3cret" not in "".join(traceback.format_exception_only(caught.value))
    assert "s3cret" not in str(caught.value.__cause__)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no such files here")
def test_an_odd_path_gives_one_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("fifo")
    os.mkdir("folder")
    os.symlink("loop", "loop")
    os.symlink("nowhere/x.db", "dangling")
    (tmp_path / "text.txt").write_text("just text" * 100)
    (tmp_path / "good.db").touch()
    listening = socket.socket(socket.AF_UNIX)
    listening.bind("socket")
    listening.close()
    for odd in (
        *("fifo", "folder", "loop", "dangling", "text.txt", "socket", "/dev/null", "/dev/zero", "none/x.db"),
        *("text.txt/x.db", "loop/x.db", "a" * 300, "a/" * 3000, "\udcff.db", "file:///x.db"),
    ):
        for command in (("add", "x"), ("recall", "x"), ("doctor",), ("restore-backup", "good.db", "--force")):
            done = run(*command, "--db", odd)
            assert done.exit_code and isinstance(done.exception, SystemExit), (odd, command, done.exception)
            assert len(done.stderr.strip().splitlines()) == 1, (odd, command, done.stderr)
        for arguments in (("recover", odd, "new.db"), ("recover", "text.txt", odd)):
            done = run(*arguments)
            assert done.exit_code and isinstance(done.exception, SystemExit), (arguments, done.exception)
            assert len(done.stderr.strip().splitlines()) == 1, (arguments, done.stderr)
