"""The SQLite store keeps every promise of the protocol, in memory and in a file."""

import gc
import sys

import apsw
import pytest
from older_schema import take_back_own_indexes, take_back_statement_keys

from recollect import Recollect
from recollect.store import open_store
from recollect.store.sqlite.covered import COVERED
from recollect.store.sqlite.schema import MIGRATIONS
from recollect.store.tables import KINDS
from recollect.testing.conformance import CHECKS
from recollect.write.build.words import document


@pytest.fixture(params=["memory", "file"])
def store(request, tmp_path):
    opened = open_store(":memory:" if request.param == "memory" else str(tmp_path / "agent.db"))
    yield opened
    opened.close()


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_sqlite_store_conforms(check, store):
    check(store)


@pytest.mark.parametrize("block", ["transaction", "_snapshot"])
def test_a_block_that_ctrl_c_left_open_ends_quietly_after_the_store_was_closed(block, tmp_path, monkeypatch):
    """Ctrl-C can arrive after a block began and before Python notes how to end it. The garbage collector ends it."""
    complaints = []
    monkeypatch.setattr(sys, "unraisablehook", complaints.append)
    path = str(tmp_path / "agent.db")
    with Recollect(path, embedder="hashing") as mind:
        mind.remember("the spare key is under the blue pot")
        left_open = getattr(mind._store, block)()
        left_open.__enter__()
    del left_open
    gc.collect()
    assert complaints == []
    with Recollect(path, embedder="hashing") as mind:
        assert mind.stats().memories == 1 and mind.check() == []


def test_a_file_of_an_older_version_is_brought_up_to_this_one(tmp_path):
    path = str(tmp_path / "old.db")
    with Recollect(path, embedder="hashing") as mind:
        mind.remember("the spare key is under the blue pot", at="2024-02-14T10:00:00Z")
    file = apsw.Connection(path)
    take_back_own_indexes(file)
    file.execute("DROP INDEX memory_by_time")
    file.execute("ALTER TABLE event DROP COLUMN hash")
    for kind in KINDS[1:]:
        file.execute(f"DROP TABLE {kind.TABLE}")
    for table in ("vector", *(COVERED.keys() - {kind.TABLE for kind in KINDS[1:]})):
        file.execute(f"ALTER TABLE {table} DROP COLUMN checksum")
    file.pragma("user_version", 1)
    file.close()
    with Recollect(path, embedder="hashing") as mind:
        assert mind.recall("spare key in February 2024", at="2024-03-01T00:00:00Z").hits
        assert mind.check() == []
    file = apsw.Connection(path)
    assert file.pragma("user_version") == len(MIGRATIONS)
    plan = " ".join(
        str(row)
        for row in file.execute(
            "EXPLAIN QUERY PLAN SELECT row FROM memory m WHERE coalesce(m.occurred_at, m.created_at) >= 1 "
            "AND coalesce(m.occurred_at, m.created_at) < 2"
        )
    )
    assert "memory_by_time" in plan
    file.close()


def test_a_file_without_keys_of_statements_gets_them_and_finds_what_is_said_again(tmp_path):
    path = str(tmp_path / "old.db")
    with Recollect(path, embedder="hashing") as mind:
        first = mind.remember("The spare key is under the blue pot")
    file = apsw.Connection(path)
    take_back_statement_keys(file)
    file.pragma("user_version", 6)
    file.close()
    with Recollect(path, embedder="hashing") as mind:
        assert mind.remember("the spare key is really under the blue pot").merged_into == first.id
        assert mind.check() == []


def test_a_wrong_key_of_a_statement_is_found_and_repaired(tmp_path):
    with Recollect(tmp_path / "agent.db", embedder="hashing") as mind:
        first = mind.remember("The spare key is under the blue pot")
        mind.store._db._writer.execute("UPDATE document SET same = 7")
        assert [finding.what for finding in mind.check()] == ["keys of statements that are wrong"]
        assert mind.store.check(repair=document) == []
        assert mind.remember("the spare key is really under the blue pot").merged_into == first.id
