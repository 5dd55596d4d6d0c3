"""The façade, awaited: many at once, cancelled in the middle, closed."""

import asyncio
import threading

import pytest

from recollect import AsyncRecollect, Recollect
from recollect.client.async_recollect import THREADS
from recollect.embedders.hashing import Hashing
from recollect.errors import NotFound, StoreError


class Held(Hashing):
    """An embedder that waits at its door until it is let in."""

    def __init__(self):
        super().__init__()
        self.waiting = threading.Semaphore(0)
        self.door = threading.Event()

    def embed(self, texts):
        self.waiting.release()
        assert self.door.wait(30)
        return super().embed(texts)


def threads():
    return [thread for thread in threading.enumerate() if thread.name.startswith("recollect")]


async def all_at_the_door(held, count):
    for _ in range(count):
        await asyncio.to_thread(held.waiting.acquire)


def test_fifty_awaits_at_once_are_all_answered(path):
    async def use():
        async with AsyncRecollect(path, embedder="hashing") as mind:
            stored = await asyncio.gather(*(mind.remember(f"Ship {n} carries lamp {n * 7919}") for n in range(50)))
            found = await asyncio.gather(
                *(mind.recall(memory.text, limit=1, recipe="default-fast") for memory in stored)
            )
            return stored, found

    stored, found = asyncio.run(use())
    assert [recall.hits[0].memory.id for recall in found] == [memory.id for memory in stored]
    with Recollect(path) as mind:
        assert mind.stats().memories == 50 and not mind.check()


def test_what_has_begun_is_done_to_its_end_when_its_await_is_cancelled(path):
    held = Held()

    async def use():
        async with AsyncRecollect(path, embedder=held) as mind:
            writing = asyncio.create_task(mind.remember_many([{"text": f"Ship {n}"} for n in range(20)]))
            await all_at_the_door(held, 1)
            writing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await writing
            held.door.set()

    asyncio.run(use())
    with Recollect(path, embedder=Hashing()) as mind:
        assert mind.stats().memories == 20 and not mind.check()


def test_what_has_not_begun_is_never_done_when_its_await_is_cancelled(path):
    held = Held()

    async def use():
        async with AsyncRecollect(path, embedder=held) as mind:
            busy = [asyncio.create_task(mind.remember(f"Ship number {n} is at sea")) for n in range(THREADS)]
            await all_at_the_door(held, THREADS)
            queued = asyncio.create_task(mind.remember("Nobody wants this any more"))
            await asyncio.sleep(0)
            queued.cancel()
            await asyncio.gather(queued, return_exceptions=True)  # the loop passes the cancellation on
            held.door.set()
            await asyncio.gather(*busy)
            return [memory.text for memory in await mind.list()]

    assert len(texts := asyncio.run(use())) == THREADS and "Nobody wants this any more" not in texts


def test_errors_are_the_facades_own(path):
    async def use():
        async with AsyncRecollect(path, embedder="hashing") as mind:
            await mind.get("nobody")

    with pytest.raises(NotFound, match="nobody"):
        asyncio.run(use())


def test_closing_ends_the_threads_and_says_so_afterwards(path):
    async def use():
        mind = AsyncRecollect(path, embedder="hashing")
        await mind.remember("Ada prefers dark mode")
        assert threads()
        await asyncio.gather(mind.close(), mind.close())
        assert not threads()
        with pytest.raises(StoreError, match="closed"):
            await mind.recall("dark mode")

    asyncio.run(use())


def test_a_store_that_cannot_be_opened_says_so_on_entering_and_leaves_no_thread(tmp_path):
    async def use():
        async with AsyncRecollect(tmp_path):
            pass

    with pytest.raises(StoreError, match="directory"):
        asyncio.run(use())
    assert not threads()
