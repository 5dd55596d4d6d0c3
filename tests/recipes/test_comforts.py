"""What our own recipe does beyond the documents is off in every published recipe."""

import pytest
from factories import NOW, memory
from given_vectors import GivenVectors, put, write
from tend.tended import NOW as LATER
from tend.tended import TEA, full, mind

from recollect import Link, Recollect, recipes

OWN = ("default", "default-fast")
PUBLISHED = [name for name in recipes.names() if name not in OWN]
OURS = ("second_look", "search_archived", "past_questions", "split_comparisons", "split_topics")


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_recipe_has_the_document_s_numbers_and_none_of_our_additions(name):
    recipe = recipes.load(name)
    assert not any(getattr(recipe, switch) for switch in OURS) and recipe.read is None
    rules = recipe.write
    assert "same_statement" not in (rules.near_duplicates, rules.clusters) and not rules.recognise_updates
    tables = [rules.duplicate_by_embedder, rules.cluster_by_embedder, getattr(recipe.fuse, "by_embedder", {})]
    tables += [getattr(recipe.fuse, "rank_fusion_below_range", {}), recipe.reject.by_embedder if recipe.reject else {}]
    assert not any(tables)


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "tea.db"
    full(path, clusters=[TEA]).close()
    return path


@pytest.mark.parametrize("name", recipes.names())
def test_a_published_recipe_makes_summaries_only_if_its_document_does(filled, name):
    with mind(filled, recipe=name) as opened:
        assert bool(opened.consolidate(at=LATER, preview=True)) is (name in (*OWN, "siestai"))


@pytest.mark.parametrize("name", ["openmem", "aingram"])
def test_links_that_ingesting_and_maintenance_make_are_not_followed(name):
    with Recollect(":memory:", embedder=GivenVectors()) as made:
        held = [memory("a", "kettle", entities=("kettle",)), *(memory(id, f"note {id}") for id in "bcde")]
        kinds = zip("bcde", ("similar", "temporal", "extends", "related"), strict=True)
        write(made, [put(m) for m in held], [Link(a="a", b=id, kind=kind, weight=1.0) for id, kind in kinds])
        hits = made.recall("kettle", recipe=name, at=NOW, track=False).hits
        assert [hit.memory.id for hit in hits] == ["a", "e"]
