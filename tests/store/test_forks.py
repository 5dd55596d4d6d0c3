"""A process that forks after it opened a store: parent and child both go on, and neither loses anything."""

import os

import pytest
from inspect_store import python

from recollect import Recollect

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")

START = """
import os, sys, threading
from recollect import Recollect

def child(work, end=os._exit):
    '''Runs in a forked child. `os._exit` is how multiprocessing ends one, `sys.exit` how a program ends.'''
    pid = os.fork()
    if pid == 0:
        work()
        end(0)
    return pid

def wait(pid):
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0, status

mind = Recollect(sys.argv[1], embedder="hashing")
mind.remember("the first entry")
mind.recall("entry", recipe="vector")
"""
PARENT_CLOSES = """
closed, written = os.pipe(), os.pipe()
def work():
    os.read(closed[0], 1)
    for n in range(20):
        mind.remember(f"child entry {n}", dedup=False)
    assert mind.recall("child entry 7", recipe="vector").hits
    os.write(written[1], b".")
pid = child(work)
mind.remember("parent entry", dedup=False)
mind.close()
os.write(closed[1], b".")
os.read(written[0], 1)
wait(pid)
"""
BOTH_GO_ON = """
def work(name):
    for n in range(20):
        mind.remember(f"{name} entry {n}", dedup=False)
        mind.recall(f"{name} entry {n}", recipe="bm25")
children = [child(lambda name=name: work(name), sys.exit) for name in ("ada", "bob")]
work("cyd")
for pid in children:
    wait(pid)
assert mind.stats().memories == 61
work("dan")
mind.close()
"""
GRANDCHILDREN = """
def work():
    mind.remember("child entry", dedup=False)
    wait(child(lambda: mind.remember("grandchild entry", dedup=False)))
    mind.remember("second child entry", dedup=False)
wait(child(work))
mind.close()
"""
IDLE_CHILD = """
pid = child(lambda: None, sys.exit)
for n in range(20):
    mind.remember(f"parent entry {n}", dedup=False)
wait(pid)
mind.remember("last parent entry", dedup=False)
mind.close()
"""
TWO_STORES = """
other = Recollect(sys.argv[1], embedder="hashing")
def work():
    mind.close()
    for n in range(5):
        other.remember(f"child entry {n}", dedup=False)
pid = child(work)
other.close()
mind.close()
wait(pid)
"""
WHILE_THREADS_WORK = """
stop = threading.Event()
def writes():
    n = 0
    while not stop.is_set():
        mind.remember(f"thread entry {n}", dedup=False)
        n += 1
threads = [threading.Thread(target=writes) for _ in range(2)]
for thread in threads:
    thread.start()
for n in range(10):
    wait(child(lambda: Recollect(sys.argv[1], embedder="hashing").remember(f"child entry {n}", dedup=False)))
stop.set()
for thread in threads:
    thread.join()
mind.close()
"""


def held(path):
    with Recollect(path, embedder="hashing") as mind:
        assert mind.check() == []
        return sorted(memory.text for memory in mind.list())


def entries(name, count):
    return {f"{name} entry {n}" for n in range(count)}


def test_what_a_child_writes_stays_after_its_parent_closed_the_store(path):
    python(START + PARENT_CLOSES, path)
    assert set(held(path)) == {"the first entry", "parent entry"} | entries("child", 20)


def test_parent_and_children_write_at_once(path):
    python(START + BOTH_GO_ON, path)
    assert set(held(path)) == {"the first entry"} | {
        text for name in ("ada", "bob", "cyd", "dan") for text in entries(name, 20)
    }


def test_a_child_of_a_child_can_write_too(path):
    python(START + GRANDCHILDREN, path)
    assert held(path) == ["child entry", "grandchild entry", "second child entry", "the first entry"]


def test_a_child_that_does_nothing_takes_nothing_away(path):
    python(START + IDLE_CHILD, path)
    assert set(held(path)) == {"the first entry", "last parent entry"} | entries("parent", 20)


def test_two_memories_on_one_file_are_both_reopened(path):
    python(START + TWO_STORES, path)
    assert set(held(path)) == {"the first entry"} | entries("child", 5)


def test_a_fork_waits_for_a_writer_in_another_thread(path):
    python(START + WHILE_THREADS_WORK, path)
    assert entries("child", 10) <= set(held(path))


def test_a_fork_inside_a_transaction_leaves_it_to_the_parent(path):
    script = """
from recollect.errors import StoreError
with mind._store.transaction():
    mind.remember("in the transaction")
    pid = os.fork()
    if pid == 0:
        try:
            mind.remember("from the child")
        except StoreError as error:
            os._exit(0 if "forked" in str(error) else 1)
        os._exit(2)
    wait(pid)
    mind.remember("still in the transaction")
pid = os.fork()
if pid == 0:
    mind.remember("from another child")
    os._exit(0)
wait(pid)
mind.close()
"""
    python(START + script, path)
    assert held(path) == ["from another child", "in the transaction", "still in the transaction", "the first entry"]


def test_a_child_that_leaves_the_block_of_a_transaction_commits_nothing(path):
    script = """
from recollect.errors import StoreError
try:
    with mind._store.transaction():
        mind.remember("in the transaction")
        pid = os.fork()
        if pid:
            wait(pid)
            raise KeyError
except KeyError:
    pass
except StoreError as error:
    sys.exit(0 if "forked" in str(error) else 1)
mind.remember("afterwards")
mind.close()
"""
    python(START + script, path)
    assert held(path) == ["afterwards", "the first entry"]


def test_a_memory_in_memory_is_copied_into_the_child():
    script = """
wait(child(lambda: mind.remember("child entry")))
assert mind.stats().memories == 1
"""
    python(START + script, ":memory:")


def test_a_fork_that_calls_no_hook_is_noticed_too(path):
    script = """
import ctypes
closed = os.pipe()
pid = ctypes.PyDLL(None).fork()
if pid == 0:
    os.read(closed[0], 1)
    mind.remember("child entry", dedup=False)
    os._exit(0)
mind.close()
os.write(closed[1], b".")
wait(pid)
"""
    python(START + script, path)
    assert held(path) == ["child entry", "the first entry"]


def test_a_child_uses_the_models_that_its_parent_has_loaded(path):
    script = """
mind = Recollect(sys.argv[2])
mind.remember("Ada prefers dark mode")
assert mind.recall("which theme does Ada like?").hits
def work():
    mind.remember("Bob prefers light mode")
    assert mind.recall("which theme does Bob like?").hits
pid = child(work, sys.exit)
mind.close()
wait(pid)
"""
    python(START + script, path, path.with_name("other.db"))
    with Recollect(path.with_name("other.db")) as mind:
        assert mind.stats().memories == 2
