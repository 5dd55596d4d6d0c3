"""Every formula against values worked out by hand."""

import math

import pytest

from recollect.bench import metrics

RANKED = ["a", "b", "c", "d", "e"]


def test_a_hit_needs_one_gold_among_the_first_k():
    assert [metrics.hit(RANKED, {"c", "x"}, k) for k in (1, 2, 3, 5)] == [0, 0, 1, 1]


def test_all_gold_needs_every_one():
    assert metrics.all_gold(RANKED, {"a", "c"}, 2) == 0
    assert metrics.all_gold(RANKED, {"a", "c"}, 3) == 1
    assert metrics.all_gold(RANKED, set(), 3) == 0


def test_recall_is_the_share_of_the_gold():
    assert metrics.recall(RANKED, {"a", "d", "x", "y"}, 3) == 0.25
    assert metrics.recall(RANKED, {"a", "d", "x", "y"}, 5) == 0.5
    assert metrics.recall([], {"a"}, 5) == 0


def test_reciprocal_rank_looks_at_the_first_gold():
    assert metrics.reciprocal_rank(RANKED, {"c", "d"}) == pytest.approx(1 / 3)
    assert metrics.reciprocal_rank(RANKED, {"x"}) == 0


def test_ndcg_takes_its_ideal_from_the_whole_corpus():
    # gold at places 1 and 3, a third never found: (1 + 1/2) / (1 + 1/log2(3) + 1/2)
    gained, ideal = 1 + 0.5, 1 + 1 / math.log2(3) + 0.5
    assert metrics.ndcg(RANKED, {"a", "c", "never"}, 5) == pytest.approx(gained / ideal)
    assert metrics.ndcg(RANKED, {"a"}, 5) == 1
    # with k = 2 only two could be found at best
    assert metrics.ndcg(RANKED, {"a", "c", "never"}, 2) == pytest.approx(1 / (1 + 1 / math.log2(3)))


def test_a_key_that_comes_twice_counts_once_where_it_comes_first():
    assert metrics.ndcg(["a", "a", "a"], {"a", "b"}, 3) == pytest.approx(1 / (1 + 1 / math.log2(3)))
    assert metrics.recall(["a", "a", "b"], {"a", "b"}, 2) == 0.5


def test_topic_coverage_is_the_share_of_expected_topics():
    assert metrics.topic_coverage(["tea", "tea", "tea", "cars", "tea"], {"tea", "budget"}, 5) == 0.5


def test_a_miss_is_empty_or_strictly_low():
    assert (metrics.miss_empty(0), metrics.miss_empty(3)) == (1, 0)
    assert (metrics.miss_strict(0.59, 0.6), metrics.miss_strict(0.6, 0.6), metrics.miss_strict(None, 0.6)) == (1, 0, 1)


def test_what_is_stale_misleads_only_above_all_gold():
    assert metrics.misled(["x", "old", "new"], {"new"}, {"old"}) == 1
    assert metrics.misled(["new", "old"], {"new"}, {"old"}) == 0
    assert metrics.misled(["x"], {"new"}, {"old"}) == 0
