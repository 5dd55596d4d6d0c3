"""A damaged write-ahead log: SQLite leaves out its end. The store says so, and keeps a copy of the log."""

import logging
import subprocess
import sys

import apsw
import damaged_log
import pytest

from recollect import Recollect
from recollect.cli.restore_backup import replace_store
from recollect.keep.repair import repair


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    path = tmp_path_factory.mktemp("original") / "store.db"
    damaged_log.make(path)
    return path


@pytest.fixture
def path(original, tmp_path):
    damaged_log.copy(original, tmp_path / "store.db")
    return tmp_path / "store.db"


@pytest.mark.parametrize("seed", [*range(30), 111])
def test_missing_commits_are_said_unless_the_log_ends_there(seed, path):
    kind = damaged_log.damage(path, seed)
    held, said = damaged_log.told(path)
    missing = len(damaged_log.LETTERS) - len(held)
    assert held == damaged_log.LETTERS[: len(held)]
    assert (said or missing <= 1 or kind == "cut") and (missing or not said)


def test_the_copy_of_the_log_is_private_and_named_until_it_is_deleted(path, caplog):
    damaged_log.damage(path, 3)
    with caplog.at_level(logging.WARNING, "recollect"):
        assert damaged_log.told(path)[1]
    [kept] = path.parent.glob("*-wal.damaged-*")
    assert str(kept) in caplog.text and kept.stat().st_mode & 0o777 == 0o600
    assert damaged_log.told(path)[1] and len(list(path.parent.glob("*.damaged-*"))) == 1
    kept.unlink()
    assert not damaged_log.told(path)[1]


def test_a_restored_store_has_nothing_to_do_with_the_damaged_log(path, tmp_path):
    with Recollect(tmp_path / "fresh.db", embedder="hashing") as mind:
        mind.remember("Ada sails")
        mind.backup(tmp_path / "copy.db")
    damaged_log.damage(path, 3)
    assert damaged_log.told(path)[1]
    aside = replace_store(path, tmp_path / "copy.db", force=True)
    assert damaged_log.told(path) == (["Ada sails"], False)
    assert len(list(tmp_path.glob(f"{aside.name}-wal.damaged-*"))) == 1


def test_a_damaged_log_does_not_keep_the_rest_from_being_mended(path):
    damaged_log.damage(path, 3)
    with Recollect(path, embedder="hashing") as mind:
        mind.remember("Ada sails")
        file = apsw.Connection(str(path))
        file.execute("INSERT INTO term SELECT number, 'letter', 1 FROM corpus")
        file.close()
        done = repair(mind.store, mind.embedder)
        assert [finding.what for finding in done.mended] == ["term statistics that do not add up"]
        assert ["commits are missing" in finding.what for finding in done.left] == [True]


def test_a_sound_log_is_read_without_a_word(path):
    assert damaged_log.told(path) == (damaged_log.LETTERS, False)


def test_the_rest_of_a_commit_that_was_killed_is_no_damage(path, tmp_path):
    """A process was killed while it committed; another went on from the commit before, and wrote less."""
    long, short = tmp_path / "long.db", tmp_path / "short.db"
    for copy, texts in ((long, [f"Parcel {n} is in box {n * 17}" for n in range(40)]), (short, ["One parcel"])):
        live = tmp_path / f"live-{copy.name}"
        damaged_log.copy(path, live)
        with Recollect(live, embedder="hashing") as mind:
            mind.remember_many({"text": text} for text in texts)
            damaged_log.copy(live, copy)
    logs = [copy.with_name(f"{copy.name}-wal").read_bytes() for copy in (long, short)]
    assert len(logs[0]) > len(logs[1])
    short.with_name("short.db-wal").write_bytes(logs[1] + logs[0][len(logs[1]) :])
    assert damaged_log.told(short) == ([*damaged_log.LETTERS, "One parcel"], False)


TAKES_THE_LOCK = """
import fcntl, sys
with open(sys.argv[1], "r+b") as shared:
    fcntl.lockf(shared, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 128)  # SQLite's lock of those who use the log
"""


def test_an_open_store_keeps_its_lock_when_it_is_opened_again(path):
    """Without it, the next process empties the index of the log while others use it."""
    with Recollect(path, embedder="hashing") as one, Recollect(path, embedder="hashing") as two:
        assert len(one.list(limit=100)) == len(two.list(limit=100)) == len(damaged_log.LETTERS)
        done = subprocess.run([sys.executable, "-c", TAKES_THE_LOCK, f"{path}-shm"], capture_output=True, text=True)
        assert "BlockingIOError" in done.stderr
