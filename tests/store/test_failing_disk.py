"""An error of the disk in the middle of a write is an error of recollect, and the write is undone."""

import apsw
import pytest

from recollect.errors import StoreError


def failing(db, path):
    """What SQLite does on a full disk or an I/O error: it rolls back all, and raises."""
    db.execute("ROLLBACK")
    raise apsw.FullError("no room")


def test_an_error_inside_a_nested_transaction_after_which_sqlite_has_rolled_back_says_what_happened(mind, path):
    store = mind.store
    with pytest.raises(StoreError, match="full: the write was undone"):
        with store.transaction(), store.transaction():
            failing(store._db._writer, path)
    assert mind.remember("there is room again").text


def test_a_transaction_does_not_go_on_after_sqlite_has_rolled_it_back(mind, path):
    store = mind.store
    with pytest.raises(StoreError, match="undone, because a part of it failed"):
        with store.transaction():
            store._db._writer.execute("ROLLBACK")
            mind.remember("half of something")
    assert mind.list() == []


def test_an_error_inside_a_snapshot_leaves_no_transaction_open(mind):
    with pytest.raises(ZeroDivisionError):
        with mind.store._db.snapshot() as db:
            db.execute("SELECT 1").fetchall()
            raise ZeroDivisionError
    assert not db.in_transaction
