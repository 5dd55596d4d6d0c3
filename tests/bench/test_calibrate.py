"""Confidence fitted to a store or a labelled file."""

import json
import random
from dataclasses import fields

import pytest

from recollect import Recollect
from recollect.bench.calibrate import from_dataset
from recollect.bench.datasets import load
from recollect.errors import InvalidInput
from recollect.keep import confidence_fit
from recollect.keep.confidence_fit import Example
from recollect.recipes.confidence import Confidence
from recollect.recipes.fitted import SETTING, load_fitted, loads
from recollect.store.settings import setting
from recollect.types import Signals

NOUNS = "violin kayak lantern orchard compass teapot ledger anvil canoe lighthouse".split()
PLACES = "Utrecht Bilbao Lisbon Cremona Tartu Bergen Ghent Porto Lucca Graz".split()


def examples(count=200, seed=1):
    """Answers that are there have a higher similarity; agreement is a coin."""
    chance = random.Random(seed)
    made = []
    for n in range(count):
        for there in (True, False):
            similarity = chance.gauss(0.7 if there else 0.5, 0.08)
            coverage = chance.uniform(0.4, 1.0) if there else chance.uniform(0.0, 0.6)
            signals = Signals(top_similarity=similarity, coverage=coverage, agreement=chance.random(), margin=0.1)
            made.append(Example(signals, there, n))
    return made


def fill(mind, count):
    mind.remember_many(
        {"text": f"The {NOUNS[n % 10]} number {n} stands in {PLACES[n // 10 % 10]} beside shelf {n * 7}"}
        for n in range(count)
    )


def test_the_fit_finds_the_signals_that_count():
    model = confidence_fit.fit(examples())
    assert model.similarity > 1 and model.coverage > 1 and abs(model.agreement) < 1
    assert model.margin >= 0 and model.bias < 0


def test_a_fit_is_calibrated_on_questions_it_has_not_seen():
    auroc, error = confidence_fit.cross_validated(examples())
    assert auroc > 0.95 and error < 0.06


def test_no_signal_counts_against_the_answer():
    turned = [
        Example(Signals(top_similarity=1 - e.signals.top_similarity, coverage=e.signals.coverage), e.there, e.group)
        for e in examples()
    ]
    assert confidence_fit.fit(turned).similarity == 0


def test_newtons_method_solves_a_case_known_by_hand():
    # three of four are there and no signal says anything: the bias is the log-odds
    made = [Example(Signals(), n < 3, n) for n in range(4)]
    assert confidence_fit.fit(made).bias == pytest.approx(1.0986, abs=1e-3)


def test_the_threshold_spares_nearly_all_valid_questions():
    there = [n / 100 for n in range(101)]
    assert confidence_fit.highest_threshold(there) == 0.02


def test_a_store_is_fitted_on_its_own_memories(tmp_path):
    with Recollect(tmp_path / "agent.db", embedder="hashing") as mind:
        fill(mind, 70)
        before, events = mind.stats(), len(mind.history(mind.list()[0].id))
        previewed = mind.calibrate(preview=True)
        assert loads(setting(mind.store, SETTING)) is None
        found = mind.calibrate()
        assert mind.stats() == before and len(mind.history(mind.list()[0].id)) == events  # only a copy was changed
        assert load_fitted(setting(mind.store, SETTING), mind.embedder.fingerprint) == found.model == previewed.model
        mind.clear_calibration()
        assert loads(setting(mind.store, SETTING)) is None
    assert found.examples == 140 and found.auroc > 0.7


def test_a_fitted_model_is_what_recall_goes_by(tmp_path):
    with Recollect(tmp_path / "agent.db", embedder="hashing") as mind:
        fill(mind, 70)
        built_in = mind.recall("violin in Utrecht", track=False).confidence
        mind.calibrate()
        assert mind.recall("violin in Utrecht", track=False).confidence != built_in
        mind.clear_calibration()
        assert mind.recall("violin in Utrecht", track=False).confidence == built_in


def test_a_store_is_fitted_on_examples_that_are_handed_over(tmp_path):
    with Recollect(tmp_path / "agent.db", embedder="hashing") as mind:
        assert mind.calibrate(examples()).model == confidence_fit.fit(examples())


def test_too_few_memories_or_examples_are_refused(tmp_path):
    with Recollect(tmp_path / "agent.db", embedder="hashing") as mind:
        fill(mind, 20)
        with pytest.raises(InvalidInput, match="needs 50"):
            mind.calibrate()
        with pytest.raises(InvalidInput, match="needs 50"):
            mind.calibrate(examples(10))
        with pytest.raises(InvalidInput, match="0 questions"):
            mind.calibrate([])


def test_a_labelled_file_gives_three_sorts_of_examples(file, scenario, plan, tmp_path):
    made = from_dataset(load(file("tiny.json", scenario)), plan("default"), tmp_path / "out")
    assert [example.there for example in made] == [True, False, True, False, True, False, False]
    with pytest.raises(InvalidInput, match="needs 50"):
        confidence_fit.fitted(made, "hashing")


@pytest.mark.parametrize("setting", [None, "", "null", "{", "[]", '{"model": {}}', '{"tau": 1}', "7"])
def test_a_setting_that_says_nothing_is_no_model(setting):
    assert loads(setting) is None and load_fitted(setting) is None


def test_a_model_fitted_for_another_embedder_is_not_used():
    found = confidence_fit.fitted(examples(), "granite-1")
    assert load_fitted(found.dumps(), "granite-1") == found.model == load_fitted(found.dumps())
    assert load_fitted(found.dumps(), "granite-2") is None
    assert set(json.loads(found.dumps())["model"]) == {field.name for field in fields(Confidence)}


def test_a_model_kept_by_an_older_version_still_holds():
    kept = json.loads(confidence_fit.fitted(examples(), "granite-1").dumps())
    for newer in ("lead", "background", "evidence"):
        del kept["model"][newer]
    found = load_fitted(json.dumps(kept))
    assert found is not None and found.lead == found.evidence == 0
