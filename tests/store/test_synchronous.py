"""docs/durability.md says when a commit reaches the disk. A VFS that counts syncs shows it."""

import inspect
import json

import pytest
from inspect_store import python

from recollect import config
from recollect.config import Settings
from recollect.store import open_store

SCRIPT = """
import json, sys
import apsw
from recollect import Recollect
from recollect.config import Settings

syncs, own = [], apsw.vfs_names()[0]

class File(apsw.VFSFile):
    def __init__(self, inherit, name, flags):
        super().__init__(inherit, name, flags)
        self._name = name.filename() if isinstance(name, apsw.URIFilename) else str(name)

    def xSync(self, flags):
        syncs.append("log" if self._name.endswith("-wal") else "file")
        return super().xSync(flags)

class Counting(apsw.VFS):
    def __init__(self):
        super().__init__("counting", own, makedefault=True)

    def xOpen(self, name, flags):
        return File(own, name, flags)

vfs = Counting()
with Recollect(sys.argv[1], embedder="hashing", settings=Settings(synchronous=sys.argv[2])) as mind:
    mind.remember("the first entry")
    syncs.clear()
    for n in range(20):
        mind.remember(f"entry {n}", dedup=False)
    single = list(syncs)
    syncs.clear()
    mind.remember_many([{"text": f"batched entry {n}", "dedup": False} for n in range(20)])
    batch = list(syncs)
    syncs.clear()
    for n in range(5):
        mind.get(mind.recall(f"entry {n}", recipe="bm25").hits[0].memory.id)
    recalls = list(syncs)
    mind.remember("the last entry", dedup=False)
    after = list(syncs)
    syncs.clear()
print(json.dumps({"single": single, "batch": batch, "recalls": recalls, "after": after, "close": syncs}))
"""


def test_every_commit_is_synced_by_default(monkeypatch):
    monkeypatch.delenv("RECOLLECT_SYNCHRONOUS")
    assert Settings().synchronous == config.load().synchronous == "full"
    assert inspect.signature(open_store).parameters["synchronous"].default == "full"


@pytest.mark.parametrize("synchronous", ["normal", "full"])
def test_commits_are_synced_as_the_page_says(path, synchronous):
    found = json.loads(python(SCRIPT, path, synchronous))
    if synchronous == "full":
        assert found["single"].count("log") >= 20, "every commit is synced"
        assert found["batch"].count("log") == 1, "a batch is one commit"
        assert found["recalls"] == [], "the log of recalls is not worth a sync"
        assert found["after"].count("log") >= 1, "the next write syncs, with the recalls before it"
    else:
        assert found["single"] == found["batch"] == [], "nothing is synced before a checkpoint"
    assert "file" in found["close"], "closing copies the log into the file and syncs it"
