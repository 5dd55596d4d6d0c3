"""The large store as a fixture, for modules that say `pytest_plugins = ["large_fixtures"]`. Built once per run."""

import apsw
import pytest
from large_store import QUESTION, Counting, build, open_large


@pytest.fixture(scope="session")
def large(tmp_path_factory):
    """The open store, the counters, and a folder."""
    folder, counting = tmp_path_factory.mktemp("large"), Counting()
    build(folder / "large.db")
    apsw.connection_hooks.append(counting.attach)
    try:
        with open_large(folder / "large.db") as mind:
            mind.recall(QUESTION)  # the first one loads the sketches of the views
            yield mind, counting, folder
    finally:
        apsw.connection_hooks.remove(counting.attach)
