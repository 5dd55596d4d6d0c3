"""Corrections, told a day later, that name the thing again, and statements that only look like them.

No lookalike may replace anything: both statements stay.
"""

import json
from pathlib import Path

import pytest
from write.chat import mind
from write.test_indirect_updates import replaced, tell

DATA = json.loads(Path(__file__).with_name("admitted_corrections.json").read_text("utf-8"))
FILLER = ["A:Noted.", "How do I descale a kettle?", "A:With vinegar.", "The neighbours are drilling again.", "A:Oh no."]
GATE = ["The code for the garden gate is 4417.", "Typo yesterday, the gate code is 4471."]


def tell_a_day_later(memories, said):
    *before, last = said
    tell(memories, [*before, *FILLER], "monday")
    message = {"role": "user", "content": last, "at": "2026-03-02T09:00:00Z"}
    memories.ingest([message], session_id="tuesday")


@pytest.mark.parametrize("said, new", [(each["said"], each["new"]) for each in DATA["corrections"]])
def test_a_correction_that_names_the_thing_replaces_what_was_said_the_day_before(said, new):
    with mind() as memories:
        tell_a_day_later(memories, said)
        facts = [memory.text for memory in memories.list() if memory.granularity == "fact"]
        (corrected,) = [text for text in facts if text.startswith("Correction: ")]
        assert said[0] in replaced(memories) and new in corrected


def test_no_lookalike_replaces_anything():
    wrong = []
    for said in DATA["lookalikes"]:
        with mind() as memories:
            tell_a_day_later(memories, said)
            wrong += [(said, found) for found in replaced(memories)]
    assert not wrong


def test_nothing_is_corrected_if_it_may_be_one_of_two(memories):
    tell_a_day_later(memories, ["The code of the gate is 4417.", "The code of the side gate is 5528.", GATE[1]])
    assert not replaced(memories)


def test_such_a_correction_can_be_undone(memories):
    tell_a_day_later(memories, GATE)
    (old,) = [m for m in memories.list(statuses=["superseded"]) if m.granularity == "turn"]
    (event,) = [event for event in memories.history(old.id) if event.action == "supersede"]
    memories.undo(event.id)
    assert memories.get(old.id).status == "active" and not replaced(memories)


@pytest.mark.parametrize("recipe", ["default", "default-fast"])
def test_the_corrected_value_comes_first(memories, recipe):
    tell_a_day_later(memories, GATE)
    first = memories.recall("What is the code for the garden gate?", recipe=recipe, at="2026-03-04").hits[0].memory
    assert "4471" in first.text


@pytest.fixture
def memories():
    with mind() as opened:
        yield opened
