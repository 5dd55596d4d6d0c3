"""Reading does not depend on writing: on a full disk and beside a long write, recall, get and context still answer."""

import subprocess
import sys
import threading

import apsw
import pytest

from recollect import Recollect

FULL = "PRAGMA max_page_count = {}"


@pytest.fixture
def told(mind):
    mind.remember("Ada sails a small boat")
    mind.remember("Ada lives in Porto")
    return mind


@pytest.fixture
def locked(told, path):
    """Another program that writes all the time."""
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE")
    yield other
    if other.in_transaction:
        other.execute("ROLLBACK")
    other.close()


def everything(mind):
    found = mind.recall("who sails a boat?")
    mind.get(found.hits[0].memory.id)
    mind.assemble("Where does Ada live?")
    mind.profile("Ada")
    return found


def test_recall_get_context_and_profile_answer_at_once_while_another_program_writes(told, locked):
    done = []
    reading = threading.Thread(target=lambda: done.append(everything(told)))
    reading.start()
    reading.join(timeout=4)  # the writer's patience is 5 s
    assert done and done[0].hits[0].memory.text == "Ada sails a small boat"


def test_what_waited_is_in_the_log_before_it_is_read(told, locked):
    found = everything(told)
    locked.execute("ROLLBACK")
    [hit, *_] = told.recalls(found.hits[0].memory.id)[::-1]
    assert hit.query == "who sails a boat?"
    assert told.feedback(found.id, [found.hits[0].memory.id], "helped")


def test_what_waited_is_written_by_a_close(told, locked, path):
    found = everything(told)
    locked.execute("ROLLBACK")
    told.close()
    with Recollect(path, embedder="hashing") as again:
        held = again.store.recalls(id=found.id)
        assert [record.entry.query for record in held] == ["who sails a boat?"]
        assert again.store.get([found.hits[0].memory.id])[found.hits[0].memory.id].access_count == 1
        assert again.check() == []


def test_what_waited_is_written_once_by_a_thread_without_another_call(told, locked, path):
    found = everything(told)
    locked.execute("ROLLBACK")
    told.store._waiting._thread.join(timeout=10)
    held = apsw.Connection(str(path)).execute("SELECT count(*) FROM recall WHERE id = ?", (found.id,)).get
    assert held == 1


def test_what_waited_is_written_when_the_program_ends_without_a_close(told, path):
    script = (
        "import sys, apsw; from recollect import Recollect\n"
        "mind = Recollect(sys.argv[1], embedder='hashing')\n"
        "other = apsw.Connection(sys.argv[1]); other.execute('BEGIN IMMEDIATE')\n"
        "print(mind.recall('who sails a boat?').id)\n"
        "other.execute('ROLLBACK')\n"
    )
    made = subprocess.run([sys.executable, "-W", "error", "-c", script, str(path)], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    assert told.store.recalls(id=made.stdout.strip())


def test_recall_and_get_answer_on_a_full_disk_and_are_logged_when_there_is_room(told):
    writer = told.store._db._writer
    writer.execute("PRAGMA max_page_count = 1").fetchall()  # SQLite then has no more room than it uses
    pages = writer.pragma("page_count")
    while len(told.store._waiting) == 0:
        found = everything(told)
    assert writer.pragma("page_count") == pages
    assert everything(told).hits
    writer.execute(FULL.format(1 << 30)).fetchall()
    assert told.store.recalls(id=found.id)
    assert told.check() == []


def test_a_question_that_waited_is_not_logged_after_its_memory_was_purged(told, locked, path):
    found = everything(told)
    locked.execute("DELETE FROM memory WHERE id = ?", (found.hits[0].memory.id,))
    locked.execute("COMMIT")
    assert [record.entry.query for record in told.store.recalls(id=found.id)] == [""]


def test_a_store_that_waits_does_not_fill_the_memory_of_the_process(told, locked, monkeypatch):
    monkeypatch.setattr("recollect.store.recording.MOST_WAITING", 3)
    for _ in range(5):
        told.recall("who sails a boat?")
    assert len(told.store._waiting) == 3
