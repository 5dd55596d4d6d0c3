"""Each number where a recipe did not follow its document, as a case (F1 to F13)."""

import pytest
from factories import NOW, days_ago, memory
from given_vectors import GivenVectors, put, unit, with_cosine, write

from recollect import Link, Recollect


@pytest.fixture
def mind():
    with Recollect(":memory:", embedder=GivenVectors()) as made:
        yield made


@pytest.mark.parametrize("recipe", ["openmem", "default-fast"])
def test_f1_a_contradiction_between_two_memories_of_the_last_hop_counts(mind, recipe):
    texts = {"a": "kettle", "b": "one", "c": "two", "d": "three"}
    held = [memory(id, text, strength=0.5 if id == "d" else 1.0) for id, text in texts.items()]
    ends = [("a", "b", "related"), ("b", "c", "related"), ("b", "d", "related"), ("c", "d", "contradicts")]
    write(mind, [put(m) for m in held], [Link(a=a, b=b, kind=kind, weight=1.0) for a, b, kind in ends])
    found = {hit.memory.id: hit for hit in mind.recall("kettle", recipe=recipe, at=NOW, track=False).hits}
    assert found["c"].explanation.find("uncontested") is None
    uncontested = found["d"].explanation.find("uncontested").value
    assert found["d"].score == pytest.approx(uncontested * (0.3 if recipe == "openmem" else 0.6))


def test_f2_openmem_counts_parts_of_tokens(mind):
    texts = {"a": "kettle " + "x" * 22, "b": "kettle " + "y" * 22}
    write(mind, [put(memory(id, text)) for id, text in texts.items()])
    assert sum(len(text) / 4 for text in texts.values()) == 14.5  # rounded up, it would be 16
    assert len(mind.recall("kettle", recipe="openmem", budget_tokens=15, at=NOW).hits) == 2
    assert len(mind.recall("kettle", recipe="openmem", budget_tokens=14, at=NOW).hits) == 1


@pytest.mark.parametrize(("cosine", "merged"), [(0.93, True), (0.91, False)])
def test_f5_siestai_merges_from_a_cosine_of_092_with_every_embedder(cosine, merged):
    given = GivenVectors()
    given.name = "recollect-30m"
    given.give("the car is blue", [1.0])
    given.give("the car is green", with_cosine(cosine))
    with Recollect(":memory:", embedder=given, recipe="siestai") as mind:
        first = mind.remember("the car is blue", importance=0.5)
        second = mind.remember("the car is green", importance=0.4)
        assert (second.merged_into == first.id) is merged
        assert mind.get(first.id).importance == pytest.approx(0.6 if merged else 0.5)


@pytest.mark.parametrize(("cosine", "clusters"), [(0.81, 1), (0.79, 0)])
def test_f5_siestai_consolidates_from_a_cosine_of_080_with_every_embedder(cosine, clusters):
    given = GivenVectors(dim=32)
    given.name = "recollect-30m"
    texts = [f"note {'abcdefghijklmnopqrstuvw'[n]}" for n in range(23)]
    apart = (cosine / (1 - cosine)) ** 0.5  # two vectors (apart, 1, 0) and (apart, 0, 1) have this cosine
    for n, text in enumerate(texts):
        place = [0.0] * 32
        place[n + 1] = 1.0
        place[0] = apart if n < 3 else 0.0
        given.give(text, place)
    with Recollect(":memory:", embedder=given, recipe="siestai") as mind:
        mind.remember_many([{"text": text, "importance": 0.4} for text in texts])
        made = mind.consolidate()
        assert len(made) == clusters
        assert all(summary.importance == pytest.approx(0.5) for summary in made)


def session(id, text, **fields):
    return memory(id, text, **{"session_id": id, "granularity": "session", "turn": 0, "importance": 0.5, **fields})


def test_f6_memsense_keeps_a_session_that_only_its_turns_support(mind):
    turn = memory("t0", "the kettle", session_id="s17", granularity="turn", turn=0)
    seen = dict.fromkeys(("full", "user", "next_user", "events"), unit([0, 0, 0, 1], 4))  # first in four routes
    write(mind, [put(turn, **seen), *(put(session(id, "quiet")) for id in ("s17", "s18"))])
    (hit,) = mind.recall("kettle", recipe="memsense", at=NOW).hits
    assert hit.memory.id == "s17"
    assert hit.explanation.find("session_rrf_score").value == 0
    assert hit.explanation.find("turn_support").value == 0.12
    assert hit.score == pytest.approx(0.12 + 0.05)


def test_f6_sessions_of_the_same_name_in_other_namespaces_are_apart(mind):
    turn = memory("t0", "the kettle", session_id="s1", granularity="turn", turn=0, namespace="default/a")
    held = [session("s1", "a kettle", namespace="default/b")]
    write(mind, [put(m) for m in (turn, *held)])
    (hit,) = mind.recall("kettle", recipe="memsense", at=NOW).hits
    assert hit.explanation.find("turn_support") is None


def test_f7_memsense_shows_the_rounds_beside_a_round_whatever_their_numbers(mind):
    words = ["apples", "pears", "kettle", "plums"]
    rounds = [
        memory(f"r{n}", f"about {word}", session_id="s", granularity="round", turn=2 * n, created_at=days_ago(4 - n))
        for n, word in enumerate(words)
    ]
    write(mind, [put(m) for m in rounds])
    found = mind.recall("kettle", recipe="memsense", at=NOW, limit=1)
    assert [m.id for m in found.hits[0].neighbours] == ["r1", "r3"]
    lines = found.context().splitlines()
    assert [line.rpartition("] ")[2] for line in lines[1:-1]] == ["about pears", "about kettle", "about plums"]
    assert ["said beside it" in line for line in lines[1:-1]] == [True, False, True]


def test_f9_memx_returns_nothing_after_a_rejection_even_if_an_archived_memory_answers(mind):
    write(mind, [put(memory("a", "the cabin wifi password is herring", tier="archived"), full=unit([0, 0, 0, 1], 4))])
    assert mind.recall("cabin wifi password", recipe="memx", at=NOW).hits == ()


def test_f12_the_printed_threshold_of_memx_holds_for_every_embedder():
    for name in ("granite", "recollect-30m", "given"):
        given = GivenVectors()
        given.name = name
        given.give("what is it?", [1.0])
        with Recollect(":memory:", embedder=given) as mind:
            write(mind, [put(memory("a", "kettle"), full=unit(with_cosine(0.51), 4))])
            assert [hit.memory.id for hit in mind.recall("what is it?", recipe="memx", at=NOW).hits] == ["a"]
            write(mind, [put(memory("a", "kettle"), full=unit(with_cosine(0.49), 4))])
            assert mind.recall("what is it?", recipe="memx", at=NOW).rejected.startswith("R1")
