"""Short notes: lookalikes of other people and occasions, real changes, and questions whose answer was never told.

They were written by somebody who did not know the rules, and nothing was trained on them.
"""

import json
from pathlib import Path

import pytest

from recollect import Recollect

NOTES = Path(__file__).parents[2] / "training/notes/measured/english.jsonl"
FIRST, WRONGLY_REFUSED, REFUSED = 133, 5, 12
"""Of 196, 196 and 39: 137, 4 and 16."""


@pytest.fixture(scope="module")
def asked():
    """Each question with what was recalled: the numbers of the notes, best first."""
    return [each for line in NOTES.read_text("utf-8").splitlines() for each in answered(json.loads(line))]


def answered(held):
    waiting, numbers = list(enumerate(held["messages"])), {}
    with Recollect(":memory:") as mind:
        for question in sorted(held["questions"], key=lambda question: question["at"]):
            while waiting and waiting[0][1]["at"] <= question["at"]:
                number, note = waiting.pop(0)
                numbers[mind.remember(note["text"], at=f"{note['at']}T10:00:00Z").id] = number
            found = mind.recall(question["q"], at=f"{question['at']}T20:00:00Z", limit=5)
            yield question, [numbers.get(hit.memory.id) for hit in found.hits]


def test_the_note_that_answers_comes_first(asked):
    assert sum(bool(got) and got[0] in question["answers"] for question, got in asked) >= FIRST


def test_few_questions_that_have_an_answer_are_refused(asked):
    assert sum(not got for question, got in asked if question["answers"]) <= WRONGLY_REFUSED


def test_what_was_never_told_is_refused_in_a_store_of_few_notes(asked):
    assert sum(not got for question, got in asked if not question["answers"]) >= REFUSED
