"""A question that compares is asked for each of its sides too."""

from dataclasses import replace

import pytest

from recollect import Recollect, recipes

ASKED = "Which came first, the visit of the chimney sweep or the delivery of the walnut table?"
SIDES = ("the visit of the chimney sweep", "the delivery of the walnut table")
SWEEP = "The chimney sweep came for his visit on Monday"
TABLE = "Two men brought the walnut table, delivery was free"
DEFAULT = recipes.load("default")


@pytest.fixture
def mind():
    with Recollect(":memory:", embedder="hashing", recipe="default") as made:
        made.remember_many({"text": f"Which came first on day {n}, coffee or tea or nothing?"} for n in range(30))
        yield made


def test_both_sides_come_first_and_say_what_they_answer(mind):
    mind.remember_many([{"text": SWEEP}, {"text": TABLE}])
    found = mind.recall(ASKED)
    assert {hit.memory.text for hit in found.hits[:2]} == {SWEEP, TABLE}
    notes = {hit.memory.text: hit.explanation.note for hit in found.hits[:2]}
    assert notes == {SWEEP: f"asked for: {SIDES[0]}", TABLE: f"asked for: {SIDES[1]}"}
    assert all(hit.explanation.recompute() == pytest.approx(hit.score) for hit in found.hits)
    assert tuple(step.note for step in found.trace if step.stage == "side") == SIDES


def test_the_least_known_side_decides_what_is_known(mind):
    mind.remember(SWEEP)
    one = mind.recall(ASKED).signals.evidence
    sweep, table = (mind.recall(side).signals.evidence for side in SIDES)
    assert one == table < sweep
    mind.remember(TABLE)
    assert mind.recall(ASKED).signals.evidence > one


def test_without_vectors_there_is_no_evidence_to_compare(mind):
    mind.remember_many([{"text": SWEEP}, {"text": TABLE}])
    found = mind.recall(ASKED, recipe=replace(recipes.load("bm25"), split_comparisons=True))
    assert found.signals.evidence is None
    assert {hit.memory.text for hit in found.hits[:2]} == {SWEEP, TABLE}


def test_a_recipe_decides_whether_to_compare(mind):
    mind.remember_many([{"text": SWEEP}, {"text": TABLE}])
    found = mind.recall(ASKED, recipe=replace(DEFAULT, name="whole", split_comparisons=False))
    assert not [step for step in found.trace if step.stage == "side"]
    assert found.signals.evidence < mind.recall(ASKED).signals.evidence


def test_filters_and_the_limit_hold_for_every_side(mind):
    mind.remember_many([{"text": SWEEP, "tags": ["house"]}, {"text": TABLE}])
    assert [hit.memory.text for hit in mind.recall(ASKED, tags=["house"]).hits] == [SWEEP]
    assert len(mind.recall(ASKED, limit=1).hits) == 1


def test_archived_sides_are_found_at_the_second_look():
    with Recollect(":memory:", embedder="hashing", recipe="default") as mind:
        for text in (SWEEP, TABLE):
            mind.archive(mind.remember(text).id)
        assert {hit.memory.text for hit in mind.recall(ASKED).hits} == {SWEEP, TABLE}


def test_sessions_are_made_of_what_the_sides_found(mind):
    mind.ingest([{"role": "user", "content": SWEEP}], session_id="sweep")
    mind.ingest([{"role": "user", "content": TABLE}], session_id="table")
    found = mind.recall(ASKED, granularity="session")
    assert {hit.memory.session_id for hit in found.hits[:2]} == {"sweep", "table"}


def test_who_is_meant_is_said_once_for_all_sides(mind):
    """Neither side of the question holds the name."""
    for who in ("Bob", "Ana"):  # of equals the older comes first
        talk = [{"role": who, "content": f"I bought the {thing} at last"} for thing in ("walnut desk", "brass lamp")]
        mind.ingest(talk, session_id=who)
    found = mind.recall("Which did Ana buy first, the walnut desk or the brass lamp?", granularity="turn", limit=20)
    said = {hit.memory.role: hit.explanation.find("speaker_match").value for hit in found.hits if hit.memory.role}
    assert said == {"Ana": 1.0, "Bob": 0.7}
    assert [hit.memory.role for hit in found.hits[:2]] == ["Ana", "Ana"]


def test_a_conflict_is_still_explained(mind):
    old, new = mind.remember_many([{"text": TABLE}, {"text": "No delivery of a walnut table yet", "confidence": 0.5}])
    mind.link(old.id, new.id, "contradicts")
    found = {hit.memory.id: hit.explanation.note for hit in mind.recall(ASKED, limit=20).hits}
    assert found[new.id] == f"contradicted by {old.id}, which is stronger; asked for: {SIDES[1]}"


def test_many_memories_of_one_side_leave_room_for_the_other(mind):
    mind.remember_many({"text": f"The chimney sweep came on his visit number {n}, in a new hat"} for n in range(8))
    mind.remember("Somebody brought a walnut thing once, or was it oak")
    found = mind.recall(ASKED, limit=3)
    assert sorted("walnut" in hit.memory.text for hit in found.hits) == [False, False, True]
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)
    assert "walnut" not in mind.recall(SIDES[0], limit=3).hits[-1].memory.text
