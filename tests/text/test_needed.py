"""A guarded pattern finds what the pattern finds."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.extractors import correcting, corrections, endings, facets, triples, triples_european
from recollect.text.needed import Guarded, Several, needed

PATTERNS: tuple[Guarded, ...] = (
    *triples._person_rules()[1].patterns,
    *triples._thing_rules().patterns,
    *endings._patterns()[0].patterns,
    *correcting._patterns()[1].patterns,
    *facets._patterns().values(),
    *(triples._PAST, triples._NEGATED, triples._UNREAL, triples._FOR_A_WHILE, triples._STAYS),
    *triples_european._rules()[1].patterns,
    *(endings._CHANGE, endings._NEGATION, endings._STOPPED, endings._ADDS, corrections._OFF),
)
TOGETHER = Several(PATTERNS)
for each in (*PATTERNS, TOGETHER):
    for _ in range(500):  # their strings are looked up after some uses
        each.may_match("") if isinstance(each, Guarded) else each.likely("")
WORDS = sorted(
    {word for each in PATTERNS for some in needed(each.pattern) for part in some for word in part.split()}
    | set("I we my our the Ada it that Porto 14 3pm K S ſ K not to a is are in , . ! ’s 's".split())
)
texts = st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)


@pytest.mark.parametrize(
    ("pattern", "strings"),
    [
        (r"\b(?:no longer|quit)\b", (("no longer", "quit"),)),
        (
            r"^(?:[Ss]old|got rid of) (?:the|my) (?P<what>\w+)",
            (("got rid of my ", "got rid of the ", "sold my ", "sold the "),),
        ),
        (r"lives? in (?P<value>.+)", (("live",), (" in ",))),
        (r"moved(?: back)? to .+ with (?:her|him)", (("moved",), (" with her", " with him"), (" to ",))),
        (r"n['’]t\b|\bnever\b", (("n't", "never"),)),
        (r"不再|\bover\b", (("over",),)),
        (r"x?", ()),
        (r"\d+ \w+", ()),
        (r"a\d+x", (("a",),)),
        (r"ſo", (("o",),)),
    ],
)
def test_every_match_needs_one_of_each_of_these_sets(pattern, strings):
    assert needed(re.compile(pattern, re.IGNORECASE)) == strings


@given(texts)
def test_a_guarded_pattern_finds_what_the_pattern_finds(text):
    for each in PATTERNS:
        assert bool(each.search(text)) == bool(each.pattern.search(text)), (each.pattern.pattern, text)
    found = {n for n, each in enumerate(PATTERNS) if each.pattern.search(text)}
    assert found <= set(TOGETHER.likely(text))
