"""The hash chain of the event log, on both engines."""

import hashlib
import json
import subprocess
import sys

import apsw
import psycopg
import pytest
from inspect_store import everything

from recollect import Recollect
from recollect.keep.migrate import migrate
from recollect.store import open_store
from recollect.store.chain import START
from recollect.store.sql import chain as sql_chain
from recollect.store.values import Batch

pytest_plugins = ["server_fixtures"]

WRITER = """
import sys
from recollect import Recollect
with Recollect(sys.argv[1], embedder="hashing") as mind:
    for n in range(40):
        mind.remember(f"{sys.argv[2]} wrote entry {n} of the ledger", dedup=False)
"""
VERSION_3 = ("PRAGMA user_version = 3", "UPDATE setting SET value = '3' WHERE key = 'postgres:schema_version'")


@pytest.fixture(params=["sqlite", "postgres"])
def url(request, tmp_path):
    return str(tmp_path / "agent.db") if request.param == "sqlite" else request.getfixturevalue("database")


def tamper(url, *statements):
    """Changes the tables with another program."""
    if "://" in url:
        with psycopg.connect(url) as db:
            for sql in statements:
                db.execute(sql.replace(" event", " recollect.event").replace(" setting", " recollect.setting"))
        return
    db = apsw.Connection(url)
    for sql in statements:
        db.execute(sql)
    db.close()


def opened(url):
    return Recollect(url, embedder="hashing")


@pytest.fixture
def chained(url):
    """Ten events, of which the last eight are chained: the log's positions are 1 to 10."""
    with opened(url) as mind:
        for n in range(2):
            mind.remember(f"note {n} before the chain")
        mind.chain(True)
        for n in range(8):
            mind.remember(f"note {n} in the chain")
    return url


def logged(url):
    """The ids of the events, oldest first."""
    with opened(url) as mind:
        return [event.id for event in reversed(mind.store.events())]


def faults(url, **given):
    with opened(url) as mind:
        return [finding.what for finding in mind.check(**given)]


def test_a_store_has_no_chain_until_it_is_turned_on(url):
    with opened(url) as mind:
        mind.remember("I live in Oslo")
        assert mind.chain() is None
        assert mind.chain(True) == mind.chain() == START
        mind.remember("I work at Bolt")
        assert mind.chain() not in (None, START)
        assert mind.check() == []


def test_a_store_of_the_version_before_opens_and_can_begin_a_chain(url):
    with opened(url) as mind:
        mind.remember("I live in Oslo")
    tamper(url, "ALTER TABLE event DROP COLUMN hash", VERSION_3["://" in url])
    with opened(url) as mind:
        assert mind.check() == []
        mind.chain(True)
        mind.remember("I work at Bolt")
        assert mind.check() == [] and mind.chain() != START


def test_every_change_of_a_lived_memory_fits_the_chain(url):
    with opened(url) as mind:
        mind.chain(True)
        mind.ingest([{"role": "user", "content": "I live in Tartu. I work at Bolt."}], session_id="a", at="2026-03-01")
        mind.ingest([{"role": "user", "content": "I moved to Utrecht."}], session_id="b", at="2026-04-01")
        note = mind.remember("The pool has 40 seats", importance=0.3, tags=["größe"])
        mind.update(note.id, text="The pool has 50 seats", importance=0.7)
        undone = mind.undo(mind.history(note.id)[-1].id)
        mind.undo(undone.id)
        mind.forget(note.id)
        mind.move("default", "acme/ada")
        mind.tend(namespace="acme", at="2026-12-01")
        assert mind.check() == []


def test_a_changed_event_is_named(chained):
    changed = logged(chained)[5]
    tamper(chained, f"UPDATE event SET actor = 'somebody' WHERE id = '{changed}'")
    assert faults(chained) == [
        f"event {changed} (remember) does not fit the chain: "
        "it was changed or inserted, or an event before it was removed"
    ]


def test_after_a_removed_event_the_next_one_is_named(chained):
    ids = logged(chained)
    tamper(chained, f"DELETE FROM event WHERE id = '{ids[5]}'")
    assert [ids[6] in fault for fault in faults(chained)] == [True]


def test_a_removed_first_or_last_event_is_noticed(chained):
    ids = logged(chained)
    tamper(chained, f"DELETE FROM event WHERE id = '{ids[-1]}'")
    assert faults(chained) == ["events were removed or added at the end of the log"]
    tamper(chained, f"DELETE FROM event WHERE id = '{ids[2]}'")
    assert faults(chained) == [f"event {ids[2]}, the first of the chain, was removed from the log"]


def test_an_inserted_event_is_named(chained):
    columns = "tenant, " if "://" in chained else ""
    tamper(
        chained,
        f"INSERT INTO event ({columns}id, at, actor, action, namespace, detail) "
        f"SELECT {columns}'forged', at, actor, action, namespace, detail FROM event WHERE id = '{logged(chained)[-1]}'",
    )
    assert faults(chained) == ["event forged (remember) has no hash: it was not written by recollect"]


def test_events_before_the_chain_are_not_covered(chained):
    tamper(chained, f"UPDATE event SET actor = 'somebody' WHERE id = '{logged(chained)[0]}'")
    assert faults(chained) == []


def test_a_chain_computed_anew_lacks_the_head_that_was_kept_elsewhere(chained):
    with opened(chained) as mind:
        kept = mind.chain()
        mind.remember("one more note")
        assert mind.check(chain_head=kept) == mind.check(chain_head=START) == []
        mind.chain(False)
        assert "has no chain" in mind.check(chain_head=kept)[0].what
        mind.chain(True)
        mind.remember("another note")
        assert mind.check() == []
        assert [finding.what for finding in mind.check(chain_head=kept)] == [
            f"the chain does not contain {kept}: the log was written anew"
        ]


def test_purging_leaves_the_chain_whole(chained):
    with opened(chained) as mind:
        note = mind.remember("the code of the safe is 4471")
        mind.update(note.id, text="the code of the safe is 9920")
        mind.purge(note.id)
        assert mind.check() == []


def test_the_hash_can_be_computed_with_other_tools(tmp_path):
    url = str(tmp_path / "agent.db")
    with opened(url) as mind:
        mind.chain(True)
        note = mind.remember("Grüße aus Köln", tags=["größe"], importance=0.1)
        head = mind.chain()
        (event,) = mind.store.events()
    at = event.at.isoformat().replace("+00:00", "Z")
    said = [event.id, at, "user", "remember", "default", dict(event.detail), [note.id]]
    content = json.dumps(said, sort_keys=True, separators=(",", ":"))
    assert hashlib.sha256(f"{START}\n{content}".encode()).hexdigest() == head
    assert [row[-1] for row in everything(url)["event"]] == [head]


def test_several_processes_write_one_chain(url):
    with opened(url) as mind:
        mind.chain(True)
    line = [sys.executable, "-W", "error", "-c", WRITER, url]
    started = [subprocess.Popen([*line, name]) for name in ("ada", "bob", "eve")]
    assert [process.wait(60) for process in started] == [0, 0, 0]
    assert len(logged(url)) == 120
    assert faults(url) == []


def test_the_chain_is_verified_in_pages(chained, monkeypatch):
    monkeypatch.setattr(sql_chain, "PAGE", 3)
    assert faults(chained) == []


def test_a_failed_write_leaves_the_chain_as_it_was(chained):
    store = open_store(chained)
    with pytest.raises(RuntimeError), store.transaction(), Recollect(":memory:", embedder="hashing") as other:
        other.remember("a note of another store")
        store.write(Batch(events=other.store.events()))
        raise RuntimeError
    assert store.check() == []
    store.close()


def test_a_migrated_store_begins_its_own_chain_with_the_first_event(chained, tmp_path):
    target = str(tmp_path / "target.db")
    migrate(chained, target)
    assert faults(target) == []
    assert all(row[-1] for row in everything(target)["event"])
    with opened(target) as mind:
        mind.remember("a note after the move")
        assert mind.check() == []


def test_a_chain_over_the_whole_log_has_the_same_head_after_a_move(url, tmp_path):
    with opened(url) as mind:
        mind.chain(True)
        mind.remember("Grüße aus Köln", tags=["größe"], importance=0.1)
        mind.update(mind.list()[0].id, importance=1 / 3, metadata={"n": 1e22})
        head = mind.chain()
    migrate(url, str(tmp_path / "target.db"))
    with opened(str(tmp_path / "target.db")) as mind:
        assert mind.chain() == head


def test_an_import_is_chained_as_it_arrives(chained, tmp_path):
    with opened(chained) as mind:
        mind.export(tmp_path / "notes.jsonl")
    with opened(str(tmp_path / "other.db")) as other:
        other.chain(True)
        other.import_(tmp_path / "notes.jsonl")
        assert other.check() == []
        assert len(other.store.events()) >= 10


def test_a_store_without_a_chain_is_copied_without_one(url, tmp_path):
    with opened(url) as mind:
        mind.remember("I live in Oslo")
        mind.backup(tmp_path / "copy.db")
    with opened(str(tmp_path / "copy.db")) as copy:
        assert copy.chain() is None


def test_a_backup_keeps_the_chain(chained, tmp_path):
    with opened(chained) as mind:
        mind.backup(tmp_path / "copy.db")
    with opened(str(tmp_path / "copy.db")) as copy:
        assert copy.chain() is not None
        assert copy.check() == []
