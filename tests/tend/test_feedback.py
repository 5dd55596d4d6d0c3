"""Use makes strong, within bounds."""

import pytest
from factories import memory
from hypothesis import given, settings
from hypothesis import strategies as st
from tend.tended import mind, plant

from recollect.errors import InvalidInput, NotFound
from recollect.store.values import Feedback
from recollect.tend.feedback import with_feedback, without_feedback

OUTCOMES = st.one_of(st.none(), st.sampled_from(["helped", "failed"]), st.floats(-1, 1))


@pytest.fixture
def asked():
    filled = mind()
    plant(filled, ["the lighthouse is green", "the lighthouse is tall", "the lighthouse is locked"], confidence=0.7)
    for held in filled.list():
        filled.update(held.id, strength=0.6)
    return filled, filled.recall("lighthouse", limit=3)


def values(filled, found):
    return [(m.strength, m.importance) for m in (filled.get(hit.memory.id) for hit in found.hits)]


def test_a_used_memory_gains_and_an_ignored_one_loses_a_little(asked):
    filled, found = asked
    used = found.hits[1].memory.id
    filled.feedback(found.id, used=[used])
    ignored = pytest.approx(0.6 - 0.02 * 0.4)
    assert [strength for strength, _ in values(filled, found)] == [ignored, pytest.approx(0.6 + 0.05 * 0.4), ignored]
    assert [importance for _, importance in values(filled, found)] == [0.5, pytest.approx(0.5 + 0.01 * 0.3), 0.5]
    assert all(filled.get(hit.memory.id).confidence == 0.7 for hit in found.hits)


def test_an_outcome_is_credited_to_what_was_used(asked):
    filled, found = asked
    used = found.hits[0].memory.id
    filled.feedback(found.id, used=[used], outcome="helped")
    assert filled.get(used).strength == pytest.approx(0.6 + 0.15 * 0.4)
    filled.feedback(found.id, used=[used], outcome="failed")
    assert filled.get(used).strength == pytest.approx(0.6 - 0.05 * 0.4)


def test_feedback_given_again_replaces_the_former(asked):
    filled, found = asked
    ids = [hit.memory.id for hit in found.hits]
    filled.feedback(found.id, used=ids[:1], outcome=0.5)
    once, events = values(filled, found), filled.stats().events
    filled.feedback(found.id, used=ids[:1], outcome=0.5)
    assert (values(filled, found), filled.stats().events) == (once, events)
    filled.feedback(found.id, used=ids[2:])
    filled.feedback(found.id, used=ids[:1], outcome=0.5)
    assert values(filled, found) == [pytest.approx(pair) for pair in once]


def test_feedback_for_no_recall_or_for_another_memory_is_refused(asked):
    filled, found = asked
    with pytest.raises(NotFound, match="no recall"):
        filled.feedback("nothing")
    with pytest.raises(NotFound, match="tracked"):
        filled.feedback(filled.recall("lighthouse", track=False).id)
    (stranger,) = plant(filled, ["a stranger"])
    with pytest.raises(InvalidInput, match="not among the 3 hits"):
        filled.feedback(found.id, used=[stranger.id])
    for outcome in ("good", 2, True, float("nan")):
        with pytest.raises(InvalidInput, match="outcome must be"):
            filled.feedback(found.id, outcome=outcome)
    assert filled.stats().extra == {}


def test_stats_show_what_helps(asked):
    filled, found = asked
    first, *others = [hit.memory.id for hit in found.hits]
    filled.feedback(found.id, used=[first], outcome="helped")
    extra = filled.stats().extra
    assert extra["most_used"] == [{"id": first, "used": 1, "offered": 1, "outcome": 1.0}]
    assert {each["id"] for each in extra["never_used"]} == set(others)
    assert filled.stats("other").extra == {}


def test_a_purged_hit_is_passed_over(asked):
    filled, found = asked
    gone, *_ = [hit.memory.id for hit in found.hits]
    filled.purge(gone)
    assert len(filled.feedback(found.id, used=[gone])) == 2
    assert filled.check() == []


@given(
    st.floats(0.2, 1),
    st.floats(0, 1),
    st.lists(st.tuples(st.booleans(), st.one_of(st.none(), st.floats(-1, 1)), st.booleans()), max_size=60),
)
def test_no_memory_runs_away_however_often_feedback_is_given(strength, importance, steps):
    held = memory(strength=strength, importance=importance, confidence=0.3)
    low, high = min(0.2, importance), max(0.8, importance)
    for used, outcome, again in steps:
        after = with_feedback(held, used=used, outcome=outcome)
        given_ = Feedback(
            memory_id="m",
            used=used,
            outcome=outcome,
            strength=after.strength - held.strength,
            importance=after.importance - held.importance,
        )
        held = without_feedback(after, given_) if again else after
        assert 0.2 - 1e-12 <= held.strength <= 1 + 1e-12
        assert low - 1e-12 <= held.importance <= high + 1e-12
        assert held.confidence == 0.3


@settings(max_examples=10, deadline=None)
@given(st.lists(st.tuples(st.sets(st.integers(0, 2)), OUTCOMES), min_size=1, max_size=8))
def test_the_last_feedback_on_a_recall_is_the_one_that_counts(series):
    def ended(series):
        filled = mind()
        plant(filled, ["the lighthouse is green", "the lighthouse is tall", "the lighthouse is locked"])
        found = filled.recall("lighthouse", limit=3)
        ids = sorted((hit.memory.id for hit in found.hits), key=lambda id: filled.get(id).text)
        for used, outcome in series:
            filled.feedback(found.id, used=[ids[n] for n in sorted(used)], outcome=outcome)
        return [(filled.get(id).strength, filled.get(id).importance) for id in ids]

    assert ended(series) == [pytest.approx(pair) for pair in ended(series[-1:])]
