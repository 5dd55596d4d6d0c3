"""What a statement may replace is found by its words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.extractors.judgement import judge, may_replace
from recollect.text.analyze import analyze
from recollect.text.words import stem
from recollect.write.nearby import SHORTEST

ACTS = ("play chess with Otto", "eat meat", "moved the desk to Room12", "are in the old flat", "take the E42 to Porto")
FORMS = (
    "{who} {act}",
    "{who} no longer {act}",
    "{who} do not {act}",
    "{who} don't {act}",
    "{who} never {act}",
    "{who} have quit {act}",
    "No, {who} {act}",
    "Correction: {who} {act}",
)
TAILS = ("", ".", " now", " any more", " too", " on Sundays", ", which Ada did not expect", " and I left Acme")
texts = st.builds(
    lambda form, who, act, tail: form.format(who=who, act=act) + tail,
    st.sampled_from(FORMS),
    st.sampled_from(("I", "We", "Ada and Ben")),
    st.sampled_from(ACTS),
    st.sampled_from(TAILS),
)


@settings(max_examples=500)
@given(texts, texts)
def test_a_statement_that_is_replaced_has_the_words_that_are_looked_for(old, new):
    if judge(old, new) in ("newer value", "contradiction"):
        words = may_replace(new)
        assert words is not None
        assert {stem(word) for word in words if len(word) >= SHORTEST} <= set(analyze(old))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I now play tennis", {"i", "play", "tennis"}),
        ("I no longer eat meat", {"i", "eat", "meat"}),
        ("The budget changed, which Ada did not expect", None),  # the denial is not about the budget
        ("I left Acme", set()),
        ("I live in Porto now", set()),
        ("Correction: the deal is worth 5", set()),
    ],
)
def test_the_words_that_are_looked_for(text, words):
    assert may_replace(text) == words
