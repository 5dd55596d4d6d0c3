"""The hash chain of the event log, on both engines."""

import hashlib
import json
import re
import subprocess
import sys

import apsw
import psycopg
import pytest
from inspect_store import everything
from older_schema import take_back_own_indexes

from recollect import Recollect
from recollect.keep.migrate import migrate
from recollect.keep.recover import recover
from recollect.keep.repair import repair
from recollect.store import open_store
from recollect.store.chain import START
from recollect.store.sql import chain as sql_chain
from recollect.store.sqlite.covered import COVERED, fill
from recollect.store.values import Batch

pytest_plugins = ["server_fixtures"]

WRITER = """
import sys
from recollect import Recollect
with Recollect(sys.argv[1], embedder="hashing") as mind:
    for n in range(40):
        mind.remember(f"{sys.argv[2]} wrote entry {n} of the ledger", dedup=False)
"""
NAMED = re.compile(r"(?<= )(event|setting|memory|view|term)\b(?! =)")
"""The tables that `tamper` changes."""


@pytest.fixture(params=["sqlite", "postgres"])
def url(request, tmp_path):
    return str(tmp_path / "agent.db") if request.param == "sqlite" else request.getfixturevalue("database")


def tamper(url, *statements):
    """Changes the tables with another program."""
    if "://" in url:
        with psycopg.connect(url) as db:
            for sql in statements:
                db.execute(NAMED.sub(r"recollect.\1", sql))
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


def break_the_chain(url):
    """Changes an event, and its checksum in a SQLite file. Only the chain tells."""
    tamper(url, f"UPDATE event SET actor = 'somebody' WHERE id = '{logged(url)[5]}'")
    if "://" not in url:
        store = open_store(url)
        with store._writing() as db:
            fill(db)
        store.close()


def logged(url):
    """The ids of the events, oldest first."""
    with opened(url) as mind:
        return [event.id for event in reversed(mind.store.events())]


def faults(url, **given):
    """What is wrong with the chain. A changed row has a wrong checksum too, which is another finding."""
    with opened(url) as mind:
        return [finding.what for finding in mind.check(**given) if finding.chain]


def made_older(url, version):
    """Takes away the columns that came after this schema version."""
    if "://" not in url:
        file = apsw.Connection(url)
        take_back_own_indexes(file)
        file.close()
    else:
        tamper(url, "ALTER TABLE recollect.recall DROP COLUMN ms")
    checked = ("memory", "view") if "://" in url else ("vector", *COVERED)
    tamper(url, *(f"ALTER TABLE {table} DROP COLUMN checksum" for table in checked))
    if version < 4:
        tamper(url, "ALTER TABLE event DROP COLUMN hash")
    in_postgres = f"UPDATE setting SET value = '{version}' WHERE key = 'postgres:schema_version'"
    tamper(url, in_postgres if "://" in url else f"PRAGMA user_version = {version}")


def test_a_store_has_no_chain_until_it_is_turned_on(url):
    with opened(url) as mind:
        mind.remember("I live in Oslo")
        assert mind.chain() is None
        assert mind.chain(True) == mind.chain() == START
        mind.remember("I work at Bolt")
        assert mind.chain() not in (None, START)
        assert mind.check() == []


def test_a_store_of_schema_3_opens_and_can_begin_a_chain(url):
    with opened(url) as mind:
        mind.remember("I live in Oslo")
    made_older(url, 3)
    with opened(url) as mind:
        assert mind.check() == []
        mind.chain(True)
        mind.remember("I work at Bolt")
        assert mind.check() == [] and mind.chain() != START


def test_a_store_of_schema_4_keeps_its_chain(chained):
    with opened(chained) as mind:
        head = mind.chain()
    made_older(chained, 4)
    with opened(chained) as mind:
        assert mind.chain() == head and mind.check() == []
        mind.remember("I work at Bolt")
        assert mind.check(chain_head=head) == []


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


def test_a_broken_chain_and_a_wrong_checksum_are_both_reported(chained):
    tamper(chained, f"UPDATE event SET actor = 'somebody' WHERE id = '{logged(chained)[5]}'")
    if "://" in chained:
        tamper(chained, "UPDATE memory SET text = 'other words' WHERE seq = 1")
    with opened(chained) as mind:
        found = mind.check()
    assert [finding.chain for finding in found].count(True) == 1
    assert any(finding.what.endswith("with a wrong checksum") for finding in found)


def test_words_are_mended_while_the_chain_is_broken(chained):
    break_the_chain(chained)
    wrong = "DELETE FROM term" if "://" in chained else "INSERT INTO term SELECT number, 'note', 9 FROM corpus"
    tamper(chained, wrong)
    with opened(chained) as mind:
        done = repair(mind.store, mind.embedder)
    assert done.mended and [finding.chain for finding in done.left] == [True]


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
    assert [row[8] for row in everything(url)["event"]] == [head]


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
    assert all(row[8] for row in everything(target)["event"])
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


def test_a_store_whose_chain_is_broken_can_be_backed_up_as_evidence(chained, tmp_path):
    break_the_chain(chained)
    with opened(chained) as mind:
        mind.backup(tmp_path / "copy.db")
    assert (tmp_path / "copy.db").exists()


# Damaged files ------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path):
    """A SQLite file with ten events, of which the last seven are chained; a chain before them was ended."""
    path = str(tmp_path / "agent.db")
    with opened(path) as mind:
        for on in (True, False, True):
            mind.remember(f"note with the chain {on}")
            mind.chain(on)
        for n in range(7):
            mind.remember(f"note {n} in the chain")
    return path


def recovered(path, **given):
    """What `recover` says of the chain, and the head in the new file."""
    new = f"{path}-new"
    done = recover(path, new)
    with opened(new) as mind:
        assert mind.check(**given) == []
        return done, mind.chain()


@pytest.mark.parametrize("version", [3, 4, 5])
def test_recover_keeps_the_chain_of_every_version(file, version):
    with opened(file) as mind:
        head = mind.chain()
        if version == 3:
            mind.chain(False)
    if version < 5:
        made_older(file, version)
    done, now = recovered(file)
    assert done.complete and (done.chain, now) == (("off", None) if version == 3 else ("kept", head))


def test_recover_keeps_a_chain_without_events(file):
    with opened(file) as mind:
        mind.chain(False)
        mind.chain(True)
    done, now = recovered(file)
    assert (done.chain, now) == ("kept", START) and done.saved["events"] == 10


def test_recover_keeps_the_chain_if_only_its_settings_are_lost(file):
    with opened(file) as mind:
        head = mind.chain()
    tamper(file, "UPDATE setting SET checksum = 1 WHERE key LIKE 'event_chain:%'")
    done, now = recovered(file)
    assert (done.chain, now) == ("kept", head) and not done.complete


def test_recover_keeps_the_chain_if_only_an_event_before_it_is_lost(file):
    tamper(file, "UPDATE event SET actor = 'somebody' WHERE seq = 3")
    done, _ = recovered(file)
    assert done.chain == "kept" and done.saved["events"] == 9


@pytest.mark.parametrize("position", [4, 7, 10], ids=["first", "middle", "last"])
def test_recover_begins_the_chain_anew_if_an_event_is_lost(file, position):
    with opened(file) as mind:
        head = mind.chain()
    tamper(file, f"UPDATE event SET actor = 'somebody' WHERE seq = {position}")
    done, now = recovered(file)
    assert done.chain == "begun anew" and not done.complete and now not in (None, head)


def test_an_earlier_head_is_still_in_the_chain_that_recover_began(file):
    with opened(file) as mind:
        head = mind.chain()
        mind.remember("one more note")
    tamper(file, "UPDATE event SET actor = 'somebody' WHERE seq = 11")
    done, now = recovered(file, chain_head=head)
    assert done.chain == "begun anew" and now == head


def test_recover_begins_the_chain_anew_if_a_change_of_an_event_is_lost(file):
    tamper(file, "UPDATE revision SET checksum = 1 WHERE event = 7")
    done, _ = recovered(file)
    assert done.chain == "begun anew"


def test_recover_says_that_a_chain_did_not_fit_although_every_row_is_whole(file):
    break_the_chain(file)
    done, _ = recovered(file)
    assert done.lost == () and done.chain == "begun anew" and not done.complete
