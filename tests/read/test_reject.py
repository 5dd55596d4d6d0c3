import math
from dataclasses import replace

import pytest

from recollect import Recollect
from recollect.read.reject import confidence, lead, reject
from recollect.recipes.confidence import Confidence
from recollect.recipes.recipe import Gate
from recollect.types import Signals

QUERIES = {  # MemX, Table 11: best similarity, keyword recall
    "job_lookup": (0.504, False),
    "incident_kw": (0.490, True),
    "hard_miss": (0.453, False),
    "cloud_region_miss": (0.621, False),
}
ACCEPTED = {
    "R1": {"job_lookup", "incident_kw", "cloud_region_miss"},
    "R2": {"job_lookup", "cloud_region_miss"},
    "R3": {"incident_kw"},
    "R4": set(),
    "R5": {"incident_kw", "cloud_region_miss"},
}


@pytest.mark.parametrize("rule", ACCEPTED)
def test_memx_table_11(rule):
    gate = Gate(rule=rule, tau=0.50)
    outcomes = {
        name: reject(Signals(top_similarity=similarity, keyword_match=keyword), 0.5, gate, None)
        for name, (similarity, keyword) in QUERIES.items()
    }
    assert {name for name, reason in outcomes.items() if reason is None} == ACCEPTED[rule]
    assert all(reason.startswith(f"{rule}: ") for reason in outcomes.values() if reason)


def test_the_threshold_follows_the_embedder():
    gate = Gate(rule="R2", tau=0.5, by_embedder={"granite": 0.7})
    signals = Signals(top_similarity=0.6)
    assert reject(signals, 0.5, gate, "other") is None
    assert "below 0.7" in reject(signals, 0.5, gate, "granite")


def test_without_vectors_the_conjunctive_rule_trusts_keywords():
    gate = Gate(rule="R1", tau=0.5)
    assert reject(Signals(keyword_match=True), 0.5, gate, None) is None
    assert "no vector" in reject(Signals(), 0.5, gate, None)


def test_the_confidence_gate_names_the_number():
    assert reject(Signals(), 0.1, Gate(rule="confidence", tau=0.2), None) == "confidence 0.100 is below 0.200"


def test_what_stands_out_may_be_less_sure():
    gate, model = Gate(rule="confidence", tau=0.5), Confidence(bias=-1.0, background=0.45, allowance=10.0)
    lead_of_ln_4 = Signals(top_similarity=0.5 + math.log(4) / 10, background=0.5)
    assert reject(lead_of_ln_4, 0.21, gate, "any", model) is None
    assert reject(lead_of_ln_4, 0.19, gate, "any", model) == "confidence 0.190 is below 0.200"
    few = Signals(top_similarity=0.45 + math.log(4) / 10)  # too few memories to have a background
    assert reject(few, 0.21, gate, "any", model) is None
    for plain in (Signals(), Signals(top_similarity=0.4), Signals(top_similarity=0.4, background=0.5)):
        assert reject(plain, 0.49, gate, "any", model) == "confidence 0.490 is below 0.500"
        assert reject(plain, 0.5, gate, "any", model) is None
    assert reject(lead_of_ln_4, 0.49, gate, "any", Confidence(bias=0.0)) == "confidence 0.490 is below 0.500"
    assert reject(few, 0.0, replace(gate, tau=-1.0), "any", model) is None


def test_an_embedders_threshold_goes_with_the_model_that_came_along():
    gate = Gate(rule="confidence", tau=0.1, by_embedder={"granite": 0.3})
    assert reject(Signals(), 0.2, gate, "granite") == "confidence 0.200 is below 0.300"
    assert reject(Signals(), 0.2, gate, "granite", Confidence(bias=-1.0)) is None  # fitted to this store


def test_the_nearest_counts_by_how_far_it_stands_above_the_background():
    model = Confidence(bias=-1.0, similarity=2.0, coverage=0.0, agreement=0.0, margin=0.0, lead=5.0, background=0.5)
    told, untold = Signals(top_similarity=0.7, background=0.4), Signals(top_similarity=0.7)
    assert confidence(told, model) == pytest.approx(1 / (1 + math.exp(1 - 1.4 - 5 * 0.3)))
    assert confidence(untold, model) == pytest.approx(1 / (1 + math.exp(1 - 1.4 - 5 * 0.2)))
    assert lead(Signals(), 0.5) == 0.0


def test_the_background_is_what_lies_behind_the_nearest_ten(tmp_path):
    with Recollect(tmp_path / "a.db", embedder="hashing") as mind:
        mind.remember_many({"text": f"note {n} about shelf {n * n}"} for n in range(19))
        assert mind.recall("which shelf?", track=False).signals.background is None
        mind.remember("note 19 about a lamp")
        told = mind.recall("which shelf?", track=False).signals
        assert told.background is not None and told.background < told.top_similarity


def test_evidence_is_one_memory_that_is_near_and_holds_the_words(tmp_path):
    told = "the spare key is under the blue pot"
    with Recollect(tmp_path / "a.db", embedder="hashing") as mind:
        mind.remember_many({"text": text} for text in (told, "a key of the piano is stuck", "pots are on sale"))
        signals = mind.recall("spare key blue pot", track=False).signals
        assert signals.evidence == pytest.approx(signals.top_similarity + 0.15)
        poorer = mind.recall("spare key blue lagoon", track=False).signals
        assert poorer.top_similarity < poorer.evidence < signals.evidence
    with Recollect(tmp_path / "b.db", embedder="hashing") as mind:
        mind.remember(told)
        assert mind.recall("spare key", recipe="bm25", track=False).signals.evidence is None


def test_words_that_only_ask_are_not_missed_in_an_answer(tmp_path):
    with Recollect(tmp_path / "a.db", embedder="hashing") as mind:
        mind.remember("Ada fixed the fence, then she trimmed the goats' hooves")
        asked = mind.recall("In which order, first to last: fence, goats?", track=False).signals
        assert asked.coverage == pytest.approx(1.0)
        assert mind.recall("fence, goats, dragons?", track=False).signals.coverage < 1


def test_evidence_counts_as_much_as_the_model_says():
    model = Confidence(bias=-1.0, similarity=0.0, coverage=0.0, agreement=0.0, margin=0.0, evidence=4.0)
    assert confidence(Signals(evidence=0.5), model) == pytest.approx(1 / (1 + math.exp(-1)))
    assert confidence(Signals(), model) == pytest.approx(1 / (1 + math.exp(1)))


def test_words_alone_are_held_to_the_threshold_for_no_embedder():
    gate = Gate(rule="confidence", tau=0.1, by_embedder={"recollect-30m": 0.9})
    assert reject(Signals(), 0.5, gate, None) is None
    assert reject(Signals(), 0.5, gate, "recollect-30m") == "confidence 0.500 is below 0.900"
