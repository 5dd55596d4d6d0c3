"""One server for a module, with a memory of its own."""

import pytest
from rest_server import running_server

from recollect import Recollect


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    path = tmp_path_factory.mktemp("served") / "agent.db"
    with Recollect(path, embedder="hashing", namespace="acme") as mind, running_server(mind) as server:
        yield server


@pytest.fixture
def memory(server):
    """A new memory for each test."""
    from recollect.ids import new_id

    return server.ask("POST", "/v1/memories", {"text": f"Ada wrote the note {new_id()}"}).json
