"""The recipes on the demo's year, with the real model."""

from dataclasses import replace

import pytest

from recollect import Recollect, demo, recipes
from recollect.recipes import names


@pytest.fixture(scope="module")
def year():
    with Recollect(":memory:", embedder="granite", namespace="demo") as mind:
        yield mind, demo.load(mind)


NOW = "2026-11-02T09:00:00Z"


def test_memx_rejects_a_far_off_question_and_names_the_rule(year):
    mind, _ = year
    printed = recipes.load("memx")
    fitted = replace(printed, reject=replace(printed.reject, tau=0.6))  # with our embedder, 0.50 rejects little
    found = mind.recall("How many moons orbit Saturn?", recipe=fitted, at=NOW, track=False)
    assert found.hits == ()
    assert found.rejected.startswith("R1: ")


def test_openmem_shows_what_was_superseded_with_its_multiplier(year):
    mind, ids = year
    found = mind.recall("the flat on Rua da Alegria in Porto", recipe="openmem", at=NOW, track=False)
    old = next(hit for hit in found.hits if hit.memory.id == ids["m04"])
    assert old.memory.status == "superseded"
    assert old.explanation.find("status").value == 0.5


def test_default_puts_an_expected_memory_first_for_every_answerable_question(year):
    mind, ids = year
    for asked in demo.questions():
        found = mind.recall(asked.text, at=NOW, track=False)
        if asked.expect:
            assert found.hits[0].memory.id in {ids[key] for key in asked.expect}, asked.text
        else:
            assert found.rejected.startswith("confidence"), asked.text


@pytest.mark.parametrize("name", names())
def test_every_score_can_be_recomputed(year, name):
    mind, _ = year
    for hit in mind.recall("Why did the Harbour Atlas date slip?", recipe=name, at=NOW, track=False).hits:
        assert hit.explanation.recompute() == pytest.approx(hit.score, abs=1e-9)
