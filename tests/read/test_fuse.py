import pytest
from factories import ranking, rankings
from hypothesis import given
from hypothesis import strategies as st

from recollect.read.fuse import fuse
from recollect.recipes.recipe import Depth, ReciprocalRank, Scaled, ScoreSum


def scores(fused):
    return {f.memory_id: f.score.value for f in fused}


def fused(how, embedder=None, limit=5, **seen):
    return fuse(rankings(**seen), how, limit=limit, embedder=embedder)


def test_reciprocal_rank_adds_one_over_k_plus_rank():
    found = fused(ReciprocalRank(k=60), both={"lexical": (1, 9.0), "vector": (3, 0.8)}, one={"vector": (1, 0.9)})
    assert scores(found) == pytest.approx({"both": 1 / 61 + 1 / 63, "one": 1 / 61})
    assert [f.memory_id for f in found] == ["both", "one"]


def test_memsense_keeps_32_candidates_for_a_limit_of_four():
    many = {f"m{n:03}": {"vec_full": (n + 1, 1.0)} for n in range(100)}
    how = ReciprocalRank(k=15, keep=Depth(times=4, least=32))
    kept = fused(how, limit=4, **many)
    assert len(kept) == 32
    assert kept[0].score.value == pytest.approx(1 / 16)
    assert len(fused(how, limit=20, **many)) == 80


def test_min_max_brings_each_route_to_zero_and_one():
    how = ScoreSum(routes={"lexical": Scaled(), "vector": Scaled(weight=2.0)})
    found = fused(
        how,
        a={"lexical": (1, 10.0), "vector": (2, 0.5)},
        b={"lexical": (3, 2.0), "vector": (1, 0.9)},
        c={"lexical": (2, 4.0)},
    )
    assert scores(found) == pytest.approx({"a": 1.0, "b": 2.0, "c": 0.25})


def test_routes_count_by_rank_where_all_cosines_are_alike():
    how = ScoreSum(
        routes={"lexical": Scaled(coverage_exponent=0.5), "vector": Scaled(weight=0.5)},
        rank_fusion_below_range={"small": 0.1},
        rank_fusion_k=15,
    )
    seen = {
        "a": {"lexical": (2, 1.0), "vector": (1, 0.79)},
        "b": {"lexical": (1, 9.0), "vector": (2, 0.75)},
        "c": {"vector": (3, 0.70)},
    }
    by_rank = {"a": 16 / 17 + 0.5, "b": 1 + 0.5 * 16 / 17, "c": 0.5 * 16 / 18}
    assert scores(fused(how, embedder="small", **seen)) == pytest.approx(by_rank)
    by_value = {"a": 0 + 0.5, "b": 1 + 0.5 * 5 / 9, "c": 0}
    assert scores(fused(how, embedder="another", **seen)) == pytest.approx(by_value)
    seen["c"]["vector"] = (3, 0.60)
    assert scores(fused(how, embedder="small", **seen))["c"] == 0


def test_weights_can_depend_on_the_embedder():
    how = ScoreSum(routes={"vector": Scaled(scale="raw")}, by_embedder={"granite": {"vector": 3.0}})
    seen = {"vector": (1, 0.5)}
    assert scores(fused(how, "granite", a=seen)) == {"a": 1.5}
    assert scores(fused(how, "other", a=seen)) == {"a": 0.5}


def test_memweave_merges_as_printed_and_its_floor_drops_keyword_only_hits():
    routes = {"vector": Scaled(weight=0.7, scale="raw"), "lexical": Scaled(weight=0.3, scale="saturate")}
    seen = {"both": {"vector": (1, 0.8), "lexical": (1, 3.0)}, "words": {"lexical": (2, 99.0)}}
    printed = fused(ScoreSum(routes=routes, floor=0.35), **seen)
    assert scores(printed) == pytest.approx({"both": 0.7 * 0.8 + 0.3 * 0.75})
    repaired = fused(ScoreSum(routes=routes, floor=0.35, exempt_keyword_only=True), **seen)
    assert scores(repaired)["words"] == pytest.approx(0.3 * 0.99)


ROUTES = ("lexical", "vector", "graph")
SEEN = st.dictionaries(
    st.sampled_from(ROUTES), st.tuples(st.integers(1, 50), st.floats(0, 10, allow_nan=False)), min_size=1
)
HOWS = [ReciprocalRank(k=60), ScoreSum(routes={r: Scaled() for r in ROUTES})]


@given(st.lists(SEEN, min_size=1, max_size=8), st.sampled_from(HOWS), st.randoms())
def test_fusion_does_not_depend_on_the_order_of_routes_or_candidates(all_seen, how, random):
    straight = rankings(**{f"m{n}": seen for n, seen in enumerate(all_seen)})
    rows = {r.route: [*zip(r.ids, r.ranks, r.values, strict=True)] for r in straight}
    inside = [ranking(route, random.sample(found, len(found))) for route, found in rows.items()]
    shuffled = random.sample(inside, len(inside))
    first, second = (fuse(s, how, limit=5, embedder=None) for s in (straight, shuffled))
    assert [(f.memory_id, f.score.value) for f in first] == [(f.memory_id, f.score.value) for f in second]


@given(st.lists(SEEN, min_size=1, max_size=8), st.sampled_from(HOWS))
def test_a_fused_score_recomputes_from_its_parts(all_seen, how):
    for f in fused(how, **{f"m{n}": seen for n, seen in enumerate(all_seen)}):
        assert f.score.recompute() == pytest.approx(f.score.value, abs=1e-9)


def test_a_lexical_route_that_covers_little_of_the_question_counts_less():
    how = ScoreSum(routes={"lexical": Scaled(coverage_exponent=0.5), "vector": Scaled()})
    seen = rankings(word={"lexical": (1, 9.0)}, low={"lexical": (2, 1.0)}, sense={"vector": (1, 0.9)})
    found = fuse(seen, how, limit=5, embedder=None, coverage={"lexical": 0.25})
    assert scores(found) == pytest.approx({"word": 0.5, "sense": 1.0, "low": 0.0})
    assert all(f.score.recompute() == pytest.approx(f.score.value) for f in found)
