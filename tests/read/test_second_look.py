import pytest

from recollect import Recollect


@pytest.fixture
def mind():
    with Recollect(":memory:", embedder="hashing", recipe="bm25") as made:
        yield made


def test_an_archived_memory_is_found_when_nothing_better_exists(mind):
    old = mind.remember("the cabin's wifi password is herring-42")
    mind.update(old.id, tier="archived")
    found = mind.recall("cabin wifi password")
    assert [hit.memory.id for hit in found.hits] == [old.id]
    assert "second look" in [step.stage for step in found.trace]


def test_an_archived_memory_stays_away_while_something_else_answers(mind):
    old = mind.remember("the cabin's wifi password is herring-42")
    mind.update(old.id, tier="archived")
    new = mind.remember("the office wifi password is salmon-7")
    found = mind.recall("wifi password")
    assert [hit.memory.id for hit in found.hits] == [new.id]
    asked_for = mind.recall("wifi password", include=["archived"])
    assert {hit.memory.id for hit in asked_for.hits} == {old.id, new.id}
