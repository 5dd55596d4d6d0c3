import pytest
from factories import candidate

from recollect.read.group import group
from recollect.recipes.recipe import Group


def turn(id, score, session, number, **fields):
    return candidate(id, score, text=f"text {id}", granularity="turn", session_id=session, turn=number, **fields)


POOL = [turn("a", 1.0, "s1", 3), turn("b", 0.9, "s2", 0), turn("c", 0.8, "s1", 1), turn("d", 0.4, "s1", 9)]


def test_a_session_is_worth_its_parts_with_falling_weight():
    found = group(POOL, Group(parts=2, decay=0.5), "session")
    assert [c.memory.session_id for c in found] == ["s1", "s2"]
    assert found[0].score.value == pytest.approx(1.0 + 0.5 * 0.8)
    assert found[0].score.recompute() == pytest.approx(found[0].score.value)
    assert [part.memory.id for part in found[0].parts] == ["a", "c"]


def test_a_group_reads_in_the_order_of_its_turns():
    assert group(POOL, Group(), "session")[0].memory.text == "text c … text a … text d"


def test_rounds_are_told_by_their_number():
    pool = [turn("u", 1.0, "s", 4, metadata={"round": 2}), turn("v", 0.5, "s", 5, metadata={"round": 2})]
    (found,) = group([*pool], Group(), "round")
    assert found.memory.granularity == "round"
    assert len(found.parts) == 2


def test_what_belongs_to_no_session_stays_as_it_is():
    alone = candidate("m", 0.7)
    assert group([alone], Group(), "session") == [alone]


def test_sessions_of_the_same_name_in_two_namespaces_stay_apart():
    pool = [turn("a", 1.0, "s", 0, namespace="x"), turn("b", 0.9, "s", 0, namespace="y")]
    assert len(group(pool, Group(), "session")) == 2
