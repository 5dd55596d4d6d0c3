import pytest
from hypothesis import given
from hypothesis import strategies as st
from made import candidate

from recollect.read.fuse import fuse
from recollect.recipes.recipe import Depth, ReciprocalRank, Scaled, ScoreSum


def scores(candidates):
    return {c.memory.id: c.score.value for c in candidates}


def test_reciprocal_rank_adds_one_over_k_plus_rank():
    both = candidate("both", seen={"lexical": (1, 9.0), "vector": (3, 0.8)})
    one = candidate("one", seen={"vector": (1, 0.9)})
    fused = fuse([both, one], ReciprocalRank(k=60), limit=5, embedder=None)
    assert scores(fused) == pytest.approx({"both": 1 / 61 + 1 / 63, "one": 1 / 61})
    assert [c.memory.id for c in fused] == ["both", "one"]


def test_memsense_keeps_32_candidates_for_a_limit_of_four():
    many = [candidate(f"m{n:03}", seen={"vec_full": (n + 1, 1.0)}) for n in range(100)]
    how = ReciprocalRank(k=15, keep=Depth(times=4, least=32))
    kept = fuse(many, how, limit=4, embedder=None)
    assert len(kept) == 32
    assert kept[0].score.value == pytest.approx(1 / 16)
    assert len(fuse(many, how, limit=20, embedder=None)) == 80


def test_min_max_brings_each_route_to_zero_and_one():
    how = ScoreSum(routes={"lexical": Scaled(), "vector": Scaled(weight=2.0)})
    fused = fuse(
        [
            candidate("a", seen={"lexical": (1, 10.0), "vector": (2, 0.5)}),
            candidate("b", seen={"lexical": (3, 2.0), "vector": (1, 0.9)}),
            candidate("c", seen={"lexical": (2, 4.0)}),
        ],
        how,
        limit=5,
        embedder=None,
    )
    assert scores(fused) == pytest.approx({"a": 1.0, "b": 2.0, "c": 0.25})


def test_weights_can_depend_on_the_embedder():
    how = ScoreSum(routes={"vector": Scaled(scale="raw")}, by_embedder={"granite": {"vector": 3.0}})
    seen = [candidate("a", seen={"vector": (1, 0.5)})]
    assert scores(fuse(seen, how, limit=5, embedder="granite")) == {"a": 1.5}
    assert scores(fuse(seen, how, limit=5, embedder="other")) == {"a": 0.5}


def test_memweave_merges_as_printed_and_its_floor_drops_keyword_only_hits():
    routes = {"vector": Scaled(weight=0.7, scale="raw"), "lexical": Scaled(weight=0.3, scale="saturate")}
    seen = [
        candidate("both", seen={"vector": (1, 0.8), "lexical": (1, 3.0)}),
        candidate("words", seen={"lexical": (2, 99.0)}),
    ]
    printed = fuse(seen, ScoreSum(routes=routes, floor=0.35), limit=6, embedder=None)
    assert scores(printed) == pytest.approx({"both": 0.7 * 0.8 + 0.3 * 0.75})
    repaired = fuse(seen, ScoreSum(routes=routes, floor=0.35, spare_keyword_only=True), limit=6, embedder=None)
    assert scores(repaired)["words"] == pytest.approx(0.3 * 0.99)


ROUTES = ("lexical", "vector", "graph")
SEEN = st.dictionaries(
    st.sampled_from(ROUTES), st.tuples(st.integers(1, 50), st.floats(0, 10, allow_nan=False)), min_size=1
)
HOWS = [ReciprocalRank(k=60), ScoreSum(routes={r: Scaled() for r in ROUTES})]


@given(st.lists(SEEN, min_size=1, max_size=8), st.sampled_from(HOWS), st.randoms())
def test_fusion_does_not_depend_on_the_order_of_routes_or_candidates(all_seen, how, random):
    straight = [candidate(f"m{n}", seen=seen) for n, seen in enumerate(all_seen)]
    shuffled = [candidate(f"m{n}", seen=dict(reversed(seen.items()))) for n, seen in enumerate(all_seen)]
    random.shuffle(shuffled)
    first, second = (fuse(cs, how, limit=5, embedder=None) for cs in (straight, shuffled))
    assert [(c.memory.id, c.score.value) for c in first] == [(c.memory.id, c.score.value) for c in second]


@given(st.lists(SEEN, min_size=1, max_size=8), st.sampled_from(HOWS))
def test_a_fused_score_recomputes_from_its_parts(all_seen, how):
    fused = fuse([candidate(f"m{n}", seen=seen) for n, seen in enumerate(all_seen)], how, limit=5, embedder=None)
    for c in fused:
        assert c.score.recompute() == pytest.approx(c.score.value, abs=1e-9)
