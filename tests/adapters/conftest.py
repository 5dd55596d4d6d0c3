"""Adapters are tested on both engines, against the packages that they adapt to."""

import pytest

from recollect import Recollect


@pytest.fixture(params=["sqlite", "postgres"])
def memory(request, path):
    """A memory on either engine. A module that uses it says `pytest_plugins = ["server_fixtures"]`."""
    where = path if request.param == "sqlite" else request.getfixturevalue("database")
    with Recollect(where, embedder="hashing") as opened:
        yield opened
