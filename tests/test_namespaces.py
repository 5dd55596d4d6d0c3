"""A namespace sees what is below it, never what is beside it."""

import pytest
from inspect_store import texts

from recollect import Recollect, recipes

PATHS = [
    "acme",
    "acme/agents",
    "acme/agents/ada",
    "acme2",
    "acme-b",
    "acme0",
    "acm",
    "a_me",
    "a%",
    "Acme",
    "acme/agents2",
]


@pytest.fixture
def spread_out(mind):
    return {path: mind.remember(f"the shared needle of {n}", namespace=path) for n, path in enumerate(PATHS)}


def below(path):
    return {other for other in PATHS if other == path or other.startswith(f"{path}/")}


@pytest.mark.parametrize("recipe", recipes.names())
@pytest.mark.parametrize("place", ["acme", "acme/agents", "a_me", "a%", "acm", "nowhere"])
def test_recall_never_leaves_the_namespace(mind, spread_out, recipe, place):
    found = mind.recall("shared needle", namespace=place, recipe=recipe, limit=50, track=False)
    assert {hit.memory.namespace for hit in found.hits} <= below(place)


@pytest.mark.parametrize("place", PATHS)
def test_recall_sees_everything_below(mind, spread_out, place):
    for recipe in ("bm25", "vector"):
        found = mind.recall("shared needle", namespace=place, recipe=recipe, limit=50)
        assert {hit.memory.namespace for hit in found.hits} == below(place)
    assert {memory.namespace for memory in mind.list(namespace=place)} == below(place)


def test_a_one_in_a_thousand_namespace_is_searched_as_well_as_a_large_one(mind):
    mind.remember_many(
        {"text": f"the needle of crowd {n}", "namespace": "crowd", "granularity": "turn"} for n in range(3_000)
    )
    mind.remember_many({"text": f"the rare needle {n}", "namespace": "rare/x", "granularity": "turn"} for n in range(3))
    for recipe in ("bm25", "vector"):
        assert len(mind.recall("needle of the crowd", namespace="rare", recipe=recipe).hits) == 3


def test_several_places_can_be_asked_for_at_once(mind, spread_out):
    found = mind.recall("shared needle", namespaces=["acme2", "acme/agents"], recipe="bm25", limit=50)
    assert {hit.memory.namespace for hit in found.hits} == {"acme2", *below("acme/agents")}
    long = "x" * 200
    mind.remember("long path needle", namespace=long)
    assert texts(mind.recall("needle", namespaces=[long], recipe="bm25")) == ["long path needle"]


def test_opened_in_a_namespace_everything_happens_there(path, mind, spread_out):
    with Recollect(path, namespace="acme/agents") as ada:
        assert ada.remember("something new").namespace == "acme/agents"
        assert {memory.namespace for memory in ada.list()} == below("acme/agents")
        assert {hit.memory.namespace for hit in ada.recall("needle", recipe="bm25", limit=50).hits} == below(
            "acme/agents"
        )


def test_namespaces_lists_all_of_the_store(mind, spread_out):
    assert mind.namespaces() == dict.fromkeys(sorted(PATHS), 1)


def test_statistics_never_cross_the_tenant(mind):
    mind.remember_many({"text": f"needle number {n}", "namespace": "crowd", "granularity": "turn"} for n in range(50))
    mind.remember_many({"text": f"haystack straw {n}", "namespace": "quiet", "granularity": "turn"} for n in range(50))
    mind.remember("a needle", namespace="quiet")
    before = mind.recall("needle", namespace="quiet", recipe="bm25", track=False).hits[0].score
    mind.remember_many({"text": f"needle again {n}", "namespace": "crowd", "granularity": "turn"} for n in range(50))
    assert mind.recall("needle", namespace="quiet", recipe="bm25", track=False).hits[0].score == before


def test_moving_takes_everything_below_along(mind, spread_out):
    assert mind.move("acme", "beta/x") == 4
    assert {path for path in mind.namespaces() if path.startswith("beta")} == {
        "beta/x",
        "beta/x/agents",
        "beta/x/agents/ada",
        "beta/x/agents2",
    }
    assert mind.recall("needle", namespace="acme", recipe="bm25").hits == ()
    assert len(mind.recall("needle", namespace="beta", recipe="bm25").hits) == 4
    assert len(mind.recall("needle", namespace="beta/x/agents", recipe="vector").hits) == 2
    assert mind.check() == []


def test_moving_up_and_merging_keeps_everything(mind, spread_out):
    mind.move("acme/agents/ada", "acme")
    mind.move("acme2", "acme")
    assert mind.namespaces()["acme"] == 3
    assert (
        mind.recall("needle", namespace="acme/agents", recipe="bm25", limit=50).hits[0].memory.namespace
        == "acme/agents"
    )
    assert mind.check() == []
