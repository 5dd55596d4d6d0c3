import pytest
from factories import candidate, memory
from hypothesis import given
from hypothesis import strategies as st

from recollect.explanation import Explanation
from recollect.read.spread import spread
from recollect.recipes.recipe import Activation, SessionFirst, SessionPrior, TurnNeighbours
from recollect.types import Candidate, Link, Neighbourhood

OPENMEM = Activation(hops=2, decay=0.5)


def link(a, b, weight, kind="related"):
    return Link(a=a, b=b, kind=kind, weight=weight)


def around(*links, reachable=()):
    return Neighbourhood(links=links, memories={id: memory(id) for id in reachable})


def scores(candidates):
    return {c.memory.id: c.score.value for c in candidates}


def test_two_hops_give_a_quarter_of_the_weights_and_the_seed():
    net = around(link("a", "b", 0.8), link("c", "b", 0.6), reachable=("b", "c"))
    found = scores(spread([candidate("a", 1.0)], OPENMEM, net))
    assert found == pytest.approx({"a": 1.0, "b": 0.5 * 0.8, "c": 0.25 * 0.8 * 0.6})


def test_the_highest_path_wins():
    net = around(link("a", "c", 0.2), link("b", "c", 0.9), reachable=("c",))
    found = scores(spread([candidate("a", 1.0), candidate("b", 0.5)], OPENMEM, net))
    assert found["c"] == pytest.approx(0.5 * 0.9 * 0.5)


def test_a_memory_the_query_may_not_see_is_not_reached():
    assert set(scores(spread([candidate("a", 1.0)], OPENMEM, around(link("a", "hidden", 1.0))))) == {"a"}


def test_an_activated_memory_says_which_link_woke_it():
    found = spread([candidate("a", 1.0)], OPENMEM, around(link("a", "b", 0.8, "supports"), reachable=("b",)))
    weight = found[1].score.find("weight")
    assert weight.note == "supports link with a"
    assert found[1].score.recompute() == pytest.approx(0.4)


IDS = st.sampled_from("abcdef")


@given(
    st.dictionaries(IDS, st.floats(0, 1), min_size=1),
    st.lists(st.tuples(IDS, IDS, st.floats(0, 1)), max_size=12),
    st.integers(0, 4),
)
def test_spreading_never_exceeds_the_best_seed(seeds, edges, hops):
    net = around(*(link(a, b, w) for a, b, w in edges if a != b), reachable="abcdef")
    found = spread([candidate(id, score) for id, score in seeds.items()], Activation(hops=hops, decay=0.5), net)
    assert max(scores(found).values()) <= max(seeds.values()) + 1e-12
    assert all(scores(found)[id] >= score for id, score in seeds.items())
    for c in found:
        assert c.score.recompute() == pytest.approx(c.score.value)


def test_turns_support_their_session_up_to_the_cap():
    pool = [
        candidate("s1", 0.05, granularity="session", session_id="s1"),
        candidate("s2", 0.06, granularity="session", session_id="s2"),
        candidate("t1", 0.10, granularity="turn", session_id="s1"),
        candidate("t2", 0.02, granularity="turn", session_id="s1"),
        candidate("t3", 0.50, granularity="turn", session_id="s2"),
        candidate("lost", 0.90, granularity="turn", session_id="s9"),
    ]
    found = spread(pool, SessionFirst(cap=0.12, factor=0.6), Neighbourhood())
    assert scores(found) == pytest.approx({"s1": 0.05 + 0.6 * 0.10, "s2": 0.06 + 0.12})
    explained = next(c.score for c in found if c.memory.id == "s1")
    names = {node.name for node in explained.walk()}
    assert names >= {"session_rrf_score", "turn_support", "supporting_turn_count", "best_turn_routes"}
    assert explained.find("supporting_turn_count").value == 2
    assert explained.recompute() == pytest.approx(explained.value)


def test_without_a_session_record_turns_stay_as_they_are():
    pool = [candidate("t1", 0.1, granularity="turn", session_id="s1")]
    assert scores(spread(pool, SessionFirst(), Neighbourhood())) == {"t1": 0.1}


def test_a_turn_gains_a_share_of_the_turns_beside_it():
    a, b, c = (memory(id, granularity="turn", session_id="s", turn=n) for n, id in enumerate("abc"))
    pool = [Candidate(m, (), Explanation("relevance", v)) for m, v in ((b, 1.0), (a, 0.5))]
    beside = {"a": [b], "b": [a, c]}
    found = spread(pool, TurnNeighbours(share=0.2), Neighbourhood(beside=beside))
    assert scores(found) == pytest.approx({"b": 1.0 + 0.2 * 0.5, "a": 0.5 + 0.2 * 1.0, "c": 0.2})
    for one in found:
        assert one.score.recompute() == pytest.approx(one.score.value)


def test_a_session_lifts_all_that_was_said_in_it():
    pool = [
        candidate("a", 1.0, session_id="s1"),
        candidate("b", 0.4, session_id="s1"),
        candidate("c", 0.6, session_id="s2"),
        candidate("d", 0.5),
    ]
    found = spread(pool, SessionPrior(share=0.3), Neighbourhood())
    assert scores(found) == pytest.approx({"a": 1.3, "b": 0.7, "c": 0.78, "d": 0.5})
    assert all(c.score.recompute() == pytest.approx(c.score.value) for c in found)


def test_links_of_some_kinds_can_be_passed_over():
    net = around(link("a", "b", 0.8, "temporal"), link("a", "c", 0.8), reachable=("b", "c"))
    found = spread([candidate("a", 1.0)], Activation(hops=1, decay=0.5, excluded_link_kinds=("temporal",)), net)
    assert set(scores(found)) == {"a", "c"}


def test_people_who_answer_each_other_share_more_than_a_user_and_an_assistant():
    how = TurnNeighbours(share=0.2, named_speaker_share=0.4)
    beside = [memory("b", role="Bob", turn=1), memory("u", role="user", turn=1)]
    found = scores(spread([candidate("a", 1.0)], how, Neighbourhood(beside={"a": beside})))
    assert found == pytest.approx({"a": 1.0, "b": 0.4, "u": 0.2})
    plain = scores(spread([candidate("a", 1.0)], TurnNeighbours(share=0.2), Neighbourhood(beside={"a": beside})))
    assert plain == pytest.approx({"a": 1.0, "b": 0.2, "u": 0.2})
