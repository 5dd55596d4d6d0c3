"""The SQLite store keeps every promise of the protocol, in memory and in a file."""

import pytest

from recollect.store import open_store
from recollect.testing.conformance import CHECKS


@pytest.fixture(params=["memory", "file"])
def store(request, tmp_path):
    opened = open_store(":memory:" if request.param == "memory" else str(tmp_path / "agent.db"))
    yield opened
    opened.close()


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_sqlite_store_conforms(check, store):
    check(store)
