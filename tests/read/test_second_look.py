from dataclasses import replace

import pytest

from recollect import Recollect, recipes

LOOKS_TWICE = replace(recipes.load("bm25"), name="looks-twice", second_look=True)


@pytest.fixture
def mind():
    with Recollect(":memory:", embedder="hashing", recipe=LOOKS_TWICE) as made:
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


@pytest.mark.parametrize("name", recipes.names())
def test_no_recipe_that_comes_with_recollect_looks_twice(mind, name):
    """Finding F9: after a rejection, MemX returns nothing. `default` searches archived memories at once."""
    assert not recipes.load(name).second_look
    old = mind.remember("the cabin's wifi password is herring-42")
    mind.update(old.id, tier="archived")
    found = mind.recall("cabin wifi password", recipe=name)
    assert "second look" not in [step.stage for step in found.trace]
    assert bool(found.hits) == name.startswith("default")
