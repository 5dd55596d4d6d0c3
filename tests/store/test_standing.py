"""Rows that a search has met are kept in memory. What filters admit is the same as in the file, whoever wrote."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect import Recollect
from recollect.store.sqlite.admitted import Admitted, named
from recollect.store.sqlite.dialect import compile_filter
from recollect.store.sqlite.store import SqliteStore
from recollect.store.values import Batch
from recollect.testing.samples import axis, event, memory, moment, put
from recollect.types import Filter

NAMESPACES = ("a", "a/b", "a/b/c", "ab", "a-b", "b")
KINDS, TIERS, STATUSES = ("fact", "task"), ("pinned", "searchable"), ("active", "forgotten", "expired")


@pytest.fixture(scope="module")
def many():
    store = SqliteStore(":memory:")
    made = [
        memory(
            n,
            namespace=NAMESPACES[n % 6],
            kind=KINDS[n % 2],
            tier=TIERS[n // 2 % 2],
            status=STATUSES[n // 3 % 3],
            granularity=("memory", "fact")[n // 5 % 2],
            expires_at=(None, moment(5), moment(50))[n // 7 % 3],
        )
        for n in range(1, 181)
    ]
    store.write(Batch(puts=[put(each) for each in made]))
    yield store
    store.close()


def some(of):
    return st.lists(st.sampled_from(of), max_size=2, unique=True).map(tuple)


FILTERS = st.builds(
    Filter,
    namespaces=some(NAMESPACES),
    exact=st.booleans(),
    statuses=some(STATUSES),
    tiers=some(TIERS),
    kinds=some(KINDS),
    granularities=some(("memory", "fact")),
    live_at=st.sampled_from((None, moment(5), moment(6), moment(60))),
)
kept = Admitted()


@given(FILTERS, st.lists(st.one_of(st.integers(1, 200), st.sampled_from((-1, 0, 1 << 40))), unique=True))
def test_the_same_rows_are_admitted_as_in_the_file(many, filter, rows):
    asked, where = np.array(rows, np.int64), compile_filter(filter)
    with many._snapshot() as db:
        here, there = kept.named(db, asked, filter, where), named(db, asked, where)
    assert (here.at.tolist(), here.ids) == (there.at.tolist(), there.ids)


@pytest.fixture
def two(path):
    one, other = SqliteStore(str(path)), SqliteStore(str(path))
    yield one, other
    one.close()
    other.close()


def near(store, **filter):
    return [id for id, _ in store.search_vector(axis(0), "full", Filter(**filter), limit=10)]


def test_what_another_process_changed_is_seen_by_the_next_search(two):
    one, other = two
    first, second = memory(1), memory(2)
    one.write(Batch(puts=[put(first, axis(0)), put(second, axis(0, 1, 0.3))]))
    assert near(one, statuses=("active",)) == [first.id, second.id]
    other.write(Batch(puts=[replace(put(replace(first, status="expired")), vectors=None)]))
    assert near(one, statuses=("active",)) == [second.id]
    assert near(one, statuses=("expired",)) == [first.id]
    other.write(Batch(puts=[replace(put(replace(second, expires_at=moment(7))), vectors=None)]))
    assert near(one, live_at=moment(7) - timedelta(seconds=1)) == [first.id, second.id]
    assert near(one, live_at=moment(7)) == [first.id]


def test_a_row_that_is_used_again_is_the_new_memory(two):
    one, other = two
    one.write(Batch(puts=[put(memory(1, namespace="a"), axis(0))]))
    assert near(one, namespaces=("a",)) == [memory(1).id]
    other.purge([memory(1).id], event("purge"))
    other.write(Batch(puts=[put(memory(2, namespace="b"), axis(0))]))
    assert near(one, namespaces=("a",)) == []
    assert near(one, namespaces=("b",)) == [memory(2).id]


def test_what_a_failed_transaction_has_read_is_forgotten(path):
    with Recollect(path, embedder="hashing") as mind:
        mind.remember("Ada likes tea")
        with pytest.raises(ZeroDivisionError), mind._store.transaction():
            lost = mind.remember("Ada likes green tea", kind="lost")
            assert [hit.memory.id for hit in mind.recall("green", kinds="lost", recipe="openmem").hits] == [lost.id]
            raise ZeroDivisionError
        kept = mind.remember("Ada likes green tea", kind="kept")
        assert mind.recall("green", kinds="lost", recipe="openmem").hits == ()
        assert [hit.memory.id for hit in mind.recall("green", kinds="kept", recipe="openmem").hits] == [kept.id]
