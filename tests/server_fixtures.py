"""Fixtures with a PostgreSQL server, for modules that say `pytest_plugins = ["server_fixtures"]`.

One server per run, a fresh database per test. Where no server can be started the tests are skipped with a warning
at the end of the run, and fail when CI=true.
"""

import os

import pytest
from postgres_server import Unavailable, running

_skipped: list[str] = []


@pytest.fixture(scope="session")
def server():
    try:
        # nothing here has to survive the loss of the machine
        with running(fsync="off") as started:
            yield started
    except Unavailable as error:
        if os.environ.get("CI") == "true":
            pytest.fail(f"no PostgreSQL server to test with: {error}")
        _skipped.append(str(error))
        pytest.skip(f"no PostgreSQL server to test with: {error}")


@pytest.fixture
def database(server):
    url = server.database()
    yield url
    server.drop(url)


def pytest_terminal_summary(terminalreporter):
    if _skipped:
        terminalreporter.section("NOT TESTED: PostgreSQL", red=True, bold=True)
        terminalreporter.line(f"The tests of the PostgreSQL store were skipped: {_skipped[0]}")
