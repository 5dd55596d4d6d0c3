"""Use makes strong, within bounds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made import memory
from tend.garden import mind, plant

from recollect.errors import InvalidInput, NotFound
from recollect.store.protocol import Feedback
from recollect.tend.feedback import credited, taken_back

OUTCOMES = st.one_of(st.none(), st.sampled_from(["helped", "failed"]), st.floats(-1, 1))


@pytest.fixture
def asked():
    garden = mind()
    plant(garden, ["the lighthouse is green", "the lighthouse is tall", "the lighthouse is locked"], confidence=0.7)
    for held in garden.list():
        garden.update(held.id, strength=0.6)
    return garden, garden.recall("lighthouse", limit=3)


def values(garden, found):
    return [(m.strength, m.importance) for m in (garden.get(hit.memory.id) for hit in found.hits)]


def test_a_used_memory_gains_and_an_ignored_one_loses_a_little(asked):
    garden, found = asked
    used = found.hits[1].memory.id
    garden.feedback(found.id, used=[used])
    ignored = pytest.approx(0.6 - 0.02 * 0.4)
    assert [strength for strength, _ in values(garden, found)] == [ignored, pytest.approx(0.6 + 0.05 * 0.4), ignored]
    assert [importance for _, importance in values(garden, found)] == [0.5, pytest.approx(0.5 + 0.01 * 0.3), 0.5]
    assert all(garden.get(hit.memory.id).confidence == 0.7 for hit in found.hits)


def test_an_outcome_is_credited_to_what_was_used(asked):
    garden, found = asked
    used = found.hits[0].memory.id
    garden.feedback(found.id, used=[used], outcome="helped")
    assert garden.get(used).strength == pytest.approx(0.6 + 0.15 * 0.4)
    garden.feedback(found.id, used=[used], outcome="failed")
    assert garden.get(used).strength == pytest.approx(0.6 - 0.05 * 0.4)


def test_feedback_given_again_replaces_the_former(asked):
    garden, found = asked
    ids = [hit.memory.id for hit in found.hits]
    garden.feedback(found.id, used=ids[:1], outcome=0.5)
    once, events = values(garden, found), garden.stats().events
    garden.feedback(found.id, used=ids[:1], outcome=0.5)
    assert (values(garden, found), garden.stats().events) == (once, events)
    garden.feedback(found.id, used=ids[2:])
    garden.feedback(found.id, used=ids[:1], outcome=0.5)
    assert values(garden, found) == [pytest.approx(pair) for pair in once]


def test_feedback_for_no_recall_or_for_another_memory_is_refused(asked):
    garden, found = asked
    with pytest.raises(NotFound, match="no recall"):
        garden.feedback("nothing")
    with pytest.raises(NotFound, match="tracked"):
        garden.feedback(garden.recall("lighthouse", track=False).id)
    (stranger,) = plant(garden, ["a stranger"])
    with pytest.raises(InvalidInput, match="not among the 3 hits"):
        garden.feedback(found.id, used=[stranger.id])
    for outcome in ("good", 2, True, float("nan")):
        with pytest.raises(InvalidInput, match="outcome must be"):
            garden.feedback(found.id, outcome=outcome)
    assert garden.stats().extra == {}


def test_stats_show_what_helps(asked):
    garden, found = asked
    first, *others = [hit.memory.id for hit in found.hits]
    garden.feedback(found.id, used=[first], outcome="helped")
    extra = garden.stats().extra
    assert extra["most_used"] == [{"id": first, "used": 1, "offered": 1, "outcome": 1.0}]
    assert {each["id"] for each in extra["never_used"]} == set(others)
    assert garden.stats("other").extra == {}


def test_a_purged_hit_is_passed_over(asked):
    garden, found = asked
    gone, *_ = [hit.memory.id for hit in found.hits]
    garden.purge(gone)
    assert len(garden.feedback(found.id, used=[gone])) == 2
    assert garden.check() == []


@given(
    st.floats(0.2, 1),
    st.floats(0, 1),
    st.lists(st.tuples(st.booleans(), st.one_of(st.none(), st.floats(-1, 1)), st.booleans()), max_size=60),
)
def test_no_memory_runs_away_however_often_feedback_is_given(strength, importance, steps):
    held = memory(strength=strength, importance=importance, confidence=0.3)
    low, high = min(0.2, importance), max(0.8, importance)
    for used, outcome, again in steps:
        after = credited(held, used=used, outcome=outcome)
        given_ = Feedback(
            memory_id="m",
            used=used,
            outcome=outcome,
            strength=after.strength - held.strength,
            importance=after.importance - held.importance,
        )
        held = taken_back(after, given_) if again else after
        assert 0.2 - 1e-12 <= held.strength <= 1 + 1e-12
        assert low - 1e-12 <= held.importance <= high + 1e-12
        assert held.confidence == 0.3


@settings(max_examples=10, deadline=None)
@given(st.lists(st.tuples(st.sets(st.integers(0, 2)), OUTCOMES), min_size=1, max_size=8))
def test_the_last_feedback_on_a_recall_is_the_one_that_counts(series):
    def ended(series):
        garden = mind()
        plant(garden, ["the lighthouse is green", "the lighthouse is tall", "the lighthouse is locked"])
        found = garden.recall("lighthouse", limit=3)
        ids = sorted((hit.memory.id for hit in found.hits), key=lambda id: garden.get(id).text)
        for used, outcome in series:
            garden.feedback(found.id, used=[ids[n] for n in sorted(used)], outcome=outcome)
        return [(garden.get(id).strength, garden.get(id).importance) for id in ids]

    assert ended(series) == [pytest.approx(pair) for pair in ended(series[-1:])]
