"""The write-ahead log stays small, and purged text leaves it."""

import logging
import subprocess
import sys
import time

import apsw
import pytest

from recollect import Recollect
from recollect.store.sqlite import wal

SECRET = "zebrafinch"
DEADLINE_SECONDS = 20
PURGE_AND_DIE = """
import os, sys, apsw
from recollect import Recollect
mind = Recollect(sys.argv[1], embedder="hashing")
reader = apsw.Connection(sys.argv[1])
reader.execute("BEGIN")
reader.execute("SELECT count(*) FROM memory").fetchall()
mind.purge(namespace="default")
os._exit(9)
"""


@pytest.fixture
def reader(mind, path):
    """Another program in the middle of a read."""
    mind.remember(f"the word is {SECRET}")
    other = apsw.Connection(str(path))
    other.execute("BEGIN")
    other.execute("SELECT count(*) FROM memory").fetchall()
    yield other
    other.close()


def is_left(path):
    files = [file.read_bytes() for file in path.parent.iterdir() if file.name.startswith(path.name)]
    return any(SECRET.encode() in content for content in files)


def soon(condition):
    until = time.monotonic() + DEADLINE_SECONDS
    while not condition() and time.monotonic() < until:
        time.sleep(0.02)
    return condition()


def test_a_purge_beside_a_reader_says_that_text_is_left_and_removes_it_when_the_reader_is_done(
    mind, path, reader, caplog
):
    with caplog.at_level(logging.WARNING, "recollect"):
        mind.purge(namespace="default")
    assert "another program has finished reading" in caplog.text
    assert mind.list() == []
    assert is_left(path)
    reader.execute("COMMIT")
    assert soon(lambda: not is_left(path))


def test_a_purge_without_readers_leaves_nothing_and_warns_of_nothing(mind, path, caplog):
    mind.remember(f"the word is {SECRET}")
    with caplog.at_level(logging.WARNING, "recollect"):
        mind.purge(namespace="default")
    assert not is_left(path)
    assert not caplog.records


def test_after_a_kill_the_next_process_removes_what_is_left(mind, path):
    mind.remember(f"the word is {SECRET}")
    mind.close()
    done = subprocess.run([sys.executable, "-c", PURGE_AND_DIE, str(path)], capture_output=True, timeout=60)
    assert done.returncode == 9
    assert is_left(path)
    with Recollect(path, embedder="hashing") as again:
        assert soon(lambda: not is_left(path))
        assert again.list() == []


def test_a_copy_does_not_inherit_the_note_that_text_is_left(mind, path, reader, tmp_path):
    from recollect.keep.migrate import migrate

    mind.purge(namespace="default")
    migrate(str(path), str(tmp_path / "copy.db"))
    with Recollect(tmp_path / "copy.db", embedder="hashing") as copy:
        assert copy.check() == []


def test_the_log_shrinks_once_a_slow_reader_is_done(mind, path, reader):
    write_much(mind)
    assert wal.size(f"{path}-wal") > wal.LIMIT_BYTES
    reader.execute("COMMIT")
    write_much(mind, 1)
    mind.remember("one more")
    assert wal.size(f"{path}-wal") <= wal.LIMIT_BYTES


def test_without_readers_the_log_stays_below_its_limit(mind, path):
    for round in range(3):
        write_much(mind, start=round)
        assert wal.size(f"{path}-wal") <= wal.LIMIT_BYTES


def write_much(mind, rounds=5, start=0):
    """Some megabytes of rows."""
    for n in range(rounds):
        mind.remember(f"{start} {n} " + "a long text " * 8_000, metadata={"filler": "x" * 4_000_000})


def test_a_full_disk_during_a_purge_is_not_called_an_undone_write(mind, path, tmp_path, caplog):
    """The purge is committed; only its traces can't be removed yet."""
    mind.remember(f"the word is {SECRET}")
    eraser = mind.store._eraser
    eraser._db._writer.pragma("max_page_count", 1)  # VACUUM and growth are refused, as on a full disk
    with caplog.at_level(logging.WARNING, "recollect"):
        mind.purge(namespace="default")
    eraser._db._writer.pragma("max_page_count", 1_000_000)
    assert mind.list() == []
    assert "undone" not in caplog.text
    assert soon(lambda: not is_left(path))
