"""A whole memory moves between the stores and back, can be taken up again, and is proved to have arrived."""

import random

import pytest
from cli.conftest import Shell
from test_congruence import NOW, _filled, _question

from recollect import Recollect
from recollect.errors import Conflict, InvalidInput, NotFound, StoreError
from recollect.keep.migrate import migrate
from recollect.store import copying, open_store

pytest_plugins = ["server_fixtures"]


def _lived(url):
    """A memory with a past: recalls with feedback, undone events, pins, purges, a vector less."""
    with Recollect(url, embedder="hashing") as mind:
        _filled(mind, random.Random(5))
        asked = mind.recall("Ada Berlin coffee", namespace="acme", recipe="siestai")
        mind.feedback(asked.id, used=[asked.hits[0].memory.id], outcome="helped")
        changed = asked.hits[1].memory
        mind.update(changed.id, text="something else altogether", metadata={"n": 1e22, "z": -0.0, "list": [1, None]})
        mind.undo(mind.history(changed.id)[-1].id)
        mind.pin(asked.hits[2].memory.id)
        mind.purge(asked.hits[3].memory.id)
        mind.set_retention("acme", expires_after_days=400)


def _answers(url):
    chosen = random.Random(9)
    with Recollect(url) as mind:
        return [
            [(hit.memory, hit.score) for hit in mind.recall(recipe="default", **_question(chosen)).hits]
            for _ in range(20)
        ]


def test_a_memory_moves_to_postgres_and_back_with_all_that_belongs_to_it(database, tmp_path):
    first, second = str(tmp_path / "first.db"), str(tmp_path / "second.db")
    _lived(first)
    moved = migrate(first, database)
    assert moved.counts["memories"] > 600 and moved.counts["vectors"]
    assert moved.counts["links"] and moved.counts["events"] and moved.counts["recalls"] == 21
    back = migrate(database, second)
    assert back.counts == moved.counts
    stores = [open_store(url) for url in (first, database, second)]
    try:
        assert copying.sums(stores[0]) == copying.sums(stores[1]) == copying.sums(stores[2])
        assert [store.check() for store in stores] == [[], [], []]
    finally:
        for store in stores:
            store.close()
    assert _answers(first) == _answers(database) == _answers(second)


class Broken(Exception):
    pass


@pytest.mark.parametrize("after", [1, 2])
def test_a_move_that_was_broken_off_goes_on_where_it_stopped(database, path, after, monkeypatch):
    monkeypatch.setattr(copying, "PAGE", 200)
    _lived(str(path))
    pages = []

    def counting(count):
        pages.append(count)
        if len(pages) == after:
            raise Broken

    with pytest.raises(Broken):
        migrate(str(path), database, lambda total: counting)
    migrate(str(path), database, lambda total: pages.append)
    with Recollect(path) as mind:
        assert sum(pages) == mind.stats().memories


def test_a_target_that_holds_something_is_refused_and_stays_as_it_is(database, path):
    for url in (path, database):
        with Recollect(url, embedder="hashing") as mind:
            mind.remember(f"in {url}")
    with pytest.raises(InvalidInput, match="holds 1 memories already: migrate into an empty store"):
        migrate(str(path), database)
    with Recollect(database) as mind:
        assert [memory.text for memory in mind.list()] == [f"in {database}"]


def test_a_source_that_changes_meanwhile_is_found_out(database, path):
    with Recollect(path, embedder="hashing") as mind:
        mind.remember("Ada prefers dark mode")
        with pytest.raises(Conflict, match="differ after the move .* migrate again"):
            migrate(str(path), database, lambda total: lambda count: mind.remember("Bob likes tea") and None)


def test_a_source_that_is_not_there_or_the_target_itself_is_refused(path, tmp_path):
    with pytest.raises(NotFound, match="no store at"):
        migrate(str(path), str(tmp_path / "other.db"))
    with pytest.raises(InvalidInput, match="the same store"):
        migrate(str(path), str(path))
    assert not (tmp_path / "other.db").exists()


def test_the_command_moves_and_says_what_arrived(database, path, tmp_path):
    shell = Shell(path)
    with Recollect(path, embedder="hashing") as mind:
        mind.remember("Ada prefers dark mode")
    assert shell.json("migrate", str(path), database)["counts"]["memories"] == 1
    assert "was verified there" in shell.done("migrate", database, str(tmp_path / "copy.db"))
    assert "was verified there" in shell.done("migrate", str(path), database)  # again: all of it is there
    with Recollect(str(tmp_path / "other.db"), embedder="hashing") as other:
        other.remember("Bob prefers light mode")
    assert "migrate into an empty store" in shell.refused(2, "migrate", str(tmp_path / "other.db"), database)
    assert shell.json("list", db=database)[0]["text"] == "Ada prefers dark mode"


def test_a_backup_of_a_database_is_a_file_with_the_same_content(database, tmp_path):
    _lived(database)
    with Recollect(database) as mind:
        copy = mind.backup(tmp_path / "copy.db")
        with pytest.raises(StoreError, match="never overwrites"):
            mind.backup(copy)
        with Recollect(copy) as opened:
            assert copying.sums(opened._store) == copying.sums(mind._store)
            asked = {"query": "Ada Berlin coffee", "namespace": "acme", "at": NOW, "track": False}
            assert [h.memory for h in opened.recall(**asked).hits] == [h.memory for h in mind.recall(**asked).hits]
