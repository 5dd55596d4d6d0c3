"""Sentences that people say, in five languages, labelled by hand without a look at the rules.

`dates_fresh.jsonl` was written by somebody else than the rules. `dates_more.jsonl` was written after the rules: at
its first run, 95 of 100 were right.
"""

import json
from pathlib import Path

import pytest

from recollect.text.dates import find_when
from recollect.text.moments import parse_moment

KNOWN_MISSES = {
    # 122: 周一围 is a person's name
    "dates_fresh.jsonl": {122},
    # 43: "adoptamos" is both "we adopt" and "we adopted"
    "dates_more.jsonl": {43},
}


def cases(file):
    lines = Path(__file__).with_name(file).read_text("utf-8").splitlines()
    return {number: json.loads(line) for number, line in enumerate(lines, start=1)}


def read(case):
    when = find_when(case["text"], parse_moment(case["said"]))
    return None if when is None else when.to_dict()


@pytest.mark.parametrize("file", KNOWN_MISSES)
def test_only_the_known_misses_are_read_otherwise_than_meant(file):
    wrong = {number: (case["text"], read(case)) for number, case in cases(file).items() if read(case) != case["expect"]}
    assert wrong.keys() == KNOWN_MISSES[file], wrong
