import json
from dataclasses import replace

import pytest
from factories import NOW, days_ago

from recollect import Recollect, recipes
from recollect.errors import InvalidInput
from recollect.read.compare import effects
from recollect.recipes import names


@pytest.fixture
def mind():
    with Recollect(":memory:", embedder="hashing") as made:
        made.remember("the billing export stalls at night", at=days_ago(60), importance=0.1)
        made.remember("billing is handled by Kim", at=days_ago(1), importance=1.0)
        made.remember("exports go to the archive", at=days_ago(3))
        yield made


def test_compare_asks_every_recipe_and_leaves_no_trace(mind):
    found = mind.compare("billing export", at=NOW)
    assert tuple(found.recalls) == names()
    assert all(memory.retrieval_count == memory.access_count == 0 for memory in mind.list())
    assert mind.stats().recalls == 0


def test_two_of_one_name_are_told_apart_by_nobody(mind):
    changed = replace(recipes.load("default"), split_comparisons=False)
    with pytest.raises(InvalidInput, match="two of the recipes are called 'default'"):
        mind.compare("dark mode", ["default", changed])


def test_places_are_the_recalls_ranks_and_scores(mind):
    found = mind.compare("billing export", ["bm25", "siestai"], at=NOW)
    first = found.recalls["bm25"].hits[0]
    place = found.places(first.memory.id)["bm25"]
    assert (place.rank, place.score) == (1, first.score)


def test_overlap_is_symmetric_and_whole_with_itself(mind):
    found = mind.compare("billing export", ["bm25", "siestai", "memweave"], at=NOW)
    assert found.overlap("bm25", "bm25") == 1.0
    assert found.overlap("bm25", "memweave") == found.overlap("memweave", "bm25") < 1.0


def test_the_factor_that_made_the_difference_is_named(mind):
    found = mind.compare("billing export", ["bm25", "siestai"], at=NOW)
    difference = found.difference("bm25", "siestai")
    assert difference.factor in ("importance", "recency", "relevance")
    assert difference.factor in difference.text
    assert difference.a.rank != difference.b.rank


def test_recipes_that_agree_have_no_difference(mind):
    found = mind.compare("billing export", ["bm25"], at=NOW)
    assert found.difference("bm25", "bm25") is None


def test_one_that_returns_nothing_says_why(mind):
    found = mind.compare("billing xylophone", ["bm25", "memx"], at=NOW)
    assert found.difference("bm25", "memx").factor == "absent"
    assert "memx does not return it" in found.difference("bm25", "memx").text


def test_effects_of_a_sum_add_up_to_one(mind):
    hit = mind.recall("billing export", recipe="siestai", at=NOW, track=False).hits[0]
    assert sum(effects(hit.explanation).values()) == pytest.approx(1.0)


def test_a_multiplier_shows_how_far_it_pulls_down(mind):
    hit = mind.recall("billing export", recipe="aingram", at=NOW, track=False).hits[0]
    assert effects(hit.explanation)["importance"] == pytest.approx(hit.memory.importance - 1)


def test_a_comparison_is_json(mind):
    found = mind.compare("billing export", at=NOW).to_dict()
    assert len(found["pairs"]) == len(names()) * (len(names()) - 1) // 2
    json.dumps(found)
