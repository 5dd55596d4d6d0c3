import pytest
from factories import NOW, candidate, days_ago

from recollect.read.conflict import resolve
from recollect.recipes.recipe import Contradiction
from recollect.types import Link, Neighbourhood

CLASH = Neighbourhood(links=(Link(a="x", b="y", kind="contradicts", weight=0.8),))


def test_the_weaker_of_a_contradicting_pair_keeps_three_tenths():
    pool = [candidate("x", 0.9, strength=0.5, confidence=0.9), candidate("y", 0.8, strength=0.9, confidence=0.9)]
    found = {c.memory.id: c.score for c in resolve(pool, Contradiction(), CLASH, NOW)}
    assert found["x"].value == pytest.approx(0.27)
    assert found["y"].value == 0.8
    assert "contradicted by y" in found["x"].note
    assert found["x"].recompute() == pytest.approx(0.27)


def test_of_equally_strong_ones_the_staler_loses():
    pool = [candidate("x", 0.9, created_at=days_ago(40)), candidate("y", 0.8, created_at=days_ago(1))]
    assert [c.memory.id for c in resolve(pool, Contradiction(), CLASH, NOW)] == ["y", "x"]


def test_a_clash_with_something_not_found_changes_nothing():
    pool = [candidate("x", 0.9)]
    assert resolve(pool, Contradiction(), CLASH, NOW) == pool


def test_what_says_something_that_was_replaced_steps_back_where_the_recipe_wants_it():
    replaced = Neighbourhood(links=(Link(a="new", b="old", kind="supersedes", weight=0.3),))
    pool = [candidate("old", 0.9), candidate("new", 0.8)]
    assert resolve(pool, Contradiction(), replaced, NOW) == pool
    found = {c.memory.id: c.score.value for c in resolve(pool, Contradiction(superseded_multiplier=0.5), replaced, NOW)}
    assert found == pytest.approx({"old": 0.45, "new": 0.8})


def test_what_was_replaced_steps_back_only_if_the_newer_one_answers_the_question_too():
    replaced = Neighbourhood(links=(Link(a="new", b="old", kind="supersedes", weight=0.3),))
    how = Contradiction(superseded_multiplier=0.5, superseded_relevance=0.5)
    for newer, expected in ((0.44, 0.9), (0.45, 0.45)):
        pool = [candidate("old", 0.9), candidate("new", newer)]
        found = {c.memory.id: c.score.value for c in resolve(pool, how, replaced, NOW)}
        assert found["old"] == pytest.approx(expected)


def test_what_two_newer_ones_replaced_steps_back_once():
    links = tuple(Link(a=id, b="old", kind="supersedes", weight=0.3) for id in ("new", "newest"))
    pool = [candidate("old", 0.8), candidate("new", 0.7), candidate("newest", 0.6)]
    found = resolve(pool, Contradiction(superseded_multiplier=0.5), Neighbourhood(links=links), NOW)
    assert {c.memory.id: c.score.value for c in found}["old"] == pytest.approx(0.4)
