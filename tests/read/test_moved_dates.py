"""Events whose date was told more than once: the last date comes first, unless the question asks for another one.

The examples were written by somebody who did not know the rules.
"""

import json
from pathlib import Path

import pytest

from recollect import Recollect

CASES = [json.loads(line) for line in (Path(__file__).parent / "moved_dates.jsonl").read_text("utf-8").splitlines()]
RIGHT = {"happened": 14, "will": 11, "planned": 9, "span": 6}
"""Of 24, 14, 12 and 10. Without the rule: 7, 10, 9 and 6."""


def is_right(case):
    with Recollect(":memory:") as mind:
        for number, (at, text) in enumerate(case["messages"]):
            mind.ingest([{"role": "user", "content": text}], session_id=str(number), at=at)
        found = mind.recall(case["question"], at=case["asked"], limit=1)
        return (found.hits or found.nearest)[0].memory.session_id == str(case["first"])


@pytest.mark.parametrize("kind", RIGHT)
def test_the_date_that_is_meant_comes_first(kind):
    assert sum(map(is_right, [case for case in CASES if case["kind"] == kind])) >= RIGHT[kind]
