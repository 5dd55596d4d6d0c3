"""Several processes on one file: nothing lost, nothing twice, nothing half done."""

import json
import os
import signal
import subprocess
import sys

import pytest
from inspect_store import python

from recollect import Recollect
from recollect.errors import EmbedderMismatch, StoreLocked
from recollect.write.path import BATCH

WRITER = """
import json, sys
from recollect import Recollect
path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with Recollect(path, embedder="hashing") as mind:
    ids = []
    for start in range(0, count, 100):
        items = [{"text": f"{name} wrote entry {n} of the ledger"} for n in range(start, start + 100)]
        ids += [m.id for m in mind.remember_many([i | {"dedup": False} for i in items])]
print(json.dumps(ids))
"""
READER = """
import json, sys
from recollect import Recollect
path, recipe, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with Recollect(path, embedder="hashing") as mind:
    seen = [len(mind.recall(f"entry {n} of the ledger", recipe=recipe).hits) for n in range(count)]
print(json.dumps(seen))
"""


@pytest.fixture
def start():
    """Starts a script in a process of its own; none outlives the test."""
    started = []

    def start(script, *arguments):
        command = [sys.executable, "-W", "error", "-c", script, *map(str, arguments)]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
            process.communicate()


def finish(process):
    out, error = process.communicate(timeout=60)
    assert process.returncode == 0, error
    return json.loads(out)


def test_two_write_2_000_each_while_two_read(path, start):
    with Recollect(path, embedder="hashing") as mind:
        mind.remember("the first entry of the ledger")
        writers = [start(WRITER, path, name, 2_000) for name in ("ada", "bob")]
        readers = [start(READER, path, recipe, 150) for recipe in ("bm25", "default")]
        written = [id for process in writers for id in finish(process)]
        seen = [finish(process) for process in readers]
        assert len(set(written)) == 4_000
        assert set(written) <= {memory.id for memory in mind.list()}
        assert mind.stats().memories == 4_001
        assert mind.stats().recalls == 300
        assert all(count > 0 for counts in seen for count in counts)
        assert (
            mind.recall("bob wrote entry 1999", recipe="bm25").hits[0].memory.text
            == "bob wrote entry 1999 of the ledger"
        )
        assert mind.check() == []


def test_several_may_make_the_same_new_file_at_once(path, start):
    processes = [start(WRITER, path, name, 100) for name in ("ada", "bob", "cyd")]
    assert len({id for process in processes for id in finish(process)}) == 300
    with Recollect(path) as mind:
        assert mind.stats().memories == 300
        assert mind.check() == []


VICTIM = """
import sys
from recollect import Recollect
path, size = sys.argv[1], int(sys.argv[2])
mind = Recollect(path, embedder="hashing")
class Telling:
    name, fingerprint, dim = mind.embedder.name, mind.embedder.fingerprint, mind.embedder.dim
    def embed(self, texts):
        print("batch", flush=True)
        return mind.embedder.embed(texts)
with Recollect(path, embedder=Telling()) as telling:
    telling.remember_many({"text": f"entry {n} of the ledger"} for n in range(size))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 here")
@pytest.mark.parametrize("after", [1, 2, 5])
def test_a_writer_that_is_killed_leaves_every_batch_whole_or_absent(path, start, after):
    size = 20 * BATCH
    victim = start(VICTIM, path, size)
    for _ in range(after):
        assert victim.stdout.readline() == "batch\n"
    os.kill(victim.pid, signal.SIGKILL)
    victim.communicate()
    with Recollect(path, embedder="hashing") as mind:
        count = mind.stats().memories
        assert count % BATCH == 0 and count < size
        assert mind.check() == []
        assert mind.stats().without_vector == 0
        assert {event.action for memory in mind.list(limit=1) for event in mind.history(memory.id)} <= {"remember"}
        mind.remember("and on it goes")
        assert mind.recall("and on it goes", recipe="bm25").hits


def test_what_another_process_wrote_is_seen_at_once(path):
    with Recollect(path, embedder="hashing") as mind:
        mind.remember("Ada prefers dark mode")
        assert mind.recall("dark mode").hits
        python(WRITER, path, "cyd", 100)
        for recipe in ("bm25", "vector"):
            hit = mind.recall("cyd wrote entry 7 of the ledger", recipe=recipe).hits[0]
            assert hit.memory.text == "cyd wrote entry 7 of the ledger"


def test_a_lock_that_is_held_too_long_is_named(path, monkeypatch):
    from recollect.store.sqlite import connections

    monkeypatch.setattr(connections, "BUSY_TIMEOUT_SECONDS", 0.05)
    with Recollect(path, embedder="hashing") as holder, Recollect(path, embedder="hashing") as waiting:
        with holder._store.transaction(), pytest.raises(StoreLocked, match="locked by another process") as caught:
            waiting.remember("Ada prefers dark mode")
        assert str(path) in str(caught.value)
        waiting.remember("Ada prefers dark mode")
        assert holder.stats().memories == 1


def test_readers_go_on_while_another_writes(path):
    with Recollect(path, embedder="hashing") as writer, Recollect(path, embedder="hashing") as reader:
        writer.remember("Ada prefers dark mode")
        with writer._store.transaction():
            writer.remember("not yet committed")
            assert [memory.text for memory in reader.list()] == ["Ada prefers dark mode"]
            assert len(reader.recall("dark mode", recipe="bm25", track=False).hits) == 1
        assert len(reader.list()) == 2


def test_threads_share_one_memory(path):
    from concurrent.futures import ThreadPoolExecutor

    with Recollect(path, embedder="hashing") as mind, ThreadPoolExecutor(4) as pool:

        def work(n):
            mind.remember(f"thread entry {n}", dedup=False)
            return len(mind.recall(f"entry {n}").hits)

        assert all(pool.map(work, range(60)))
        assert mind.stats().memories == 60
        assert mind.check() == []


def test_who_opened_a_new_store_without_a_word_speaks_the_embedder_of_who_wrote_first(path):
    with Recollect(path) as silent, Recollect(path, embedder="hashing") as first:
        first.remember("Ada prefers dark mode")
        assert silent.recall("Ada prefers dark mode", recipe="vector").hits[0].score > 0.99
        assert silent.embedder.name == "hashing"


def test_who_named_another_embedder_is_refused_once_the_store_speaks_one(path):
    with Recollect(path, embedder="granite") as other, Recollect(path, embedder="hashing") as first:
        first.remember("Ada prefers dark mode")
        for use in (lambda: other.remember("Bob likes tea"), lambda: other.recall("tea", recipe="vector")):
            with pytest.raises(EmbedderMismatch, match="reembed --embedder granite"):
                use()
        assert first.stats().memories == 1
        assert first.check() == []
