"""Confidence fitted to a store or a labelled file."""

import json
import random
from dataclasses import fields
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.bench.calibrate import from_dataset
from recollect.bench.datasets import load
from recollect.embedders.optional import OptionalEmbedder
from recollect.errors import InvalidInput
from recollect.keep import confidence_fit
from recollect.keep.calibration_questions import from_log, from_memories
from recollect.keep.confidence_fit import Example
from recollect.read.record import fitted_model
from recollect.recipes.confidence import Confidence
from recollect.recipes.fitted import SETTING, load_fitted, loads
from recollect.store.settings import set_setting, setting
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


def hard_for_the_built_in():
    """All cosines are low and words mean nothing, so that the built-in model refuses many answerable questions."""
    chance = random.Random(2)
    return [
        Example(
            Signals(top_similarity=chance.gauss(0.35 if there else 0.15, 0.03), coverage=chance.uniform(0, 0.3)),
            there,
            n,
            f"question {n}",
        )
        for n in range(100)
        for there in (True, False)
    ]


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


def test_calibration_asks_a_copy_and_leaves_the_store_as_it_is(tmp_path):
    with Recollect(tmp_path / "agent.db", embedder="hashing", recipe="default-fast") as mind:
        fill(mind, 70)
        before, events = mind.stats(), len(mind.history(mind.list()[0].id))
        found = mind.calibrate(preview=True)
        assert mind.stats() == before and len(mind.history(mind.list()[0].id)) == events
        assert loads(setting(mind.store, SETTING)) is None
    assert found.sources == {"from the recall log": 0, "made from memories": 70}
    assert found.new.answerable == 70 and 70 < found.new.absent <= 140
    assert found.fitted.examples == 70 + found.new.absent


def test_a_better_model_is_kept_and_recall_goes_by_it(tmp_path):
    with Recollect(tmp_path / "agent.db", embedder="hashing", recipe="default-fast") as mind:
        fill(mind, 3)
        built_in = mind.recall("violin in Utrecht", track=False).confidence
        assert mind.calibrate(hard_for_the_built_in(), preview=True).better
        assert loads(setting(mind.store, SETTING)) is None
        found = mind.calibrate(hard_for_the_built_in())
        assert found.better and found.fitted.model == confidence_fit.fit(hard_for_the_built_in())
        assert load_fitted(setting(mind.store, SETTING), mind.embedder.fingerprint) == found.fitted
        assert mind.recall("violin in Utrecht", track=False).confidence != built_in
        mind.clear_calibration()
        assert mind.recall("violin in Utrecht", track=False).confidence == built_in


def test_a_model_that_is_not_better_is_not_kept_and_replaces_one_that_was(tmp_path):
    with Recollect(tmp_path / "agent.db", embedder="hashing") as mind:
        mind.calibrate(hard_for_the_built_in())
        found = mind.calibrate(examples())
        assert not found.better and found.new.wrongly_refused >= found.built_in.wrongly_refused
        assert loads(setting(mind.store, SETTING)) is None


@pytest.mark.parametrize(
    ("embedder", "recipe"),
    [("hashing", "default-fast"), ("recollect-30m", "default-fast"), ("recollect-30m", "default")],
)
def test_calibration_never_refuses_more_of_a_persons_questions(tmp_path, embedder, recipe):
    life = json.loads((Path(__file__).parent / "little_life.json").read_text(encoding="utf-8"))
    with Recollect(tmp_path / "agent.db", embedder=embedder, recipe=recipe) as mind:
        mind.remember_many({"text": text} for text in life["memories"])
        before = refused_by(mind, life)
        found = mind.calibrate()
        assert refused_by(mind, life) <= before
    assert found.fitted.auroc < 0.9  # made questions are about as hard as a person's


def refused_by(mind, life):
    return {question for question, _ in life["questions"] if not mind.recall(question, track=False).hits}


def test_logged_questions_with_feedback_come_before_made_ones(tmp_path):
    with Recollect(tmp_path / "agent.db", embedder="hashing", recipe="default-fast") as mind:
        fill(mind, 60)
        for n, memory in enumerate(mind.list(limit=60)):
            found = mind.recall(f"{memory.text} and {n}")
            mind.feedback(found.id, used=[memory.id] if n < 55 else [], outcome="helped" if n % 2 else None)
        assert len(from_log(mind.store, "default")) == 55
        found = mind.calibrate(preview=True)
        assert found.sources == {"from the recall log": 55, "made from memories": 0}
        assert found.new.answerable == found.new.absent == 55


def test_a_logged_question_counts_once_and_only_if_what_was_used_is_there(tmp_path):
    with Recollect(tmp_path / "agent.db", embedder="hashing") as mind:
        fill(mind, 4)
        memories = mind.list()
        asked = [(memories[0], "helped"), (memories[0], None), (memories[1], "failed"), (memories[2], "helped")]
        for memory, outcome in asked:
            mind.feedback(mind.recall(memory.text).id, used=[memory.id], outcome=outcome)
        mind.forget(memories[2].id)
        assert [each.text for each in from_log(mind.store, "default")] == [memories[0].text]


def test_a_made_question_leaves_out_what_is_asked_for(tmp_path):
    with Recollect(tmp_path / "agent.db", embedder="hashing") as mind:
        mind.remember("My dentist Amsel has her practice above the old pharmacy")
        mind.remember("The old practice above the dentist has a pharmacy")
        mind.remember("Is it late?")
        made = from_memories(mind.store, "default")
        assert len(made) == 2 and all("amsel" not in each.text.lower() for each in made)
        assert all(each.absent != each.text for each in made)


def test_a_question_can_be_made_of_chinese(tmp_path):
    with Recollect(tmp_path / "agent.db", embedder="hashing") as mind:
        mind.remember("婆婆对花生过敏，做菜不要放花生酱")
        (made,) = from_memories(mind.store, "default")
        assert any(character in made.text for character in "婆对花生过敏做菜")


def test_too_few_memories_or_examples_are_refused(tmp_path):
    with Recollect(tmp_path / "agent.db", embedder="hashing") as mind:
        fill(mind, 20)
        with pytest.raises(InvalidInput, match="nothing was changed: there are 20 questions .* needs 50"):
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
    assert load_fitted(found.dumps(), "granite-1") == found == load_fitted(found.dumps())
    assert load_fitted(found.dumps(), "granite-2") is None
    assert set(json.loads(found.dumps())["model"]) == {field.name for field in fields(Confidence)}


def test_a_model_is_used_with_the_reader_it_was_fitted_with(tmp_path):
    with Recollect(tmp_path / "agent.db", embedder="hashing") as mind:
        slot = OptionalEmbedder(mind.embedder)
        for judged_by, replaced in (("hashing", "hashing"), ("", "hashing"), ("reader", "reader")):
            kept = confidence_fit.fitted(examples(), mind.embedder.fingerprint, judged_by)
            set_setting(mind.store, SETTING, kept.dumps())
            used = {name for name in ("hashing", "reader") if fitted_model(mind.store, slot, name) == kept.model}
            assert used == {replaced}


def test_a_model_kept_by_an_older_version_still_holds():
    kept = json.loads(confidence_fit.fitted(examples(), "granite-1").dumps())
    for newer in ("lead", "background", "evidence"):
        del kept["model"][newer]
    found = load_fitted(json.dumps(kept))
    assert found is not None and found.model.lead == found.model.evidence == 0
