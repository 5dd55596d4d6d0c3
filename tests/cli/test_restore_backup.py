"""restore-backup: no leftover log reaches the restored store, no kill leaves it without a store, nobody has it open."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import apsw
import pytest
from inspect_store import python

from recollect import Recollect
from recollect.errors import StoreReplaced

KILLED_AT = """
import os, signal, sys
from pathlib import Path
from recollect.cli import restore_backup

step, target, backup = int(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
count = 0

def kill_at_the_step(event, arguments):
    global count
    if event in ("os.rename", "os.link", "os.remove", "os.rmdir"):
        if count == step:
            os.kill(os.getpid(), signal.SIGKILL)
        count += 1

sys.addaudithook(kill_at_the_step)
restore_backup.replace_store(target, backup, force=True)
print(count)
"""
LEAVES_A_LOG = """
import os, sys
from recollect import Recollect
mind = Recollect(sys.argv[1], embedder="hashing")
mind.remember("Bob rides")
os._exit(0)
"""
HOLDS = """
import sys
from pathlib import Path
from recollect import Recollect
with Recollect(sys.argv[1], embedder="hashing") as mind:
    mind.stats()
    print("open", flush=True)
    sys.stdin.readline()
    mind.remember("Cyd swims")
"""


@pytest.fixture
def backup(shell, add, tmp_path):
    """A backup with one memory; the store has another since then, in its write-ahead log."""
    add("Ada sails")
    copy = tmp_path / "copy.db"
    shell.done("backup", str(copy))
    python(LEAVES_A_LOG, shell.db)
    assert os.path.getsize(f"{shell.db}-wal") > 0
    return copy


def held(path):
    with Recollect(path, embedder="hashing") as mind:
        assert mind.check() == []
        return sorted(memory.text for memory in mind.list())


def test_a_log_that_a_killed_process_left_does_not_reach_the_restored_store(shell, backup):
    kept = shell.json("restore-backup", str(backup), "--force")["kept"]
    assert held(shell.db) == ["Ada sails"]
    assert held(kept) == ["Ada sails", "Bob rides"]


def test_a_log_without_its_store_does_not_reach_the_restored_store(shell, backup):
    shell.db.unlink()
    shell.json("restore-backup", str(backup))
    assert held(shell.db) == ["Ada sails"]
    assert [path.name for path in shell.db.parent.glob("*.replaced-*-wal")]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 here")
def test_a_kill_at_any_step_leaves_the_old_store_or_the_new_one(shell, backup, tmp_path):
    steps, step = None, 0
    while steps is None:
        store = tmp_path / f"at-{step}" / "agent.db"
        store.parent.mkdir()
        for suffix in ("", "-wal", "-shm"):
            shutil.copyfile(f"{shell.db}{suffix}", f"{store}{suffix}")
        done = subprocess.run(
            [sys.executable, "-c", KILLED_AT, str(step), str(store), str(backup)], capture_output=True, text=True
        )
        steps = int(done.stdout) if done.returncode == 0 else None
        assert done.returncode in (0, -signal.SIGKILL), done.stderr
        assert held(store) in (["Ada sails", "Bob rides"], ["Ada sails"]), step
        # the next restore finds what the killed one left, and loses nothing of it
        python(KILLED_AT, 1_000_000, store, backup)
        assert held(store) == ["Ada sails"], step
        kept = [held(path) for path in sorted(store.parent.glob("*.replaced-*"))]
        assert ["Ada sails", "Bob rides"] in kept, step
        assert not list(store.parent.glob(".*")), step
        step += 1
    assert steps >= 2


def test_a_store_that_another_process_has_open_is_not_replaced(shell, backup):
    command = [sys.executable, "-c", HOLDS, str(shell.db)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "open\n"
        said = shell.refused(3, "restore-backup", str(backup), "--force")
        assert "open in another process" in said and "nothing was replaced" in said
        other.communicate("\n")
    assert other.returncode == 0
    assert held(shell.db) == ["Ada sails", "Bob rides", "Cyd swims"]
    shell.done("restore-backup", str(backup), "--force")


@pytest.mark.parametrize("damage", ["header", "schema", "log"])
def test_a_damaged_store_is_replaced_and_kept_with_its_log(shell, backup, damage):
    where = {"header": (shell.db, 0), "schema": (shell.db, 100), "log": (f"{shell.db}-wal", 0)}[damage]
    with open(where[0], "r+b") as file:
        file.seek(where[1])
        file.write(b"\xff" * 60)
    before = shell.db.read_bytes()
    kept = shell.json("restore-backup", str(backup), "--force")["kept"]
    assert held(shell.db) == ["Ada sails"]
    if damage == "header":
        assert Path(kept).read_bytes() == before and os.path.getsize(f"{kept}-wal") > 0


def test_the_restored_store_keeps_the_permissions_of_the_old_one(shell, backup):
    shell.db.chmod(0o640)
    shell.done("restore-backup", str(backup), "--force")
    assert shell.db.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("how", ["replaced", "removed"])
def test_a_live_process_notices_before_its_next_write(path, tmp_path, how):
    other = tmp_path / "other.db"
    with Recollect(other, embedder="hashing") as mind:
        mind.remember("Cyd swims")
    with Recollect(path, embedder="hashing") as mind:
        id = mind.remember("Ada sails").id
        os.replace(other, path) if how == "replaced" else path.unlink()
        for write in (lambda: mind.remember("Bob rides"), lambda: mind.purge(id), lambda: mind.pin(id)):
            with pytest.raises(StoreReplaced, match="open it again") as caught:
                write()
        assert str(path) in str(caught.value) and how in str(caught.value)
    if how == "replaced":
        file = apsw.Connection(f"file:{path}?immutable=1", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        assert file.execute("SELECT text FROM memory").fetchall() == [("Cyd swims",)]
        file.close()
