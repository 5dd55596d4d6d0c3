"""Long writes work in pages: others write in between, an interruption loses nothing, and one undo takes all back."""

import subprocess
import sys
import time

import pytest

from recollect import Recollect
from recollect.errors import Conflict

MANY = 1_300
"""More than two pages."""
OTHER = """
import sys, time
from pathlib import Path
from recollect import Recollect
with Recollect(sys.argv[1], embedder="hashing", namespace="other") as mind:
    mind.remember("the first one")
    Path(sys.argv[2]).touch()
    longest = 0.0
    while not Path(sys.argv[3]).exists():
        began = time.monotonic()
        mind.remember(f"a note of {began}")
        longest = max(longest, time.monotonic() - began)
print(longest)
"""


def texts(count=MANY):
    return [{"text": f"Note {n}: the parcel {n * 31 % 977} is in hall {n * 17 % 501}, shelf {n}"} for n in range(count)]


@pytest.fixture
def full(mind):
    mind.remember_many(texts())
    return mind


@pytest.fixture
def export(full, tmp_path):
    full.ingest([{"role": "user", "content": f"My {n}th car is a Saab {n}"} for n in range(6)], session_id="cars")
    full.recall("which parcel?")
    full.export(tmp_path / "all.jsonl")
    return tmp_path / "all.jsonl"


def longest_wait(work, path, tmp_path):
    """The longest time that another process waited for one write while the work was done."""
    ready, stop = tmp_path / "ready", tmp_path / "stop"
    command = [sys.executable, "-c", OTHER, str(path), str(ready), str(stop)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        while not ready.exists():
            time.sleep(0.01)
        try:
            work()
        finally:
            stop.touch()
        return float(other.communicate(timeout=60)[0])


@pytest.mark.parametrize("verb", ["forget", "archive", "purge"])
def test_another_process_writes_between_the_pages(full, path, tmp_path, verb):
    assert longest_wait(lambda: getattr(full, verb)(namespace="default"), path, tmp_path) < 2


def test_another_process_writes_while_a_file_is_imported(export, tmp_path):
    path = tmp_path / "new.db"
    with Recollect(path, embedder="hashing") as new:
        assert longest_wait(lambda: new.import_(export), path, tmp_path) < 2
        assert len(new.list(namespace="default")) > MANY


def test_one_undo_takes_back_all_pages_of_a_forget_and_one_more_forgets_them_again(full):
    full.forget(namespace="default")
    assert full.list() == []
    back = full.undo(full.store.events(limit=1)[0].id)
    assert len(back.changes) == len(full.list()) == MANY
    full.undo(back.id)
    assert full.list() == []
    assert full.check() == []


def test_an_undo_that_was_interrupted_continues(full):
    full.forget(namespace="default")
    pages = [event for event in full.store.events() if event.action == "forget"]
    full.undo(pages[-1].id)  # as far as an interrupted undo might come
    assert 0 < len(full.list()) < MANY
    full.undo(pages[0].id)
    assert len(full.list()) == MANY
    with pytest.raises(Conflict, match="undone already"):
        full.undo(pages[0].id)


def test_a_conflict_on_one_page_leaves_all_pages_as_they_are(full):
    full.forget(namespace="default")
    last = full.store.events(limit=1)[0].id
    first = min(memory.id for memory in full.list(statuses=["forgotten"]))
    full.update(first, status="active")
    with pytest.raises(Conflict, match="changed again"):
        full.undo(last)
    assert [memory.id for memory in full.list()] == [first]


def content(mind):
    """Everything that an import must bring, without its own events."""
    memories = {memory.id: memory.to_dict() for memory in mind.list(statuses=["active", "superseded", "forgotten"])}
    links = sorted((link.a, link.b, link.kind) for link in mind.store.links(memories))
    events = sorted(event.id for event in mind.store.events() if event.action != "import")
    return memories, links, events, [record.entry for record in mind.store.recalls()]


@pytest.mark.parametrize("after", [1, 2, 3, 4])
def test_an_import_that_was_interrupted_continues_and_misses_nothing(full, export, tmp_path, after):
    """`after`: the transaction after which the first attempt ends."""
    with Recollect(tmp_path / "new.db", embedder="hashing") as new:
        interrupt(new, after)
        with pytest.raises(KeyboardInterrupt):
            new.import_(export)
    with Recollect(tmp_path / "new.db", embedder="hashing") as new:
        new.import_(export)
        assert content(new) == content(full)
        assert new.check() == []
        assert new.import_(export) == 0


def interrupt(mind, after):
    """Ctrl-C at the begin of a transaction."""
    own, counted = mind.store.transaction, iter(range(after))

    def transaction():
        if next(counted, None) is None:
            raise KeyboardInterrupt
        return own()

    mind.store.transaction = transaction
