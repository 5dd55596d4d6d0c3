"""Several processes on one database, and a server that goes away in the middle."""

import os
import subprocess
import sys
import threading
import time

import pytest
from postgres_server import running

from recollect import Recollect
from recollect.errors import StoreError
from recollect.store.postgres import connections

pytest_plugins = ["server_fixtures"]

SECONDS = 3
WRITER = """
import sys, time
from recollect import Recollect
url, name, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
with Recollect(url, embedder="hashing", namespace=f"acme/{name}", actor=name) as mind:
    print("ready", flush=True)
    end, n = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        mind.remember(f"{name} wrote entry {n}", metadata={"n": n}, dedup=n % 2 == 0)
        mind.remember("what everybody says", namespace="acme/shared")
        n += 1
    print(n)
"""
READER = """
import sys, time
from recollect import Recollect
url, name, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
with Recollect(url, embedder="hashing", namespace="acme", actor=name) as mind:
    print("ready", flush=True)
    end, n = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        for hit in mind.recall(f"who wrote entry {n}", limit=3).hits:
            assert hit.memory.text
        n += 1
    print(n)
"""


def _start(script, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def _sessions(server, database):
    name = database.rpartition("/")[2]
    ((count,),) = server.execute(f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{name}'")
    return count


def _none_left(server, database):
    """A server takes a moment to see that a connection was closed."""
    until = time.monotonic() + 5
    while (left := _sessions(server, database)) and time.monotonic() < until:
        pass
    return left == 0


def test_processes_that_write_and_read_at_once_lose_nothing(server, database):
    with Recollect(database, embedder="hashing") as mind:
        mind.remember("the first", namespace="acme")
    started = [
        _start(script, database, f"{script is WRITER}{n}", SECONDS) for n in range(2) for script in (WRITER, READER)
    ]
    done = [process.communicate(timeout=60) for process in started]
    assert [process.returncode for process in started] == [0] * 4, [said for _, said in done]
    written = [int(out.split()[-1]) for out, _ in done][::2]
    recalled = [int(out.split()[-1]) for out, _ in done][1::2]
    assert all(written) and all(recalled)
    with Recollect(database) as mind:
        for n, count in enumerate(written):
            held = {memory.metadata["n"] for memory in mind.list(namespace=f"acme/True{n}")}
            assert held == set(range(count))
        assert len(mind.list(namespace="acme/shared")) == 1  # nobody took it for new twice
        assert mind.stats().recalls == sum(recalled)
        assert mind.check() == []
    assert _none_left(server, database)


def test_what_is_due_is_done_by_one_of_several_that_tend_at_once(database):
    from tend.tended import NOW, OTHERS, full, mind, plant
    from tend.test_tend import start

    with full(database) as filled:
        plant(filled, [f"old {word}" for word in OTHERS], at="2026-09-01", granularity="turn")
    both = [start(database, "live"), start(database, "live")]
    assert [process.wait(60) for process in both] == [0, 0]
    with mind(database) as filled:
        counts = filled.stats()
        assert (counts.by_status["consolidated"], counts.by_tier["archived"]) == (6, len(OTHERS))
        assert len([m for m in filled.list() if m.origin == "tend"]) == 2
        assert filled.check() == []
        assert set(filled.tend(at=NOW).counts.values()) == {0}


def test_threads_share_a_few_connections(server, database):
    from concurrent.futures import ThreadPoolExecutor

    with Recollect(database, embedder="hashing") as mind, ThreadPoolExecutor(6) as pool:

        def work(n):
            mind.remember(f"thread entry {n}", dedup=False)
            return len(mind.recall(f"entry {n}").hits)

        assert all(pool.map(work, range(60)))
        assert mind.stats().memories == 60 and mind.check() == []
        assert _sessions(server, database) <= 12  # a recall asks two routes at once
    assert _none_left(server, database)


def test_more_threads_than_connections_wait_for_each_other(database, monkeypatch):
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 2)
    monkeypatch.setattr(connections, "BUSY_TIMEOUT_SECONDS", 0.2)
    with Recollect(database, embedder="hashing") as mind:
        mind.remember("Ada prefers dark mode")
        go, held = threading.Event(), threading.Barrier(3)

        def hold():
            with mind._store._db.read():
                held.wait()
                go.wait()

        threads = [threading.Thread(target=hold) for _ in range(2)]
        for thread in threads:
            thread.start()
        held.wait()
        with pytest.raises(StoreError, match="all 2 connections .* are in use"):
            mind.list()
        go.set()
        for thread in threads:
            thread.join()
        assert mind.list()


def test_a_server_that_is_killed_and_comes_back_has_every_acknowledged_write():
    with running(fsync="off") as server:  # it is the process that dies, not the machine
        with Recollect(server.database(), embedder="hashing") as mind:
            acknowledged, said, went_on = [], [], threading.Event()

            def write():
                for n in range(100_000):
                    try:
                        acknowledged.append(mind.remember(f"entry {n} of the ledger", dedup=False).id)
                        if said:
                            went_on.set()
                            return
                    except StoreError as error:
                        said.append(str(error))

            writer = threading.Thread(target=write)
            writer.start()
            while len(acknowledged) < 50:
                writer.join(0.01)
            server.kill()
            while not said:
                writer.join(0.01)
            with pytest.raises(StoreError, match="the connection to .* was lost|is the server running"):
                mind.list()
            server.start()
            assert went_on.wait(20)
            writer.join()
            assert all(len(line.splitlines()) == 1 and "postgresql://" in line for line in said)
            held = {memory.id for memory in mind.list()}
            assert held.issuperset(acknowledged)
            assert mind.check() == []
            assert mind.recall("entry 7 of the ledger").hits


FORKS = """
import os, sys
from recollect import Recollect
from recollect.errors import StoreError

def wait(pid):
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0

mind = Recollect(sys.argv[1], embedder="hashing")
mind.remember("the first entry")
mind.recall("entry", recipe="memweave")
pid = os.fork()
for n in range(10):
    mind.remember(f"{'parent' if pid else 'child'} entry {n}", dedup=False)
    assert mind.recall("entry", recipe="memweave").hits
if pid == 0:
    mind.close()
    sys.exit(0)
wait(pid)
mind.remember("last parent entry", dedup=False)
try:
    with mind._store.transaction():
        mind.remember("in the transaction", dedup=False)
        pid = os.fork()
        if pid:
            wait(pid)
except StoreError as error:
    sys.exit(0 if not pid and "forked" in str(error) else 1)
mind.close()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_opens_its_own_connections(database):
    process = _start(FORKS, database)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    with Recollect(database, embedder="hashing") as mind:
        texts = {memory.text for memory in mind.list()}
        assert {"the first entry", "last parent entry", "in the transaction"} <= texts and len(texts) == 23
        assert mind.check() == []
