"""A store behind a symbolic link: its log lies next to the file that the link leads to."""

import damaged_log
import pytest
from inspect_store import python

from recollect import Recollect
from recollect.cli.restore_backup import replace_store
from recollect.keep.recover import recover
from recollect.store.sqlite import wal

LEAVES_A_LOG = """
import os, sys
from recollect import Recollect
Recollect(sys.argv[1], embedder="hashing").close()
mind = Recollect(sys.argv[1], embedder="hashing")
mind.remember("Bob rides")
os._exit(0)
"""


@pytest.fixture
def link(path, tmp_path):
    """A link in another folder. The store's only memory is in the log of a killed process."""
    python(LEAVES_A_LOG, path)
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "linked.db"
    link.symlink_to(path)
    return link


def texts(path):
    with Recollect(path, embedder="hashing") as mind:
        return [memory.text for memory in mind.list()]


def test_recover_reads_the_log(link, tmp_path):
    assert recover(link, tmp_path / "new.db").saved["memories"] == 1
    assert texts(tmp_path / "new.db") == ["Bob rides"]


def test_a_copy_with_its_log_is_restored_through_a_link(link, tmp_path):
    replace_store(tmp_path / "other.db", link, force=False)
    assert texts(tmp_path / "other.db") == ["Bob rides"]


def test_restore_backup_replaces_what_the_link_leads_to_and_keeps_it(link, path, tmp_path):
    with Recollect(tmp_path / "fresh.db", embedder="hashing") as mind:
        mind.remember("Ada sails")
        mind.backup(tmp_path / "copy.db")
    aside = replace_store(link, tmp_path / "copy.db", force=True)
    assert link.is_symlink() and texts(link) == texts(path) == ["Ada sails"]
    assert aside.parent == path.parent and texts(aside) == ["Bob rides"]


def test_missing_commits_are_said(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    damaged_log.make(tmp_path / "store.db")
    damaged_log.damage(tmp_path / "store.db", 3)
    link = tmp_path / "elsewhere" / "linked.db"
    link.symlink_to(tmp_path / "store.db")
    assert damaged_log.told(link)[1]
    assert len(list(tmp_path.glob("store.db-wal.damaged-*"))) == 1


def test_the_log_is_cut(link, path, monkeypatch):
    monkeypatch.setattr(wal, "LIMIT_BYTES", 200_000)
    with Recollect(link, embedder="hashing") as mind:
        for n in range(12):
            mind.remember_many([{"text": f"note {n} {m}"} for m in range(40)])
            assert path.with_name(f"{path.name}-wal").stat().st_size <= wal.LIMIT_BYTES
