"""Statements in any order, at one moment, in a circle, and very many of them: a defined answer, and nothing is lost."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from write.chat import mind

from recollect.errors import InvalidInput

EVERY = ["active", "superseded", "contradicted", "consolidated", "forgotten"]
HOMES = [
    ("I live in Porto.", "2026-01-10"),
    ("I moved to Lyon.", "2026-04-10"),
    ("I live in Nantes now.", "2026-07-10"),
]
TALKS = [
    ("I'm allergic to penicillin. Which tea helps with a cold?", "2026-01-05"),
    ("We use Jira for tickets. My manager is Priya.", "2026-02-05"),
    ("Turns out I'm not allergic to penicillin after all.", "2026-03-05"),
    ("We switched to Linear for tickets. Owen is my manager now.", "2026-04-05"),
]


def state(memories):
    """What is stored, what holds until when, and what replaced what, without ids."""
    found = {memory.id: memory for memory in memories.list(statuses=EVERY)}
    links = {link for id in found for link, _ in memories.neighbours(id) if link.kind in ("supersedes", "contradicts")}
    held = {(memory.granularity, memory.text, memory.status, memory.valid_to) for memory in found.values()}
    return held, {(found[link.a].text, link.kind, found[link.b].text) for link in links}


def told(tell, statements):
    with mind() as memories:
        for text, at in statements:
            tell(memories, text, at)
        assert memories.check() == []
        return state(memories)


def by_remembering(memories, text, at):
    memories.remember(text, at=at)


def by_talking(memories, text, at):
    memories.ingest([{"role": "user", "content": text}], session_id=at, at=at)


@pytest.mark.parametrize("tell", [by_remembering, by_talking])
def test_the_order_in_which_statements_arrive_makes_no_difference(tell):
    states = [told(tell, order) for order in permutations(HOMES)]
    assert all(each == states[0] for each in states)


@settings(max_examples=12, deadline=None)
@given(st.permutations(TALKS))
def test_conversations_imported_in_another_order_end_in_the_same_state(order):
    assert told(by_talking, order) == told(by_talking, TALKS)


def test_importing_conversations_again_in_another_order_changes_nothing():
    with mind() as memories:
        for text, at in [*HOMES, *TALKS]:
            by_talking(memories, text, at)
        once = state(memories)
        for text, at in reversed([*HOMES, *TALKS]):
            by_talking(memories, text, at)
        assert state(memories) == once


def homes_that_hold(*talks):
    """The turns and facts about the home that are active after these versions of one conversation were stored."""
    with mind() as memories:
        for talk in talks:
            memories.ingest([{"role": "user", "content": text} for text in talk], session_id="one", at="2026-01-01")
        assert memories.check() == []
        every = memories.list(statuses=EVERY, limit=100)
        told = [memory.text for memory in every if memory.granularity == "turn"]
        assert set(told) >= {text for talk in talks for text in talk}
        holding = memories.list(statuses=["active"], limit=100)
        return {m.text for m in holding if m.granularity == "fact" and m.text in (PORTO, LYON)}


PORTO, LYON, TEA, WORK = "I live in Porto.", "I moved to Lyon.", "I like tea.", "My manager is Ruth."


def test_what_is_said_last_in_a_conversation_holds_though_it_was_said_before():
    assert homes_that_hold([PORTO, LYON, PORTO]) == {PORTO}
    assert homes_that_hold([PORTO, LYON], [PORTO, LYON, PORTO]) == {PORTO}
    assert homes_that_hold([PORTO, LYON, PORTO, LYON]) == {LYON}


def test_one_conversation_imported_again_with_its_messages_in_another_order_loses_nothing():
    assert homes_that_hold([PORTO, WORK, TEA, LYON], [WORK, PORTO, LYON, TEA]) == {LYON}
    assert homes_that_hold([PORTO, LYON, TEA], [TEA, LYON, PORTO]) == {PORTO}


def test_a_statement_that_is_dated_before_the_one_it_would_replace_does_not_replace_it():
    with mind() as memories:
        memories.remember("I live in Lyon.", at="2026-06-01")
        late = memories.remember("I moved to Porto.", at="2026-01-01")
        assert (late.status, late.superseded) == ("superseded", ())
        assert [m.text for m in memories.list(statuses=["active"])] == ["I live in Lyon."]
        assert "Porto" in memories.recall("where do I live?", as_of="2026-03-01").hits[0].memory.text


def test_a_value_that_was_repeated_after_a_late_one_still_holds():
    with mind() as memories:
        for text, at in (("I live in Porto.", "2026-01-01"), ("I live in Porto.", "2026-09-01")):
            memories.remember(text, at=at)
        memories.remember("I moved to Lyon.", at="2026-04-01")
        assert [m.text for m in memories.list(statuses=["active"])] == ["I live in Porto."]


def test_of_two_values_that_are_both_repeated_the_last_one_holds():
    with mind() as memories:
        told = ((PORTO, "2026-01-01"), (LYON, "2026-04-01"), (PORTO, "2026-06-01"), (LYON, "2026-09-01"))
        memories.remember_many([{"text": text, "at": at} for text, at in told])
        assert [m.text for m in memories.list(statuses=["active"])] == [LYON]


def test_a_late_value_between_one_and_its_repetition_does_not_end_it():
    with mind() as memories:
        for text, at in ((PORTO, "2026-01-01"), (LYON, "2026-04-01"), (LYON, "2026-09-01")):
            memories.remember(text, at=at)
        memories.remember("I live in Nantes.", at="2026-02-01")
        memories.remember(PORTO, at="2026-06-01")
        assert [m.text for m in memories.list(statuses=["active"])] == [LYON]


def test_what_is_said_to_have_happened_long_ago_replaces_nothing():
    with mind() as memories:
        memories.remember("I live in Leeds.", at="2026-01-01")
        made = memories.remember("I moved to Lyon in 2010.", at="2026-02-01")
        assert made.superseded == ()


def test_whoever_supersedes_in_a_circle_decides_by_the_last_call():
    with mind() as memories:
        a, b, c = (memories.remember(text).id for text in ("The tent is green", "The tent is red", "The tent is grey"))
        for old, new in ((a, b), (b, c), (c, a)):
            memories.supersede(old, new)
        assert {id: memories.get(id).status for id in (a, b, c)} == {a: "active", b: "superseded", c: "superseded"}
        assert memories.recall("which colour is the tent?").hits[0].memory.id == a
        last = memories.history(c)[-1]
        memories.undo(last.id)
        assert {id: memories.get(id).status for id in (a, b, c)} == {a: "superseded", b: "superseded", c: "active"}
        assert memories.check() == []


def test_superseding_by_hand_with_an_earlier_statement_leaves_no_negative_time():
    with mind() as memories:
        early = memories.remember("The gate is open", at="2026-01-01")
        later = memories.remember("The gate is closed", at="2026-06-01")
        old = memories.supersede(later.id, early.id)
        assert old.valid_to == old.valid_from


def test_a_memory_can_not_end_before_it_begins():
    with mind() as memories:
        made = memories.remember("The gate is open", at="2026-06-01")
        with pytest.raises(InvalidInput, match="valid_to .* is before valid_from"):
            memories.update(made.id, valid_to="2026-01-01")
        assert memories.update(made.id, valid_from="2025-01-01", valid_to="2026-01-01").valid_to.year == 2026


def counted(statements):
    """The events and links of so many statements."""
    with mind() as memories:
        memories.remember_many([{"text": text, "at": at} for text, at in statements])
        return len(memories._store.events()), memories.stats().links


def same_moment(n):
    return [(f"My phone number is 555-{i:04}.", "2026-01-01T00:00:00Z") for i in range(n)]


def one_after_another(n):
    return [(f"The rate limit is {i}.", f"2026-01-01T{i // 3600:02}:{i // 60 % 60:02}:{i % 60:02}Z") for i in range(n)]


def saying_more(n):
    return [(f"{text} It is enforced at the gateway.", at) for text, at in one_after_another(n)]


@pytest.mark.parametrize("many", [same_moment, one_after_another, saying_more])
def test_ten_times_the_values_make_ten_times_the_links_and_events(many):
    (few_events, few_links), (events, links) = counted(many(18)), counted(many(180))
    assert few_links == 17 and links == 179
    assert events <= 10 * few_events


def test_many_values_of_one_setting_leave_one_that_holds():
    with mind() as memories:
        memories.remember_many([{"text": text, "at": at} for text, at in one_after_another(600)])
        assert [m.text for m in memories.list(statuses=["active"])] == ["The rate limit is 599."]


@pytest.mark.parametrize("at", ["0001-01-01", "9999-12-31T23:59:59Z"])
def test_statements_of_the_first_and_last_moment_are_ordered_too(at):
    with mind() as memories:
        now = memories.remember("I live in Porto.", at="2026-03-01")
        then = memories.remember("I live in Lyon.", at=at)
        older, newer = sorted((now, then), key=lambda memory: memory.told_at)
        assert memories.get(older.id).status == "superseded" and memories.get(newer.id).status == "active"
