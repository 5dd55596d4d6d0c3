import numpy as np
import pytest
from factories import candidate
from hypothesis import given
from hypothesis import strategies as st

from recollect import Recollect
from recollect.read.diversify import diversify, redundancy
from recollect.recipes import load
from recollect.recipes.recipe import MaximalMarginalRelevance, SameMeaning, SameText, TagSignature
from recollect.types import Neighbourhood

NOWHERE = Neighbourhood()
MEMSENSE = load("memsense").diversify[0]


def ids(candidates):
    return [c.memory.id for c in candidates]


def at_angle(**cosines):
    """Unit vectors with the given cosine to the first axis."""
    return Neighbourhood(vectors={id: np.array([c, np.sqrt(1 - c * c)], np.float32) for id, c in cosines.items()})


def test_only_the_best_of_the_same_trimmed_text_stays():
    pool = [candidate("a", 0.9, text="same"), candidate("b", 0.8, text=" same "), candidate("c", 0.7, text="other")]
    assert ids(diversify(pool, SameText(), NOWHERE, 5)) == ["a", "c"]


def test_a_tag_signature_is_kind_and_sorted_tags_and_untagged_are_exempt():
    pool = [
        candidate("a", 0.9, kind="procedural", tags=("ops", "release")),
        candidate("b", 0.8, kind="procedural", tags=("release", "ops")),
        candidate("c", 0.7, kind="semantic", tags=("ops", "release")),
        candidate("d", 0.6),
        candidate("e", 0.5),
    ]
    assert ids(diversify(pool, TagSignature(), NOWHERE, 5)) == ["a", "c", "d", "e"]
    assert ids(diversify(pool, TagSignature(exempt_untagged=False), NOWHERE, 5)) == ["a", "c", "d"]


def test_near_copies_by_meaning_are_dropped():
    pool = [candidate("a", 0.9), candidate("b", 0.8), candidate("c", 0.7)]
    assert ids(diversify(pool, SameMeaning(similarity=0.97), at_angle(a=1.0, b=0.99, c=0.5), 5)) == ["a", "c"]


def test_other_names_numbers_and_identifiers_make_another_memory_however_close_the_vectors():
    texts = {"a": "invoice 1042 was paid", "b": "invoice 1043 was paid", "c": "E0427 again", "d": "E0428 again"}
    texts |= {"e": "we met Ada in Porto", "f": "we met Bob in Porto"}
    pool = [candidate(id, 0.9, text=text) for id, text in texts.items()]
    assert ids(diversify(pool, SameMeaning(), at_angle(**dict.fromkeys(texts, 1.0)), 9)) == list(texts)


def test_what_has_no_vector_is_nobodys_copy():
    pool = [candidate("a", 0.9), candidate("x", 0.8), candidate("b", 0.7), candidate("y", 0.6)]
    assert ids(diversify(pool, SameMeaning(similarity=0.97), at_angle(a=1.0, b=0.99), 5)) == ["a", "x", "y"]
    assert ids(diversify(pool, SameMeaning(), NOWHERE, 5)) == ["a", "x", "b", "y"]


def test_default_shows_one_of_several_near_copies_and_lets_sessions_keep_theirs():
    with Recollect(":memory:", embedder="hashing") as mind:
        copies = ["Ada keeps the spare key under the blue pot", "Ada keeps the spare key under the blue pot."]
        items = [{"text": text, "session_id": f"s{n}", "dedup": False} for n, text in enumerate(copies)]
        mind.remember_many([*items, {"text": "Ada waters the blue pot on Mondays", "dedup": False}])
        question = "where is the spare key?"
        shown = [hit.memory.text.rstrip(".") for hit in mind.recall(question).hits]
        assert shown.count(copies[0]) == 1
        groups = mind.recall(question, granularity="session").hits
        assert {hit.memory.session_id for hit in groups} >= {"s0", "s1"}


def test_redundancy_is_the_larger_of_cosine_and_weighted_tag_overlap():
    vectors = at_angle(a=1.0, b=0.2).vectors
    one, two = (candidate(id, tags=tags).memory for id, tags in (("a", ("x", "y")), ("b", ("y", "z"))))
    assert redundancy(one, two, 0.35, vectors) == pytest.approx(0.2)
    assert redundancy(one, two, 0.9, vectors) == pytest.approx(0.9 / 3)


def test_memsense_mmr_in_its_printed_form_lets_redundancy_rule():
    # after a: b is worth 0.78 * 0.50 - 0.22 * 0.93 = 0.185, c 0.78 * 0.30 - 0.22 * 0 = 0.234
    pool = [candidate("a", 0.55), candidate("b", 0.50), candidate("c", 0.30)]
    assert ids(diversify(pool, MEMSENSE, at_angle(a=1.0, b=0.93, c=0.0), 4)) == ["a", "c", "b"]


def test_memsense_leaves_out_what_is_94_hundredths_redundant():
    pool = [candidate("a", 0.55), candidate("b", 0.54), candidate("c", 0.10)]
    assert ids(diversify(pool, MEMSENSE, at_angle(a=1.0, b=0.95, c=0.1), 4)) == ["a", "c"]


def test_scaling_first_gives_relevance_its_due():
    pool = [candidate("a", 0.032), candidate("b", 0.031), candidate("c", 0.016)]
    vectors = at_angle(a=1.0, b=0.5, c=0.1)
    printed = MaximalMarginalRelevance(lambda_=0.7)
    assert ids(diversify(pool, printed, vectors, 3)) == ["a", "c", "b"]
    assert ids(diversify(pool, MaximalMarginalRelevance(lambda_=0.7, scale=True), vectors, 3)) == ["a", "b", "c"]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=10), st.integers(1, 10))
def test_mmr_with_lambda_one_is_plain_ranking(values, limit):
    pool = sorted((candidate(f"m{n}", v) for n, v in enumerate(values)), key=lambda c: (-c.score.value, c.memory.id))
    vectors = at_angle(**{c.memory.id: 0.5 for c in pool})
    assert ids(diversify(pool, MaximalMarginalRelevance(lambda_=1.0), vectors, limit)) == ids(pool)[:limit]


def test_only_as_many_as_are_wanted_are_held_against_each_other():
    """Names and numbers of long texts take time to find, and what lies beyond the limit is not shown."""
    pool = [candidate(id, score) for id, score in (("a", 4), ("copy", 3), ("b", 2), ("copy of b", 1))]
    vectors = {"a": [1.0, 0.0], "copy": [1.0, 0.0], "b": [0.0, 1.0], "copy of b": [0.0, 1.0]}
    around = Neighbourhood(vectors={id: np.array(row, np.float32) for id, row in vectors.items()})
    how = SameMeaning(similarity=0.9)
    assert [c.memory.id for c in diversify(pool, how, around, 2)] == ["a", "b", "copy of b"]
    assert [c.memory.id for c in diversify(pool, how, around, 9)] == ["a", "b"]


def test_the_value_that_decides_the_order_is_in_the_explanation():
    pool = [candidate("a", 0.9), candidate("b", 0.8), candidate("c", 0.7)]
    vectors = {"a": np.array([1.0, 0.0]), "b": np.array([1.0, 0.0]), "c": np.array([0.0, 1.0])}
    found = diversify(pool, MaximalMarginalRelevance(lambda_=0.78), Neighbourhood(vectors=vectors), 3)
    shown = {c.memory.id: c.score.find("mmr_score") for c in found}
    assert shown["b"].value == pytest.approx(0.78 * 0.8 - 0.22 * 1.0)
    assert [c.score.value for c in found] == [0.9, 0.7, 0.8]
    assert all(node.recompute() == pytest.approx(node.value) for node in shown.values())
