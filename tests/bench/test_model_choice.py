"""A fitted confidence model replaces the built-in one only if it is better in every respect."""

from dataclasses import replace

import pytest

from recollect.keep.confidence_fit import Example, fitted
from recollect.keep.model_choice import MOST_SHOWN, Judged, _shown, _why_not, choose, quality
from recollect.recipes.recipe import Gate
from recollect.types import Signals

GATE = Gate(rule="confidence", tau=0.1)


def judged(there, absent):
    """(confidence, refused) of answerable questions and of the others."""
    pairs = [*((pair, True) for pair in there), *((pair, False) for pair in absent)]
    return [
        Judged(Example(Signals(), is_there, n % 60, f"q{n}"), sure, refused)
        for n, ((sure, refused), is_there) in enumerate(pairs)
    ]


POOR = judged([(0.05, True)] * 30 + [(0.5, False)] * 30, [(0.05, True)] * 30 + [(0.5, False)] * 30)
GOOD = judged([(0.9, False)] * 60, [(0.02, True)] * 60)


def test_a_model_that_is_better_in_every_respect_is_used():
    assert _why_not(GOOD, POOR) is None


def test_a_model_that_refuses_one_question_more_is_not_used():
    lost = [replace(each, refused=True) if n == 45 else each for n, each in enumerate(GOOD)]
    assert _why_not(lost, POOR) == "it refuses answerable questions that the built-in model answers: 1"


def test_a_model_that_refuses_nothing_is_not_used():
    lenient = [replace(each, refused=False) for each in GOOD]
    assert "absent" in _why_not(lenient, POOR)


def test_a_model_that_gains_no_more_than_chance_is_not_used():
    nearly = [replace(each, refused=False) if n == 0 else each for n, each in enumerate(POOR)]
    assert "by no more than chance" in _why_not(nearly, POOR)
    assert "does not refuse fewer" in _why_not(GOOD, GOOD)
    blind = [replace(each, refused=False, sure=0.5) if each.example.there else each for each in POOR]
    assert "does not tell" in _why_not([replace(each, sure=0.5) for each in blind], POOR)


def test_what_would_be_refused_is_listed_wrongly_refused_first():
    shown = _shown(POOR, GOOD)
    assert len(shown) == MOST_SHOWN and all(each.answerable for each in shown)
    assert {(each.fitted, each.built_in) for each in shown} == {(0.05, 0.9)}
    assert [each.answerable for each in _shown(GOOD, POOR)] == [False] * MOST_SHOWN


def test_quality_counts_refusals_of_both_kinds():
    counted = quality(POOR)
    assert (counted.wrongly_refused, counted.answerable) == (counted.rightly_refused, counted.absent) == (30, 60)
    assert counted.auroc == pytest.approx(0.5) and quality(GOOD).auroc == 1.0


def test_both_models_are_asked_behind_the_same_gate():
    examples = [
        Example(Signals(top_similarity=0.9 if there else 0.1, unknown_codes=("X-123",) if n < 5 else ()), there, n)
        for n in range(60)
        for there in (True, False)
    ]
    found = choose(examples, fitted(examples, "f", "hashing"), GATE, {})
    assert found.new.wrongly_refused == 0 and found.new.rightly_refused == 60
    strict = choose(examples, fitted(examples, "f", "hashing"), replace(GATE, refuse_unknown_codes=True), {})
    assert strict.new.wrongly_refused == 5
