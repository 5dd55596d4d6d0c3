import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.extractors.rules import extract
from recollect.extractors.updates import compare
from recollect.text.numbers import find_numbers

# The pairs called first were written before the rules, those called later after them.
PAIRS = [json.loads(line) for line in Path(__file__).with_name("updates.jsonl").read_text("utf-8").splitlines()]
REQUIRED_PRECISION = 0.9


@pytest.mark.parametrize("half", ["first", "later"])
def test_verdicts_on_hand_written_pairs_are_right(half):
    pairs = [pair for pair in PAIRS if pair["half"] == half]
    seen = Counter((pair["verdict"], compare(pair["old"], pair["new"])) for pair in pairs)
    for verdict in ("update", "same", "contradiction"):
        given_ = sum(count for (_, got), count in seen.items() if got == verdict)
        assert seen[verdict, verdict] / given_ >= REQUIRED_PRECISION, seen
    assert seen["update", "update"] / sum(count for (want, _), count in seen.items() if want == "update") >= 0.8


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if pair["verdict"] != "same"], ids=lambda pair: pair["new"])
def test_different_statements_are_never_the_same(pair):
    assert compare(pair["old"], pair["new"]) != "same"


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if pair["verdict"] == "update"], ids=lambda pair: pair["new"])
def test_an_update_is_the_same_verdict_for_extracted_statements(pair):
    old, new = extract(pair["old"]), extract(pair["new"])
    if len(old) == len(new) == 1:
        assert compare(old[0], new[0]) == compare(pair["old"], pair["new"])


TEMPLATES = st.sampled_from(
    ["the rate limit is {}", "I have {} cats", "I met {} on Monday", "限制是{}", "{} likes tea", "call me at {}pm"]
)


@given(TEMPLATES, st.integers(0, 5000), st.integers(0, 5000))
def test_two_different_numbers_are_never_the_same(template, one, other):
    if compare(template.format(one), template.format(other)) == "same":
        assert find_numbers(str(one)) == find_numbers(str(other))


@given(st.sampled_from(["{} likes tea", "I met {}", "{} lives in Rome", "my boss is {}"]), st.data())
def test_two_different_names_are_never_the_same(template, data):
    names = st.sampled_from(["Ada", "Bob", "Carol", "Dmitri", "Eve", "Ann", "Annie"])
    one, other = data.draw(names), data.draw(names)
    assert (compare(template.format(one), template.format(other)) == "same") == (one == other)


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_two_texts_can_be_compared(old, new):
    assert compare(old, new) in ("same", "update", "contradiction", None)
