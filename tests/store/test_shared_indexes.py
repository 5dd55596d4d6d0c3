"""Threads share the indexes in memory, but each sees its own state of the file."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import apsw
import numpy as np
import pytest
from factories import memory
from given_vectors import put

from recollect.errors import StoreDamaged
from recollect.store import open_store
from recollect.store.sqlite import matrix, postings
from recollect.store.values import Batch
from recollect.testing.samples import event
from recollect.types import Filter
from recollect.types.bm25 import Formula

MANY, DIM = 120, 64


@pytest.fixture(params=["exact", "sketches"])
def store(request, tmp_path, monkeypatch):
    monkeypatch.setattr(postings, "SEGMENT_COST", 400)
    if request.param == "sketches":
        monkeypatch.setattr(matrix, "EXACT_UP_TO", 10)
    opened = open_store(str(tmp_path / "agent.db"))
    opened.write(Batch(puts=[_put(n) for n in range(MANY)]))
    yield opened
    opened.close()


@pytest.fixture
def elsewhere():
    """Runs a call in another thread, which has a connection of its own."""
    with ThreadPoolExecutor(1) as pool:
        yield lambda call: pool.submit(call).result()


def test_rows_that_are_not_committed_are_found_only_by_their_writer(store, elsewhere):
    assert len(_near(store, 500)) == MANY
    with store.transaction():
        store.write(Batch(puts=[_put(n) for n in range(500, 520)]))
        assert _near(store, 500)[0] == (_id(500), 1.0) and _words(store, 500) == [_id(500)]
        assert len(elsewhere(lambda: _near(store, 500))) == MANY
        assert elsewhere(lambda: _words(store, 500)) == []
        assert _near(store, 501)[0] == (_id(501), 1.0)
    for look in (lambda call: call(), elsewhere):
        assert look(lambda: _near(store, 519, 1)) == [(_id(519), 1.0)]
        assert look(lambda: _words(store, 519)) == [_id(519)]


def test_vectors_that_are_added_later_are_not_guessed_by_a_reader_of_before(store, elsewhere):
    bare = replace(_put(900), vectors={})
    store.write(Batch(puts=[bare]))
    with store.transaction():
        store.write(Batch(puts=[_put(900)]))
        assert _near(store, 900)[0] == (_id(900), 1.0)
        assert _id(900) not in dict(elsewhere(lambda: _near(store, 900)))
    assert elsewhere(lambda: _near(store, 900, 1)) == [(_id(900), 1.0)]


def test_a_change_that_is_not_committed_changes_no_answer_of_others(store, elsewhere):
    before = _near(store, 3, 5), _words(store, 3)
    with store.transaction():
        store.write(Batch(puts=[_put(3, vector=700)]))
        store.purge([_id(4)], event("purge"))
        assert _near(store, 700, 1) == [(_id(3), 1.0)] and _words(store, 3) == [] == _words(store, 4)
        assert elsewhere(lambda: (_near(store, 3, 5), _words(store, 3))) == before
        assert elsewhere(lambda: _words(store, 4)) == [_id(4)]
    assert elsewhere(lambda: _words(store, 4)) == [] and _id(4) not in dict(_near(store, 4))
    assert elsewhere(lambda: _near(store, 700, 1)) == [(_id(3), 1.0)]


def test_rows_that_are_taken_back_leave_nothing_behind(store, elsewhere):
    with pytest.raises(RuntimeError), store.transaction():
        store.write(Batch(puts=[_put(n) for n in range(500, 520)]))
        _near(store, 500), _words(store, 500)
        raise RuntimeError
    other = open_store(store.url)
    other.write(Batch(puts=[_put(n) for n in range(600, 605)]))  # the same sequence numbers again
    other.close()
    for look in (lambda call: call(), elsewhere):
        assert look(lambda: _near(store, 600, 1)) == [(_id(600), 1.0)]
        assert look(lambda: _words(store, 604)) == [_id(604)]
        assert not {_id(n) for n in range(500, 520)} & set(dict(look(lambda: _near(store, 500))))


@pytest.mark.parametrize(
    "broken",
    ["DELETE FROM vector WHERE number = 7", "DELETE FROM view WHERE vector = 7", "UPDATE vector SET data = x''"],
)
def test_a_vector_that_is_missing_raises_an_error_and_never_counts_as_zero(store, broken):
    store._index._part(store._db._writer, "full")  # the sketches are read, the vectors are not
    other = apsw.Connection(store.url)
    other.execute(broken)
    other.close()
    with pytest.raises(StoreDamaged, match="repair"):
        _near(store, 6)


def _put(number, vector=None):
    chosen = np.random.default_rng(number if vector is None else vector).normal(size=DIM)
    text = f"word{number} and others" if vector is None else "rewritten"
    made = put(memory(_id(number), text), full=(chosen / np.linalg.norm(chosen)).astype(np.float16).astype(np.float32))
    return replace(
        made, vectors={name: replace(one, hash=f"{number} {vector}".encode()) for name, one in made.vectors.items()}
    )


def _id(number):
    return f"{number:026d}"


def _near(store, number, limit=1_000):
    asked = _put(number).vectors["full"].vector
    scale = float(np.einsum("i,i->", asked.astype(float), asked.astype(float)))
    found = store.search_vector(asked, "full", Filter(), limit=limit)
    return [(memory_id, round(cosine / scale, 9)) for memory_id, cosine in found]


def _words(store, number):
    asked = {"match": "any", "fields": {"text": 1.0}, "limit": 10, "formula": Formula()}
    found = store.search_text([f"word{number}"], (), Filter(), **asked).postings
    return [posting.memory_id for posting in found]
