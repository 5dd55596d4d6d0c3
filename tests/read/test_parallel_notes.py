"""Notes of the same form: the newer comes first, unless the question names what only the other has, or the past.

The examples were written by somebody who did not know the rules.
"""

import json
from pathlib import Path

import pytest

from recollect import Recollect

CASES = [json.loads(line) for line in (Path(__file__).parent / "parallel_notes.jsonl").read_text("utf-8").splitlines()]
RIGHT = {"newer": 39, "named": 23, "other subject": 17, "past": 9}
"""Of 45, 25, 20 and 10. Without the rules: 29, 16, 11 and 6."""
DARK, LIGHT = "Ada prefers dark mode", "Ada prefers light mode"


def first(case):
    """The number of the note that comes first."""
    with Recollect(":memory:") as mind:
        notes = sorted(enumerate(case["notes"]), key=lambda note: note[1][1])
        numbers = {mind.remember(text, at=at).id: number for number, (text, at) in notes}
        found = mind.recall(case["question"], at=case["asked"], limit=1)
        return numbers[(found.hits or found.nearest)[0].memory.id]


@pytest.mark.parametrize("kind", RIGHT)
def test_the_right_note_comes_first(kind):
    cases = [case for case in CASES if case["kind"] == kind]
    assert sum(first(case) == case["first"] for case in cases) >= RIGHT[kind]


def test_the_second_preference_of_readme_comes_first_and_the_first_is_earlier():
    with Recollect(":memory:") as mind:
        mind.remember(DARK, kind="preference", tags=["ui"], at="2026-01-10")
        light = mind.remember(LIGHT, kind="preference", tags=["ui"], at="2026-06-10")
        found = mind.recall("which theme does Ada like?", at="2026-06-12", limit=2)
        assert [hit.memory.text for hit in found.hits] == [LIGHT, DARK]
        assert [hit.earlier_than for hit in found.hits] == [None, light.id]
        assert "alike" in found.hits[1].explanation.formula


def test_of_two_notes_told_at_once_neither_is_newer():
    with Recollect(":memory:") as mind:
        mind.remember(DARK, at="2026-01-10")
        mind.remember(LIGHT, at="2026-01-10")
        found = mind.recall("which theme does Ada like?", at="2026-06-12", limit=2)
        assert [hit.earlier_than for hit in found.hits] == [None, None]


def test_a_note_that_says_the_other_was_wrong_comes_first():
    with Recollect(":memory:") as mind:
        mind.remember("The code for the garden gate is 4417.", at="2026-04-10")
        right = mind.remember("Typo yesterday, the gate code is 4471.", at="2026-04-11")
        found = mind.recall("what's the code for the garden gate?", at="2026-06-12", limit=2)
        assert [hit.memory.id for hit in found.hits][0] == right.id
        assert found.hits[1].earlier_than == right.id and found.hits[1].memory.status == "active"
