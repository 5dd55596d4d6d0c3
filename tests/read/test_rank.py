import math

import pytest
from factories import NOW, candidate, days_ago, memory

from recollect.read.rank import Asked, frequency, future_penalty, normalise, rank, recency
from recollect.recipes import load, names
from recollect.recipes.recipe import (
    Factors,
    Frequency,
    FuturePenalty,
    QuestionPenalty,
    Recency,
    Relevance,
    Role,
    SpeakerMatch,
    Stored,
    TimeMatch,
    ZScoreSigmoid,
)

MEMX = load("memx").factors.add
PROFILES = {  # MemX, Table 12: accesses, retrievals, days since accessed, days since retrieved
    "A": (50, 2, 1, 15),
    "B": (3, 25, 30, 1),
    "C": (40, 40, 60, 60),
}


def profile(name):
    accesses, retrievals, accessed, retrieved = PROFILES[name]
    return candidate(
        name,
        0.70,
        importance=0.80,
        access_count=accesses,
        retrieval_count=retrievals,
        last_accessed_at=days_ago(accessed),
        last_retrieved_at=days_ago(retrieved),
        created_at=days_ago(100),
    )


def table_13(recency_factor, frequency_factor):
    # the table fixes f_sem at 0.70 instead of scaling it by the best candidate
    factors = Factors(add=(Relevance(weight=MEMX[0].weight), recency_factor, frequency_factor, MEMX[3]))
    return rank([profile(name) for name in "ABC"], factors, NOW)


def test_memx_table_13_by_retrieval():
    ranked = table_13(MEMX[1], MEMX[2])
    assert {c.memory.id: round(c.score.value, 3) for c in ranked} == {"A": 0.577, "B": 0.656, "C": 0.476}
    assert [c.memory.id for c in ranked] == ["B", "A", "C"]


def test_memx_table_13_by_access_reverses_the_first_two():
    ranked = table_13(Recency(weight=0.25, since="accessed", half_life_days=30), Frequency(weight=0.05, count="access"))
    assert {c.memory.id: round(c.score.value, 3) for c in ranked} == {"A": 0.659, "B": 0.527, "C": 0.476}
    assert [c.memory.id for c in ranked] == ["A", "B", "C"]


@pytest.mark.parametrize(
    ("name", "expected_recency", "expected_frequency"),
    [("A", 0.707, 0.110), ("B", 0.977, 0.326), ("C", 0.250, 0.371)],
)
def test_memx_table_13_factors(name, expected_recency, expected_frequency):
    held = profile(name).memory
    assert recency(held, MEMX[1], NOW).value == pytest.approx(expected_recency, abs=5e-4)
    assert frequency(held, MEMX[2]).value == pytest.approx(expected_frequency, abs=5e-4)


@pytest.mark.parametrize(
    ("days", "expected"), [(0, 1.000), (1, 0.951), (7, 0.705), (14, 0.497), (30, 0.223), (60, 0.050)]
)
@pytest.mark.parametrize("name", ["siestai", "openmem"])
def test_the_decay_table_that_siestai_prints(name, days, expected):
    how = next(factor for factor in load(name).factors.add if isinstance(factor, Recency))
    assert recency(memory(created_at=days_ago(days)), how, NOW).value == pytest.approx(expected, abs=5e-4)


def test_openmem_recency_halves_in_about_fourteen_days():
    how = Recency(since="touched", rate_per_day=0.05)
    half_life = math.log(2) / 0.05
    assert 13.8 < half_life < 13.9
    assert recency(memory(created_at=days_ago(half_life)), how, NOW).value == pytest.approx(0.5)


def test_recency_counts_from_the_later_touch_and_never_from_the_future():
    how = Recency(since="touched", rate_per_day=0.05)
    touched = memory(created_at=days_ago(90), last_accessed_at=days_ago(20), last_retrieved_at=days_ago(2))
    assert recency(touched, how, NOW).find("days").value == pytest.approx(2)
    assert recency(memory(created_at=days_ago(-3)), how, NOW).value == 1.0


def test_an_undated_document_does_not_age():
    how = Recency(since="happened", half_life_days=30, exempt_undated_documents=True)
    undated = memory(granularity="chunk", created_at=days_ago(300))
    dated = memory(granularity="chunk", created_at=days_ago(300), occurred_at=days_ago(30))
    assert recency(undated, how, NOW).value == 1.0
    assert recency(dated, how, NOW).value == pytest.approx(0.5)


def test_frequency_is_capped_at_one_and_falls_back_to_accesses():
    assert frequency(memory(retrieval_count=10**9), Frequency()).value == 1.0
    assert frequency(memory(access_count=9), Frequency()).value == pytest.approx(math.log(10) / 10)


def test_openmem_superseded_counts_half_and_contradicted_three_tenths():
    factors = load("openmem").factors
    scores = {}
    for status in ("active", "superseded", "contradicted"):
        (found,) = rank([candidate("m", 1.0, status=status)], factors, NOW)
        scores[status] = found.score.value
        assert found.score.find("status").note == status
        assert found.score.recompute() == pytest.approx(found.score.value)
    # 0.5 * 1 + 0.2 * 1 + 0.2 * 1 + 0.1 * 1 = 1
    assert scores == pytest.approx({"active": 1.0, "superseded": 0.5, "contradicted": 0.3})


def test_aingram_multiplies_importance_confidence_and_hourly_decay():
    one = candidate("m", 0.03, importance=0.8, confidence=0.5, created_at=days_ago(10))
    (found,) = rank([one], load("aingram").factors, NOW)
    assert found.score.value == pytest.approx(0.03 * 0.8 * 0.5 * math.exp(-0.001 * 240))


def test_braindb_boosts_decisions_and_silences_what_was_superseded():
    pool = [
        candidate("decision", 0.02, kind="decision"),
        candidate("issue", 0.02, kind="issue"),
        candidate("old", 0.02, status="superseded"),
        candidate("other", 0.02),
    ]
    ranked = {c.memory.id: c.score.value for c in rank(pool, load("braindb").factors, NOW)}
    assert ranked == pytest.approx({"decision": 0.026, "issue": 0.018, "old": 0.0, "other": 0.02})


def test_z_scores_pass_through_a_sigmoid():
    pool = [candidate("a", 1.0), candidate("b", 3.0)]
    # mean 2, deviation 1: z is -1 and +1
    found = {c.memory.id: c.score.value for c in normalise(pool, ZScoreSigmoid())}
    assert found == pytest.approx({"a": 1 / (1 + math.e), "b": 1 / (1 + 1 / math.e)})


def test_equal_scores_are_left_alone():
    pool = [candidate("a", 0.4), candidate("b", 0.4 + 1e-8)]
    assert normalise(pool, ZScoreSigmoid()) == pool
    assert normalise([], ZScoreSigmoid()) == []


def test_a_floor_softens_a_stored_number():
    (found,) = rank([candidate("m", 1.0, strength=0.5)], Factors(multiply=(Stored(field="strength", floor=0.8),)), NOW)
    assert found.score.value == pytest.approx(0.9)
    assert found.score.recompute() == pytest.approx(0.9)


def test_what_the_assistant_said_counts_less_unless_the_question_speaks_to_it():
    factors = Factors(multiply=(Role(multipliers={"assistant": 0.8}, unless_words=("you",)),))
    said = [candidate("m", 1.0, role="assistant")]
    assert rank(said, factors, NOW)[0].score.value == pytest.approx(0.8)
    assert rank(said, factors, NOW, Asked(words=frozenset({"you", "recommend"})))[0].score.value == 1.0


def test_what_happened_in_the_time_named_is_lifted():
    factors = Factors(multiply=(TimeMatch(boost=0.4, slack_days=1.0),))
    asked = Asked(spans=[(days_ago(10), days_ago(9))])
    pool = [candidate(id, 1.0, occurred_at=days_ago(days)) for id, days in (("in", 9.5), ("edge", 10.5), ("out", 20))]
    found = {c.memory.id: c.score.value for c in rank(pool, factors, NOW, asked)}
    assert found == pytest.approx({"in": 1.4, "edge": 1.4, "out": 1.0})


def test_a_short_text_that_asks_counts_less_than_one_that_states_or_tells_before_it_asks():
    factors = Factors(add=(Relevance(),), multiply=(QuestionPenalty(multiplier=0.7, shorter_than_chars=40),))
    texts = {
        "asks": "How was Porto?",
        "chinese": "波尔图怎么样？",
        "states": "Porto was lovely.",
        "tells": "Porto was lovely and we stayed a week. And you?",
    }
    ranked = rank([candidate(id, 0.5, text=text) for id, text in texts.items()], factors, NOW)
    values = {c.memory.id: c.score.value for c in ranked}
    assert values == {"asks": 0.35, "chinese": 0.35, "states": 0.5, "tells": 0.5}


def test_what_was_told_after_the_question_counts_less():
    how = FuturePenalty(multiplier=0.5)
    assert future_penalty(memory(turn=0, valid_from=days_ago(-2)), how, NOW).value == 0.5
    assert future_penalty(memory(turn=0, valid_from=days_ago(-0.5)), how, NOW).value == 1.0
    assert future_penalty(memory(turn=0, valid_from=days_ago(3)), how, NOW).value == 1.0


def test_what_was_told_before_of_a_day_to_come_is_not_later():
    planned = memory(created_at=days_ago(1), occurred_at=days_ago(-30), valid_from=days_ago(-30))
    assert future_penalty(planned, FuturePenalty(multiplier=0.5), NOW).value == 1.0
    assert future_penalty(memory(created_at=days_ago(-2)), FuturePenalty(multiplier=0.5), NOW).value == 0.5


def test_a_question_that_names_a_speaker_means_what_they_said():
    factors = Factors(multiply=(SpeakerMatch(other_speakers=0.7),))
    said = [
        candidate(who, 1.0, role=role) for who, role in (("a", "Ada"), ("b", "Bob Lee"), ("u", "user"), ("n", None))
    ]
    words = frozenset({"ada", "job", "will"})

    def scores(content):
        ranked = rank(said, factors, NOW, Asked(words=words, content=frozenset(content)))
        return {c.memory.id: c.score.value for c in ranked}

    assert scores({"ada", "job"}) == {"a": 1.0, "b": 0.7, "u": 1.0, "n": 1.0}
    assert scores({"lee", "job"}) == {"a": 0.7, "b": 1.0, "u": 1.0, "n": 1.0}
    assert set(scores({"ada", "bob"}).values()) == {1.0}
    assert set(scores({"job"}).values()) == {1.0}


@pytest.mark.parametrize("recipe", names())
@pytest.mark.parametrize("asked", ["plain", "all"])
def test_a_score_is_what_its_explanation_computes(recipe, asked):
    factors, spans = load(recipe).factors, [(days_ago(60), days_ago(20))]
    words = {"words": frozenset({"you"}), "content": frozenset({"ann"}), "spans": spans, "past": True}
    pool = [
        candidate(
            f"m{n}",
            0.1 + n / 50,
            text="Is it so?" if n % 5 == 0 else "It is.",
            kind=("fact", "event", "procedural")[n % 3],
            role=(None, "user", "assistant", "Ann", "Bob")[n % 5],
            status=("active", "superseded", "contradicted")[n % 3],
            tier=("pinned", "searchable", "archived")[n % 3],
            granularity=("memory", "turn", "chunk")[n % 3],
            turn=n if n % 3 == 1 else None,
            importance=n / 40,
            strength=1 - n / 50,
            created_at=days_ago(n * 3 - 9),
            last_accessed_at=days_ago(n) if n % 4 else None,
            retrieval_count=n % 7,
        )
        for n in range(40)
    ]
    for each in rank(pool, factors, NOW, Asked(**words) if asked == "all" else Asked()):
        assert each.score.recompute() == pytest.approx(each.score.value, abs=1e-12)
        own = [
            p.value
            for p, f in zip(each.score.parts, (*factors.add, *factors.multiply), strict=True)
            if f in factors.multiply
        ]
        assert len(own) == len(factors.multiply)
        stored = [value for value, f in zip(own, factors.multiply, strict=True) if isinstance(f, Stored)]
        assert each.standing * math.prod(stored) == pytest.approx(math.prod(own))
