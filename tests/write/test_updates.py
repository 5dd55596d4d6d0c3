"""What is said later replaces what was said before, says why, and can be taken back."""

import pytest
from inspect_store import texts
from write.chat import facts, mind

from recollect import Recollect

PORTO = ("I live in Porto.", "2026-01-10")
LYON = ("I moved to Lyon.", "2026-06-10")
WHERE = "where do I live?"


def by_remembering(memories, text, at, **more):
    memories.remember(text, at=at, **more)


def by_talking(memories, text, at, **more):
    memories.ingest([{"role": "user", "content": text}], session_id=at, at=at, **more)


WAYS = pytest.mark.parametrize("tell", [by_remembering, by_talking])


@pytest.fixture
def memories():
    with mind() as opened:
        yield opened


def test_a_job_told_by_its_role_is_replaced_by_one_told_by_its_place(memories):
    by_talking(memories, "Hello! I work as a junior buyer at Dunmore. The office is near the station.", "2026-01-15")
    by_talking(memories, "I started at Northwind as an assistant buyer in April.", "2026-04-15")
    assert stated(memories, "I work as a junior buyer at Dunmore.").status == "superseded"


def stated(memories, text, **filters):
    every = ["active", "superseded", "contradicted", "consolidated", "forgotten"]
    (found,) = [m for m in memories.list(statuses=every, **filters) if m.text == text and m.granularity != "turn"]
    return found


def automatic(memories, id, action):
    (found,) = [event for event in memories.history(id) if event.action == action and event.detail.get("automatic")]
    return found


@WAYS
def test_after_moving_to_lyon_lyon_comes_first_and_the_month_before_still_knows_porto(memories, tell):
    tell(memories, *PORTO)
    tell(memories, *LYON)
    first = memories.recall(WHERE, at="2026-07-01").hits[0].memory
    assert "Lyon" in first.text
    before = texts(memories.recall(WHERE, as_of="2026-05-10"))
    assert any("Porto" in text for text in before) and not any("Lyon" in text for text in before)


@WAYS
def test_the_old_statement_is_superseded_with_a_reason_and_undo_takes_it_back(memories, tell):
    tell(memories, *PORTO)
    tell(memories, *LYON)
    old, new = stated(memories, PORTO[0]), stated(memories, LYON[0])
    assert old.status == "superseded" and old.valid_to == new.valid_from
    event = automatic(memories, old.id, "supersede")
    assert event.detail["why"] == "live in: Porto → Lyon"
    memories.undo(event.id)
    back = memories.get(old.id)
    assert (back.status, back.valid_to) == ("active", None)
    assert not any(link.kind == "supersedes" for link, _ in memories.neighbours(new.id))


@WAYS
def test_an_older_statement_that_arrives_late_supersedes_nothing(memories, tell):
    tell(memories, *LYON)
    tell(memories, *PORTO)
    assert stated(memories, LYON[0]).status == "active"
    assert stated(memories, PORTO[0]).status == "superseded"
    assert "Lyon" in memories.recall(WHERE, at="2026-07-01").hits[0].memory.text


def test_what_counts_is_when_it_was_said_not_when_it_happened(memories):
    by_talking(memories, "I live in Porto.", "2026-06-01")
    by_talking(memories, "I moved to Lyon in January 2026.", "2026-06-10")
    (old,) = facts(memories, statuses=["superseded"])
    assert old.text == "I live in Porto."


def test_two_statements_of_one_moment_contradict_each_other(memories):
    one, other = (memories.remember(text, at="2026-06-10") for text in ("I live in Porto.", "I live in Lyon."))
    assert {memories.get(m.id).status for m in (one, other)} == {"active"}
    assert ("contradicts", one.id) in {(link.kind, memory.id) for link, memory in memories.neighbours(other.id)}
    event = automatic(memories, one.id, "contradict")
    assert event.detail["why"] == "live in: Porto and Lyon can't both hold"
    memories.undo(event.id)
    assert not any(link.kind == "contradicts" for link, _ in memories.neighbours(other.id))


def test_in_one_conversation_the_later_message_holds(memories):
    said = [{"role": "user", "content": "I live in Porto."}, {"role": "user", "content": "I live in Lyon."}]
    memories.ingest(said, session_id="s", at="2026-06-10")
    assert stated(memories, "I live in Porto.").status == "superseded"
    assert stated(memories, "I live in Lyon.").status == "active"


@WAYS
def test_nothing_is_superseded_across_namespaces(memories, tell):
    tell(memories, *PORTO, namespace="acme/ada")
    tell(memories, *LYON, namespace="acme/ben")
    tell(memories, *LYON, namespace="acme")
    found = memories.list(namespace="acme")
    assert {memory.status for memory in found} == {"active"}
    assert not any(link.kind in ("supersedes", "contradicts") for m in found for link, _ in memories.neighbours(m.id))


def test_speakers_of_one_dialogue_do_not_replace_each_other(memories):
    said = [{"role": "Ada", "content": "I live in Porto."}, {"role": "Ben", "content": "I live in Lyon."}]
    memories.ingest(said, session_id="s", at="2026-06-10")
    later = [{"role": "Ada", "content": "I live in Nantes."}]
    memories.ingest(later, session_id="t", at="2026-08-10")
    assert {fact.text: fact.status for fact in facts(memories, statuses=["active", "superseded"])} == {
        "Ada: I live in Porto.": "superseded",
        "Ben: I live in Lyon.": "active",
        "Ada: I live in Nantes.": "active",
    }


def test_moving_twice_leaves_one_place(memories):
    for text, at in (PORTO, LYON, ("I live in Nantes now.", "2026-09-01")):
        by_remembering(memories, text, at)
    assert texts(memories.list(statuses=["active"])) == ["I live in Nantes now."]
    for at, place in (("2026-02-01", "Porto"), ("2026-07-01", "Lyon"), ("2026-10-01", "Nantes")):
        assert place in memories.recall(WHERE, as_of=at).hits[0].memory.text


def test_moving_back_is_not_taken_for_a_repetition(memories):
    for text, at in (PORTO, ("I live in Lyon.", "2026-06-10"), ("I live in Porto.", "2026-09-01")):
        by_talking(memories, text, at)
    assert "Porto" in memories.recall(WHERE, at="2026-10-01").hits[0].memory.text
    assert [fact.text for fact in facts(memories, statuses=["active"])] == ["I live in Porto."]


def test_different_numbers_are_never_merged(memories):
    one = memories.remember("The request limit is 100 per minute.", at="2026-01-01")
    other = memories.remember("The request limit is 200 per minute.", at="2026-02-01")
    assert one.id != other.id and other.merged_into is None
    assert memories.get(one.id).status == "superseded"


def test_a_merge_says_why_and_can_be_undone(memories):
    one = memories.remember("The user drinks green tea every morning at home")
    other = memories.remember("The user drinks green tea every morning at home!")
    assert other.merged_into == one.id
    merge = [event for event in memories.history(one.id) if event.action == "merge"][0]
    assert {"similarity", "exact"} <= set(merge.detail)
    memories.undo(merge.id)
    assert memories.get(one.id).importance == 0.5


def test_a_turn_that_says_only_what_no_longer_holds_is_superseded_with_it(memories):
    by_talking(memories, *PORTO)
    long = "I work as a nurse. Could you find me a recipe for lentil soup that takes less than half an hour to make?"
    by_talking(memories, long, "2026-02-01")
    by_talking(memories, *LYON)
    by_talking(memories, "I work as a teacher.", "2026-08-01")
    status = {turn.text: turn.status for turn in memories.list(granularity="turn")}
    assert status[PORTO[0]] == "superseded" and status[long] == "active"
    new = stated(memories, "I work as a teacher.")
    linked = {other.text for link, other in memories.neighbours(new.id) if link.kind == "supersedes"}
    assert long in linked  # part of it no longer holds
    event = automatic(memories, stated(memories, PORTO[0]).id, "supersede")
    memories.undo(event.id)
    assert {turn.text: turn.status for turn in memories.list(granularity="turn")}[PORTO[0]] == "active"


def test_a_statement_in_other_words_is_found_by_what_it_states(memories):
    by_remembering(memories, "I just started a new job at Siemens.", "2026-01-01")
    by_remembering(memories, "The bridge was closed for repairs in spring.", "2026-01-01")
    found = memories.recall("where do I work?").hits[0].memory
    assert "Siemens" in found.text and found.gist == "work at Siemens"


LEEDS = "I live in Leeds with two cats. If you cook for me, no shellfish please, I'm badly allergic (carry an epipen)."
YORK = "Big news: I moved to York last week, the boxes are still everywhere."
ELSEWHERE = ["The bakery closes at four.", "My bike needs a new chain.", "We watched a film about bees."]


@pytest.fixture
def moved():
    """With the shipped embedder: a turn of which one clause no longer holds."""
    with Recollect(":memory:") as opened:
        for n, text in enumerate([LEEDS, *ELSEWHERE]):
            by_talking(opened, text, f"2026-01-{n + 1:02}")
        by_talking(opened, YORK, "2026-05-01")
        yield opened


def test_a_turn_of_which_one_clause_was_superseded_is_still_found_for_the_others(moved):
    assert "shellfish" in moved.recall("what am I allergic to?", at="2026-06-01").hits[0].memory.text
    assert "York" in moved.recall("where do I live?", at="2026-06-01").hits[0].memory.text


def test_a_memory_that_says_more_stays_active_with_a_link(memories):
    first = memories.remember(LEEDS, at="2026-01-01")
    second = memories.remember(YORK, at="2026-05-01")
    assert memories.get(first.id).status == "active"
    assert second.superseded == (first.id,)
    third = memories.remember("I moved to Hull.", at="2026-08-01")
    assert third.superseded == (second.id,)  # only the latest value; the first has its link already


def test_the_result_names_what_it_replaced(memories):
    old = memories.remember("My manager is Priya.", at="2026-01-01")
    new = memories.remember("Owen is my manager now.", at="2026-02-01")
    assert new.superseded == (old.id,) and old.superseded == ()
    assert memories.get(new.id).superseded == ()
    talk = memories.ingest([{"role": "user", "content": "My manager is Bo."}], session_id="s", at="2026-03-01")
    assert [memory.superseded for memory in talk.added if memory.granularity == "fact"] == [(new.id,)]


def test_a_purged_value_is_not_left_in_the_log(tmp_path):
    with mind(tmp_path / "a.db") as memories:
        old = memories.remember("I live in Xanadu.", at="2026-01-01")
        new = memories.remember("I moved to Lyon.", at="2026-02-01")
        assert automatic(memories, new.id, "supersede").detail["why"] == "live in: Xanadu → Lyon"
        memories.purge(old.id)
        assert automatic(memories, new.id, "supersede").detail["why"] == "the same thing has another value"
    assert b"Xanadu" not in (tmp_path / "a.db").read_bytes()


def test_a_correction_becomes_a_fact_that_can_be_understood_alone(memories):
    said = ["The budget for the kitchen is $120,000.", "Make that $150,000."]
    memories.ingest([{"role": "user", "content": text} for text in said], session_id="s", at="2026-01-01")
    assert {fact.text: fact.status for fact in facts(memories, statuses=["active", "superseded"])} == {
        "The budget for the kitchen is $120,000.": "superseded",
        "Correction: The budget for the kitchen is $150,000.": "active",
    }


def test_a_denied_statement_is_found_among_many_others_that_share_as_many_words(memories):
    for guest in ("Ada", "Ben", "Carla", "Dmitri", "Elif", "Farid", "Greta", "Hugo", "Ines", "Jonas"):
        memories.remember(f"{guest} waits longer for tea.", at="2026-01-01")
    held = memories.remember("The tea is in Lisbon.", at="2026-01-02")
    new = memories.remember("The tea is no longer in Lisbon.")
    assert memories.get(held.id).status == "superseded" and new.superseded == (held.id,)
