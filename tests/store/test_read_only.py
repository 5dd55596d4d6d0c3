"""A reader that may not write sees what others write."""

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from inspect_store import python

from recollect import Recollect

pytestmark = pytest.mark.skipif(not hasattr(os, "seteuid"), reason="file permissions work differently here")

WRITE = """
import sys
from recollect import Recollect
with Recollect(sys.argv[1], embedder="hashing") as mind:
    mind.remember(sys.argv[2], dedup=False)
"""
NOBODY = 65534


@contextlib.contextmanager
def powerless(path):
    """Root may write anything: become nobody for a while. Others lose the right to write."""
    if os.geteuid():
        path.chmod(0o444)
    else:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if os.getuid():
            path.chmod(0o644)
        else:
            os.seteuid(0)


@pytest.fixture
def store():
    """A store in a folder that others can look into."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    path = folder / "agent.db"
    with Recollect(path, embedder="hashing") as mind:
        mind.remember("Ada sails")
        mind.recall("sails", recipe="vector")  # imports what nobody may not
    path.chmod(0o644)
    yield path
    shutil.rmtree(folder)


def texts(mind):
    return sorted(memory.text for memory in mind.list())


@pytest.mark.parametrize("folder_mode", [0o755, 0o777], ids=["read-only folder", "writable folder"])
def test_a_reader_sees_what_is_written_after_it_opened(store, folder_mode):
    store.parent.chmod(folder_mode)
    with powerless(store):
        reader = Recollect(store, embedder="hashing")
        assert reader.store.read_only and texts(reader) == ["Ada sails"]
    python(WRITE, store, "Bob rides")
    with powerless(store):
        assert texts(reader) == ["Ada sails", "Bob rides"]
        assert reader.recall("who rides?", recipe="vector").hits[0].memory.text == "Bob rides"
    python(WRITE, store, "Cyd swims")
    with powerless(store):
        assert texts(reader) == ["Ada sails", "Bob rides", "Cyd swims"]
        assert reader.check() == []
        reader.close()


def test_a_reader_sees_what_is_written_while_a_writer_has_the_store_open(store):
    with powerless(store):
        reader = Recollect(store, embedder="hashing")
        assert texts(reader) == ["Ada sails"]
    with Recollect(store, embedder="hashing") as writer:
        for name in ("Bob", "Cyd"):
            writer.remember(f"{name} rides", dedup=False)
            with powerless(store):
                assert f"{name} rides" in texts(reader)
    with powerless(store):
        assert len(texts(reader)) == 3 and reader.check() == []
        reader.close()
    python(WRITE, store, "Dan runs")
    with Recollect(store, embedder="hashing") as mind:
        assert len(texts(mind)) == 4 and mind.check() == []
