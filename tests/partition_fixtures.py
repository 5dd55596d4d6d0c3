"""Three real servers with postgres_fdw, for modules that say `pytest_plugins = ["partition_fixtures"]`.

They are started once per run.
"""

import os
from contextlib import ExitStack

import pytest
from postgres_server import Unavailable, running_with_fdw
from spread_stores import databases, spread

SMALL = {"fsync": "off", "shared_buffers": "64MB", "max_wal_size": "256MB", "maintenance_work_mem": "64MB"}


@pytest.fixture(scope="session")
def three():
    try:
        with ExitStack() as stack:
            yield [stack.enter_context(running_with_fdw(**SMALL)) for _ in range(3)]
    except Unavailable as error:
        if os.environ.get("CI") == "true":
            pytest.fail(f"no PostgreSQL servers to test with: {error}")
        pytest.skip(f"no PostgreSQL servers with postgres_fdw to test with: {error}")


@pytest.fixture
def spread_database(three):
    with databases(three) as urls:
        yield spread(urls)
