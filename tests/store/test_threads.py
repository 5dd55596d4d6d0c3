"""Forty threads on one store, as a server's pool has them: no error, nothing lost, nothing left open."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from recollect import Recollect
from recollect.errors import StoreError
from recollect.types import Filter

pytest_plugins = ["server_fixtures"]

THREADS = 40
ROUNDS = 4


@pytest.fixture(params=["memory", "file", "postgres"])
def url(request, tmp_path):
    if request.param == "postgres":
        return request.getfixturevalue("database")
    return ":memory:" if request.param == "memory" else str(tmp_path / "agent.db")


@pytest.fixture
def mind(url):
    with Recollect(url, embedder="hashing") as opened:
        yield opened


def busy(mind, n, start):
    """What one caller does: writes, reads, asks, changes, takes back."""
    mine = mind.acting(actor=f"key:{n}", namespace=f"acme/{n % 4}", trust="agent")
    start.wait()
    made = []
    for turn in range(ROUNDS):
        memory = mine.remember(f"Caller {n} saw number {turn} of the parade", dedup=False)
        made.append(memory.id)
        assert memory.id in {hit.memory.id for hit in mine.recall(f"caller {n} number {turn} parade", limit=50).hits}
        assert mine.get(memory.id).origin == f"key:{n}"
        mine.update(memory.id, importance=0.7)
        mine.link(made[0], memory.id) if turn else mine.history(memory.id)
        mine.list(limit=5)
    mine.forget(made[0])
    mine.ingest([{"role": "user", "content": f"I am caller {n} and I live in Lyon."}], session_id=f"s{n}")
    mine.stats()
    return made


def test_forty_threads_write_read_and_recall(mind):
    start = threading.Barrier(THREADS)
    with ThreadPoolExecutor(THREADS) as pool:
        made = list(pool.map(lambda n: busy(mind, n, start), range(THREADS)))
    ids = [id for each in made for id in each]
    held = mind.store.get(ids)
    assert len(held) == len(ids) == THREADS * ROUNDS
    assert sum(memory.status == "forgotten" for memory in held.values()) == THREADS
    assert {memory.importance for memory in held.values()} == {0.7}
    assert all(memory.retrieval_count for memory in held.values())
    assert mind.store.counts(()).recalls == THREADS * ROUNDS
    assert len(mind.store.events()) == mind.store.counts(()).events
    assert mind.check() == []


def test_two_threads_that_say_the_same_make_one_memory(mind):
    start = threading.Barrier(THREADS)

    def say(n):
        start.wait()
        return mind.acting(actor=f"key:{n}").remember("The parade is on Monday")

    with ThreadPoolExecutor(THREADS) as pool:
        said = list(pool.map(say, range(THREADS)))
    assert sum(memory.merged_into is None for memory in said) == 1
    assert len(mind.store.scan(Filter())) == 1


def test_threads_that_come_and_go_leave_nothing_open(tmp_path):
    with Recollect(tmp_path / "agent.db", embedder="hashing") as mind:
        mind.remember("The parade is on Monday")
        _in_a_thread(lambda: mind.recall("parade"))
        before = _open_files()
        for _ in range(30):
            _in_a_thread(lambda: mind.recall("parade"))
        assert _open_files() <= before + 3


def _in_a_thread(work):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def _open_files():
    folder = "/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd"
    return len(os.listdir(folder))


@pytest.mark.parametrize("again", range(5))
def test_closing_while_others_read_ends_them_with_an_error_that_says_so(tmp_path, again):
    mind = Recollect(tmp_path / "agent.db", embedder="hashing")
    mind.remember_many([{"text": f"Number {n} of the parade", "dedup": False} for n in range(50)])
    started, ended = threading.Barrier(9), []

    def read():
        started.wait()
        try:
            while True:
                mind.recall("parade", track=False)
        except StoreError as error:
            ended.append(str(error))

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    started.wait()
    mind.close()
    for thread in threads:
        thread.join(30)
    assert len(ended) == 8 and all("closed" in said for said in ended)
