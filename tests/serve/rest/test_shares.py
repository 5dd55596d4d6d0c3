"""A busy key waits for itself; the others do not wait for it."""

import asyncio

import pytest

from recollect.serve.rest.shares import Shares, TooMany


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def run(story):
    """Runs a story with four places, of which a key has two."""

    async def told():
        await asyncio.wait_for(story(Shares(places=4, most_waiting=5, clock=clock)), 20)

    clock = Clock()
    asyncio.run(told())


async def settle():
    for _ in range(5):
        await asyncio.sleep(0)


def entering(shares, key, heavy=False):
    return asyncio.ensure_future(shares.enter(key, heavy=heavy))


def test_a_key_has_at_most_half_of_the_places():
    async def story(shares):
        flood = [entering(shares, "flood") for _ in range(5)]
        await settle()
        assert [one.done() for one in flood] == [True, True, False, False, False]
        other = entering(shares, "other")
        await settle()
        assert other.done()
        for one in flood[2:]:
            one.cancel()

    run(story)


def test_heavy_requests_of_a_key_run_one_after_the_other_and_light_ones_pass_them():
    async def story(shares):
        first, second = entering(shares, "flood", heavy=True), entering(shares, "flood", heavy=True)
        light = entering(shares, "flood")
        await settle()
        assert (first.done(), second.done(), light.done()) == (True, False, True)
        shares.leave("flood", 1.0, heavy=True)
        await settle()
        assert second.done()

    run(story)


def test_a_heavy_key_pauses_while_another_key_is_active():
    async def story(shares):
        await shares.enter("other", heavy=False)
        shares.leave("other", 0.01, heavy=False)
        await shares.enter("flood", heavy=True)
        shares.leave("flood", 0.1, heavy=True)
        second = entering(shares, "flood", heavy=True)
        await settle()
        assert not second.done()
        await asyncio.wait_for(second, 10)

    run(story)


def test_a_free_place_goes_to_the_key_that_used_the_least_time():
    async def story(shares):
        for key in ("a", "a", "b", "b"):
            await shares.enter(key, heavy=False)
        waiting = {key: entering(shares, key) for key in ("a", "b", "c")}
        await settle()
        assert not any(one.done() for one in waiting.values())
        shares.leave("a", 9.0, heavy=False)
        await settle()
        assert [key for key, one in waiting.items() if one.done()] == ["c"]
        shares.leave("b", 1.0, heavy=False)
        await settle()
        assert [key for key, one in waiting.items() if one.done()] == ["b", "c"]
        waiting["a"].cancel()

    run(story)


def test_a_key_with_too_many_waiting_requests_is_refused():
    async def story(shares):
        waiting = [entering(shares, "flood") for _ in range(7)]
        await settle()
        with pytest.raises(TooMany):
            await shares.enter("flood", heavy=False)
        for one in waiting:
            one.cancel()

    run(story)


def test_a_client_that_leaves_while_it_waits_frees_its_place():
    async def story(shares):
        held = [entering(shares, "flood") for _ in range(3)]
        await settle()
        held[2].cancel()
        await settle()
        shares.leave("flood", 0.1, heavy=False)
        again = entering(shares, "flood")
        await settle()
        assert again.done()

    run(story)
