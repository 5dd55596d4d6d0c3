"""bench siestai, bm25 and memsense: printed numbers beside ours."""

import math
from datetime import UTC, datetime

import numpy as np
import pytest

from recollect.bench import siestai
from recollect.bench.bm25 import article
from recollect.bench.bm25 import study as bm25
from recollect.bench.datasets import load
from recollect.bench.datasets.life import load as load_life
from recollect.bench.memsense import modes
from recollect.bench.memsense import study as memsense
from recollect.bench.placed import Placed
from recollect.bench.printed import beside, heads, same
from recollect.bench.results import Results
from recollect.bench.studies import Lab
from recollect.embedders.hashing import Hashing

AT = datetime(2026, 6, 1, 12, tzinfo=UTC)


def test_numbers_agree_if_they_agree_in_the_printed_digits():
    assert same("0.95", "0.9512") == same("B > A", "B > A") == "yes"
    assert same("0.95", "0.9412") == same("–", "0.1") == same("0.1", "not found") == "no"
    assert heads(["n"]) == ("n printed", "n ours") and beside(["1", "2"], ["3", "4"]) == ("1", "3", "2", "4")


# Siestai ------------------------------------------------------------------------------------------


def test_placed_vectors_have_the_cosine_that_was_asked_for():
    a, b, c, d = Placed({"a": ("x", 0.92), "b": ("x", 0.92), "c": ("y", 0.8)}).embed(["a", "b", "c", "d"])
    assert np.linalg.norm([a, b, c, d], axis=1) == pytest.approx([1, 1, 1, 1])
    assert [float(a @ b), float(a @ c), float(a @ d)] == pytest.approx([0.92, 0, 0])


def test_the_decay_table_and_the_score_are_those_that_siestai_prints():
    assert {row[-1] for row in siestai._decay(AT).rows} == {"yes"}
    assert [row[1] for row in siestai._decay(AT).rows] == ["1.000", "0.951", "0.705", "0.497", "0.223", "0.050"]
    assert {row[-1] for row in siestai._scores(AT).rows} == {"yes"}
    assert {row[-1] for row in siestai._weights().rows} == {"yes"}


def test_below_the_printed_thresholds_nothing_is_merged_or_consolidated():
    twice = {row[0]: row[2] for row in siestai._dedup(AT).rows}
    assert twice["0.915"] == twice["0.85"] == "two"
    assert twice["0.95"] == twice["0.925"] == "one, importance raised from 0.5 to 0.6"
    steps = {row[0]: row[1:] for row in siestai._consolidation(AT).rows}
    for step in ("21 active, three at cosine 0.79", "21 active, two at cosine 0.85", "20 active, three at cosine 0.85"):
        assert steps[f"{step}: summaries"] == ("0", "0", "yes")
    assert steps["21 active, three at cosine 0.85: importance, min(max + 0.1, 1)"][0] == "0.8"
    assert {row[-1] for row in steps.values()} == {"yes"}


def test_the_thresholds_of_each_embedder_stand_beside_the_printed_ones():
    rows = siestai._thresholds().rows
    assert {row[2] for row in rows if row[0] == "dedup"} == {"0.92"}
    assert {row[2] for row in rows if row[0] == "consolidation"} == {"0.80"}
    assert {row[-1] for row in rows} == {"yes"}


# BM25 ---------------------------------------------------------------------------------------------


@pytest.fixture
def two_notes():
    table = article.Fts5([("pool", "we run a pool", "blue"), ("desk", "a desk", "red")])
    yield table
    table.close()


def test_fts5_splits_and_stems_as_the_article_says(two_notes):
    assert two_notes.words("Running, authentication/authenticate!") == ["run", "authent", "authent"]


def test_the_articles_score_worked_out_by_hand(two_notes):
    # lengths 1 + 4 + 1 and 1 + 2 + 1, mean 5; "pool" once in the title (10) and once in the body (1)
    expected = math.log(1.5 / 1.5 + 1) * 11 * 2.2 / (11 + 1.2 * (0.25 + 0.75 * 6 / 5))
    assert two_notes.scores("pools") == pytest.approx({0: expected})
    assert two_notes.scores("red") == pytest.approx({1: math.log(2) * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 4 / 5))})
    assert two_notes.scores("green") == {}
    assert list(two_notes.own_scores("pools")) == [0] and two_notes.search_ms("pools") > 0


def test_the_tables_of_the_article(file, scenario, plan, tmp_path, monkeypatch):
    monkeypatch.setattr(bm25, "MEMORIES", 200)
    for query, kind in zip(scenario["queries"], ("identifiers", "identifiers", "paraphrase", "miss"), strict=True):
        query["slice"] = kind
    lab = Lab(
        datasets=(load(file("tiny.json", scenario)),), plan=plan(), out=tmp_path / "o", results=Results(tmp_path / "o")
    )
    differs, speed, formulas, scores, when = bm25.parts(lab)
    assert speed.rows[0][:3] == ("latency, 4,300 memories", "<1ms", "50-200ms") and "the copy answers" in str(speed)
    assert {row[-1] for row in formulas.rows} == {"yes"} and formulas.rows[0][1] == "5.5535"
    assert {row[0] for row in scores.rows} == {question for question, _ in bm25.QUESTIONS}
    assert {row[-1] for row in scores.rows} == {"yes"}
    assert [row[:2] for row in when.rows[:2]] == [("identifiers", "BM25"), ("paraphrase", "vectors")]
    assert when.rows[-1][1:3] == ("70–80", "–") and "any word is enough" in str(differs)


# MemSense -----------------------------------------------------------------------------------------


@pytest.fixture
def told(file, life):
    return modes.of_life(load_life(file("tiny.json", life)))


def test_a_life_becomes_sessions_and_the_questions_at_its_end(told):
    assert [question.id for question in told.questions] == ["now", "both"]
    assert [sorted(question.gold) for question in told.questions] == [["s2"], ["s3"]]


@pytest.mark.parametrize("mode", modes.MODES)
def test_each_mode_ranks_sessions(told, mode):
    answered = modes.ask_all([told], mode, Hashing(), modes.TOP_K)
    both = next(one for one in answered if one.question.id == "both")
    assert both.ranked[0] == "s3" and len(both.ranked) == len(set(both.ranked)) <= 3
    sizes = {hit.memory.granularity for hit in both.recall.hits}
    assert sizes == ({"round"} if mode == "turn" else {"session"})


def test_the_tables_of_memsense(told):
    by_mode = {mode: modes.ask_all([told], mode, Hashing(), 4) for mode in modes.MODES}
    differs, constants, steps, selection, quality, by_type = memsense.parts(by_mode, 4)
    assert {"lexical route", "neighbours", "duplicate threshold"} <= {row[0] for row in differs.rows}
    assert {row[-1] for row in constants.rows} == {"yes"}
    assert {row[-1] for row in steps.rows} == {row[-1] for row in selection.rows} == {"yes"}
    assert [row[:3] for row in quality.rows] == [
        ("hybrid", "sessions + rounds", "2"),
        ("session", "sessions", "2"),
        ("turn", "rounds", "2"),
    ]
    assert {row[1] for row in by_type.rows} == {"now", "several"}
