"""`migrate` continues after a kill at any point, and an unfinished target is never taken for a whole one."""

import subprocess
import sys
from contextlib import closing

import pytest

from recollect import Recollect
from recollect.errors import StoreError
from recollect.keep.migrate import migrate
from recollect.store import open_store
from recollect.store.copying import is_begun, sums

KILLED = 9
MIGRATE = """
import os, sys
from recollect.keep.migrate import migrate
from recollect.store import copying
from recollect.store.sqlite.store import SqliteStore

copying.PAGE = 40
source, target, at = sys.argv[1], sys.argv[2], int(sys.argv[3])
left = [at]

def counted(name):
    own = getattr(SqliteStore, name)
    def call(self, *given, **named):
        left[0] -= 1
        if left[0] == 0:
            os._exit(9)
        return own(self, *given, **named)
    setattr(SqliteStore, name, call)

for name in ("dump", "write", "delete_rows"):
    counted(name)
migrate(source, target)
"""


@pytest.fixture
def source(path):
    with Recollect(path, embedder="hashing") as mind:
        mind.remember_many([{"text": f"Note {n} about parcel {n * 31 % 97}"} for n in range(60)])
        mind.recall("which parcel?")
        mind.update(mind.list(limit=1)[0].id, importance=0.9)
    return str(path)


def killed_at(source, target, point):
    """Whether the kill came before the end."""
    command = [sys.executable, "-c", MIGRATE, source, target, str(point)]
    return subprocess.run(command, capture_output=True, timeout=60).returncode == KILLED


def test_migrate_continues_after_a_kill_at_every_point(source, tmp_path):
    point = 1
    while killed_at(source, target := str(tmp_path / f"{point}.db"), point):
        unfinished(source, target)
        migrate(source, target)
        with closing(open_store(source)) as one, closing(open_store(target)) as other:
            assert sums(one) == sums(other)
            assert not is_begun(one, other)
        point += 1
    assert point > 15


def unfinished(source, target):
    """Opening says that it is not whole, unless nothing was copied yet, or all was."""
    with closing(open_store(source)) as one, closing(open_store(target)) as other:
        begun, marked = bool(other.counts(()).memories), is_begun(one, other)
    if marked:
        with pytest.raises(StoreError, match="unfinished copy"):
            Recollect(target, embedder="hashing")
    else:
        assert not begun or is_whole(source, target)


def is_whole(source, target):
    with closing(open_store(source)) as one, closing(open_store(target)) as other:
        return sums(one) == sums(other)
