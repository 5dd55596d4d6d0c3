"""Two notes about two people, or in two directions: the one that the question means comes first, though it is older.

Sixteen examples were written before the rules, the others after them.
"""

import json
from pathlib import Path

from recollect import Recollect

CASES = [json.loads(line) for line in (Path(__file__).parent / "whose_notes.jsonl").read_text("utf-8").splitlines()]
OTHERS = ["The cellar light is broken.", "Tomatoes need six weeks."]
RIGHT = 39
"""Of 40. Without the rules: 28."""


def first(case):
    with Recollect(":memory:") as mind:
        for month, text in enumerate([*case["notes"], *OTHERS], start=2):
            mind.remember(text, at=f"2026-{month:02}-10")
        found = mind.recall(case["question"], at="2026-07-01", limit=1)
        return (found.hits or found.nearest)[0].memory.text


def test_the_note_that_the_question_means_comes_first():
    assert sum(case["first"] in first(case) for case in CASES) >= RIGHT
