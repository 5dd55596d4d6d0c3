"""The numbers that the documents print."""

from types import SimpleNamespace

import pytest

from reference import bm25, memsense, memx, openmem, siestai


@pytest.mark.parametrize(
    ("days", "printed"), [(0, 1.000), (1, 0.951), (7, 0.705), (14, 0.497), (30, 0.223), (60, 0.050)]
)
def test_siestai_s_decay_curve(days, printed):
    assert round(siestai.recency_decay(days), 3) == printed


@pytest.mark.parametrize(("days", "printed"), [(1, 0.95), (30, 0.22)])
def test_openmem_s_recency_of_yesterday_and_of_a_month_ago(days, printed):
    m = SimpleNamespace(accessed=days, retrieved=None, created=100)
    assert round(openmem.recency(m), 2) == printed


def test_openmem_s_half_life_is_about_14_days():
    m = SimpleNamespace(accessed=14, retrieved=None, created=100)
    assert openmem.recency(m) == pytest.approx(0.5, abs=0.01)


def test_openmem_clamps_strength_and_lets_it_fade():
    assert openmem.reinforced(0.95) == 1.0
    assert openmem.decayed(1.0, 100) == pytest.approx(0.3679, abs=1e-4)


PROFILES = {  # MemX, Table 12: access count, retrieval count, last accessed, last retrieved
    "A": (50, 2, 1, 15),
    "B": (3, 25, 30, 1),
    "C": (40, 40, 60, 60),
}


@pytest.mark.parametrize(
    ("profile", "by_retrieval", "by_access"),  # Table 13: f_rec, f_freq, score under the two strategies
    [
        ("A", (0.707, 0.110, 0.577), (0.977, 0.393, 0.659)),
        ("B", (0.977, 0.326, 0.656), (0.500, 0.139, 0.527)),
        ("C", (0.250, 0.371, 0.476), (0.250, 0.371, 0.476)),
    ],
)
def test_memx_table_13(profile, by_retrieval, by_access):
    accesses, retrievals, accessed, retrieved = PROFILES[profile]
    for count, age, printed in ((retrievals, retrieved, by_retrieval), (accesses, accessed, by_access)):
        recency, frequency = memx.f_rec(age), memx.f_freq(count)
        score = memx.composite(0.70, recency, frequency, 0.80)
        assert (recency, frequency, score) == pytest.approx(printed, abs=0.0006)


@pytest.mark.parametrize(
    ("v_max", "keyword", "accepted"),  # MemX, Table 11: which rules accept
    [
        (0.504, False, "R1 R2"),
        (0.490, True, "R1 R3 R5"),
        (0.453, False, ""),
        (0.621, False, "R1 R2 R5"),
    ],
)
def test_memx_table_11(v_max, keyword, accepted):
    rules = ("R1", "R2", "R3", "R4", "R5")
    assert [rule for rule in rules if not memx.rejects(rule, keyword, v_max)] == accepted.split()


def test_memsense_s_pool_sizes():
    assert (memsense.per_route(4), memsense.final_limit(4)) == (64, 32)
    assert (memsense.per_route(20), memsense.final_limit(20)) == (160, 80)


def test_memsense_s_turn_support_is_bounded():
    assert memsense.turn_support(0.1) == pytest.approx(0.06)
    assert memsense.turn_support(0.5) == 0.12


def test_the_article_s_stemming():
    assert bm25.tokens("running") == bm25.tokens("run")
    assert bm25.tokens("authentication") == bm25.tokens("authenticate")


def test_the_article_s_signals():
    assert bm25.idf(4000, 4000) < 0.001  # "a term that appears in every document gets an IDF near zero"
    assert bm25.idf(4000, 15) > 5
    first, second, tenth = (bm25.tf(n, 10, 10) - bm25.tf(n - 1, 10, 10) for n in (1, 2, 10))
    assert first > second > tenth and tenth < 0.05  # "the tenth adds almost nothing"
