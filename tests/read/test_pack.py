from factories import candidate
from hypothesis import given
from hypothesis import strategies as st

from recollect.read.pack import pack, tokens, with_room
from recollect.recipes.recipe import Pack


def test_packing_stops_before_the_first_overflow():
    pool = [candidate("a", text="x" * 40), candidate("b", text="x" * 41), candidate("c", text="x")]
    kept = pack(pool, Pack(), limit=5, budget_tokens=20)
    assert [c.memory.id for c in kept] == ["a"]  # 10 + 11 tokens pass 20


def test_room_is_made_in_place_of_the_last():
    pool = [candidate(id) for id in "abcdef"]

    def order(wanted, limit):
        return "".join(c.memory.id for c in with_room(pool, frozenset(wanted), limit))

    assert order("", 3) == order("ab", 3) == order("x", 3) == "abcdef"
    assert order("e", 3) == "abecdf"
    assert order("be", 3) == "abecdf"
    assert order("def", 3) == "defabc"
    assert order("def", 2) == "deabcf"


def test_the_first_hit_always_fits():
    assert len(pack([candidate("a", text="x" * 999)], Pack(budget_tokens=1), limit=5, budget_tokens=None)) == 1


def test_only_scores_above_the_recipe_s_least_are_returned():
    pool = [candidate(id, score) for id, score in (("a", 0.4), ("b", 0.0), ("c", -0.1))]
    assert [c.memory.id for c in pack(pool, Pack(above=0.0), limit=5, budget_tokens=None)] == ["a"]
    assert len(pack(pool, Pack(), limit=5, budget_tokens=None)) == 3
    assert pack(pool[1:], Pack(above=0.0), limit=5, budget_tokens=None) == []


def test_what_is_below_the_least_takes_no_place():
    pool = [candidate("a", 0.0), candidate("b", 0.3), candidate("c", 0.2)]  # room was made for a
    assert [c.memory.id for c in pack(pool, Pack(above=0.0), limit=2, budget_tokens=None)] == ["b", "c"]


def test_the_caller_s_budget_wins_over_the_recipe_s():
    pool = [candidate(id, text="x" * 40) for id in "abc"]
    assert len(pack(pool, Pack(budget_tokens=10), limit=5, budget_tokens=1000)) == 3


@given(st.lists(st.text(max_size=80), max_size=12), st.integers(1, 10), st.integers(1, 60))
def test_packing_never_exceeds_its_budget_or_the_limit(texts, limit, budget):
    pool = [candidate(f"m{n}", text=text) for n, text in enumerate(texts)]
    kept = pack(pool, Pack(), limit=limit, budget_tokens=budget)
    assert len(kept) <= limit
    assert len(kept) <= 1 or sum(tokens(c.memory.text, Pack()) for c in kept) <= budget
    assert kept == pool[: len(kept)]
