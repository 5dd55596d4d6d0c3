"""Each number where a recipe did not follow its document, as a case (F1 to F15), with the document's number.

F8 and F10 are in bench/test_memx_paper.py, F14 in text/test_topics.py. F15's indexes are in store/, its briefs in
test_brief.py and its chain in test_chain.py; the cases here are the short form.
"""

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


def test_f1_the_one_that_loses_is_seventh_with_01204(mind):
    """Without the rule it would be fourth, with 0.125 + 0.2 exp(-0.05 * 20) + 0.2 * 0.8 + 0.1 * 0.4272 = 0.4013."""
    strong = {id: memory(id, "kettle", created_at=days_ago(1), confidence=0.9 + n / 100) for n, id in enumerate("jkl")}
    weak = {"strength": 0.1, "confidence": 0.1, "created_at": days_ago(60)}
    held = [
        *strong.values(),
        memory("m", "kettle", status="superseded", **weak),
        memory("b", "one", **weak),
        memory("c", "two", strength=0.5, confidence=0.9, created_at=days_ago(24)),
        memory("d", "three", strength=0.8, confidence=0.4272, created_at=days_ago(20)),
    ]
    ends = [("j", "b", "related"), ("b", "c", "related"), ("b", "d", "related"), ("c", "d", "contradicts")]
    write(mind, [put(m) for m in held], [Link(a=a, b=b, kind=kind, weight=1.0) for a, b, kind in ends])
    hits = mind.recall("kettle", recipe="openmem", at=NOW, limit=7, track=False).hits
    assert [hit.memory.id for hit in hits][-1] == "d" and len(hits) == 7
    assert round(hits[-1].score, 4) == 0.1204
    uncontested = hits[-1].explanation.find("uncontested").value
    assert round(uncontested, 4) == 0.4013
    assert sorted((hit.score for hit in hits), reverse=True)[2] > uncontested > hits[3].score


def test_f2_openmem_counts_parts_of_tokens(mind):
    texts = {"a": "kettle " + "x" * 22, "b": "kettle " + "y" * 22}
    write(mind, [put(memory(id, text)) for id, text in texts.items()])
    assert sum(len(text) / 4 for text in texts.values()) == 14.5  # rounded up, it would be 16
    assert len(mind.recall("kettle", recipe="openmem", budget_tokens=15, at=NOW).hits) == 2
    assert len(mind.recall("kettle", recipe="openmem", budget_tokens=14, at=NOW).hits) == 1


def note(id, gist, text, tags=()):
    return put(memory(id, text, gist=gist, tags=tags))


def test_f3_the_tags_are_searched_and_count_in_the_statistics(mind):
    """Three memories of 15, 14 and 13 words: ln(2.5 / 1.5 + 1) * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 15 / 14)) = 0.953."""
    write(
        mind,
        [
            note(
                "a",
                "proxy choice",
                "we compared three of them before the move in last week",
                ("haproxy", "pgbouncer"),
            ),
            note("b", "morning run", "the team runs along the river on tuesdays before the work begins"),
            note("c", "login flow", "users sign in with a passkey and a short code now"),
        ],
    )
    (hit,) = mind.recall("pgbouncer", recipe="bm25", at=NOW, track=False).hits
    assert (hit.memory.id, round(hit.score, 3)) == ("a", 0.953)


def test_f4_the_words_are_those_of_porter_unicode61(mind):
    """The article's own memory has 25 words: pgbouncer once, connection 10 + 2 times, pool 10 + 3 times.

    Among four others of seven words, all with "pool": ln(4.5 / 1.5 + 1) * (tf(1) + tf(12)) + ln(0.5 / 5.5 + 1) * tf(13)
    with tf(f) = 2.2 f / (f + 1.2 * (0.25 + 0.75 * 25 / 10.6)), which is 3.590. Our own analyzer made three terms of
    PgBouncer.
    """
    body = (
        "Use PgBouncer with pool_mode = transaction. Max connections: 100. Min pool size: 10. "
        "Connection string: postgres://pool:5432/appdb."
    )
    others = ["the pool opens at nine on sundays", "Mia swims in the pool after work"]
    others += ["we pool the money for the trip", "a pool table stands in the hall"]
    write(
        mind,
        [
            note("a", "PostgreSQL Connection Pooling", body, ("database", "infrastructure", "postgres")),
            *(note(f"o{n}", "", text) for n, text in enumerate(others)),
        ],
    )
    best = mind.recall("PgBouncer connection pooling", recipe="bm25", at=NOW, track=False).hits[0]
    assert (best.memory.id, round(best.score, 3)) == ("a", 3.590)


@pytest.mark.parametrize(("cosine", "merged"), [(0.93, True), (0.91, False), (0.90, False)])
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


def test_f6_each_record_of_a_session_is_supported_by_its_turns(mind):
    """Also one that no route found beside one that was found."""
    turn = memory("t0", "the kettle", session_id="s17", granularity="turn", turn=0)
    seen = dict.fromkeys(("full", "user", "next_user", "events"), unit([0, 0, 0, 1], 4))
    first, second = session("s17", "a kettle"), session("s17b", "quiet", session_id="s17", turn=1)
    write(mind, [put(turn, **seen), put(first), put(second)])
    found = {hit.memory.id: hit for hit in mind.recall("kettle", recipe="memsense", at=NOW).hits}
    assert found["s17"].explanation.find("session_rrf_score").value > 0
    assert found["s17b"].score == pytest.approx(0.12 + 0.05)


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


def test_f11_a_session_with_its_rounds_is_one_granularity_and_the_explanation_has_the_value_of_mmr(mind):
    talk = [("user", "I moved to Porto."), ("assistant", "Nice."), ("user", "I prefer tea."), ("assistant", "Noted.")]
    messages = [{"role": role, "content": content} for role, content in talk]
    for _role, content in talk:
        mind.embedder.give(content, [1.0])
    stored = mind.ingest(messages, session_id="s", granularity="session+round").added
    assert sorted(m.granularity for m in stored) == ["round", "round", "session"] and all(m.gist for m in stored)
    ids = [m.id for m in stored]
    assert mind._store.fetch(ids, view="preferences").vectors and mind._store.fetch(ids, view="events").vectors
    (hit,) = mind.recall("Porto", recipe="memsense", track=False).hits
    assert hit.memory.granularity == "session"
    value, final = (hit.explanation.find(name).value for name in ("mmr_score", "final_score"))
    assert value == pytest.approx(0.78 * final) and final == hit.score


def test_f12_each_mode_of_braindb_has_its_own_score(mind):
    held = memory("a", "kettle", kind="decision")
    write(mind, [put(held, full=unit(with_cosine(0.5), 4))])
    mind.embedder.give("kettle", [1.0])
    scores = {name: mind.recall("kettle", recipe=name, at=NOW, track=False).hits[0].score for name in BRAINDB}
    bm25 = 0.28768207245178085  # ln(0.5 / 1.5 + 1), once in a text of average length
    assert scores["braindb-keyword"] == pytest.approx(1.3 * bm25)
    assert scores["braindb-semantic"] == pytest.approx(1.3 * 0.5, abs=1e-3)
    assert scores["braindb"] == pytest.approx(1.3 * 2 / 61)


BRAINDB = ("braindb", "braindb-keyword", "braindb-semantic")


def test_f13_a_contradiction_is_a_link_of_08_and_reinforcing_adds_01(mind):
    write(mind, [put(memory(id, text, strength=0.5)) for id, text in (("a", "one"), ("b", "two"))])
    assert mind.contradict("a", "b").weight == 0.8
    assert mind.reinforce("a").strength == pytest.approx(0.6)


def test_f15_a_session_has_a_brief_and_a_chained_log_is_verified(mind):
    mind.embedder.give("I moved to Porto.", [1.0])
    mind.chain(True)
    mind.ingest([{"role": "user", "content": "I moved to Porto."}], session_id="s")
    assert "Porto" in mind.brief("s").text
    assert mind.check() == []
