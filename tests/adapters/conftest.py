"""Adapters are tested on both engines, against the packages that they adapt to."""

import asyncio
from contextlib import suppress

import pytest

from recollect import Recollect


@pytest.fixture(params=["sqlite", "postgres"])
def memory(request, path):
    """A memory on either engine. A module that uses it says `pytest_plugins = ["server_fixtures"]`."""
    where = path if request.param == "sqlite" else request.getfixturevalue("database")
    with Recollect(where, embedder="hashing") as opened:
        yield opened


@pytest.fixture(autouse=True)
def _no_loop_is_left_open():
    """Pydantic AI's `run_sync` makes an event loop and leaves it open. Python says so at a random later time."""
    first = asyncio.new_event_loop()
    asyncio.set_event_loop(first)
    yield
    with suppress(RuntimeError):  # there is none after asyncio.run
        asyncio.get_event_loop().close()
    first.close()
    asyncio.set_event_loop(None)
