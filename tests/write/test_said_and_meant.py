"""When something was said and when it happens are two things, and the words stay as they were said."""

import pytest
from write.chat import facts, mind, turns

from recollect import Recollect

AUGUST = "2026-08-16T10:00:00Z"  # a Sunday
WEEK_LATER = "2026-08-23T10:00:00Z"
RECIPES_WITH_RECENCY = ["siestai", "openmem", "memx", "aingram"]


@pytest.fixture
def memories():
    with mind() as opened:
        yield opened


def say(memories, text, at=AUGUST, **more):
    return memories.ingest([{"role": "user", "content": text}], at=at, **more)


def test_a_plan_is_told_when_it_was_said_and_happens_when_it_is_planned(memories):
    say(memories, "I fly to Oslo in October with Ben.")
    (turn,), (fact,) = turns(memories), facts(memories)
    assert turn.text == fact.text == "I fly to Oslo in October with Ben."
    assert turn.metadata["when"] == fact.metadata["when"] == {"start": "2026-10-01", "end": "2026-10-31"}
    assert (f"{turn.occurred_at:%Y-%m-%d}", f"{fact.occurred_at:%Y-%m-%d}") == ("2026-08-16", "2026-10-01")
    assert f"{turn.learned_at:%Y-%m-%d}" == f"{fact.learned_at:%Y-%m-%d}" == "2026-08-16"


def test_a_rhythm_is_kept_and_happens_when_it_was_said(memories):
    say(memories, "I sing in a choir every Tuesday at 7.")
    (fact,) = facts(memories)
    assert fact.metadata["when"] == {"repeats": "weekly", "days": ["tue"]}
    assert fact.occurred_at == fact.learned_at


def test_long_answers_of_the_assistant_get_no_time(memories):
    memories.ingest([{"role": "assistant", "content": "The museum is closed on Monday."}], at=AUGUST)
    assert "when" not in turns(memories)[0].metadata


def test_an_edited_message_names_its_new_time(memories):
    for day in ("Thursday", "Friday"):
        said = [{"role": "user", "content": "Hello!"}, {"role": "user", "content": f"The dentist expects me on {day}."}]
        memories.ingest(said, session_id="s1", at=AUGUST)
    _, turn = turns(memories)
    assert turn.metadata["when"] == {"start": "2026-08-21", "end": "2026-08-21"}


@pytest.mark.parametrize("how", ["hybrid", "fact"])
def test_the_same_words_in_another_week_name_another_day(memories, how):
    for session, at in (("s1", AUGUST), ("s2", WEEK_LATER), ("s2", WEEK_LATER)):
        say(memories, "My dentist Mila expects me on Thursday.", at=at, session_id=session, granularity=how)
    days = [fact.metadata["when"]["start"] for fact in facts(memories)]
    assert sorted(days) == ["2026-08-20", "2026-08-27"]


def test_the_same_words_about_the_same_day_are_one_fact(memories):
    for session in ("s1", "s2"):
        say(memories, "My dentist Mila expects me on Thursday.", session_id=session)
    assert len(facts(memories)) == 1


def test_what_was_said_later_holds_whatever_day_it_names(memories):
    memories.ingest_many(
        [
            {"messages": [{"role": "user", "content": "I moved to Leeds last week."}], "at": "2026-03-01"},
            {"messages": [{"role": "user", "content": "I moved to Lyon in January."}], "at": "2026-05-01"},
        ]
    )
    assert {fact.text: fact.status for fact in facts(memories)} == {
        "I moved to Leeds last week.": "superseded",
        "I moved to Lyon in January.": "active",
    }


# An import is not news ----------------------------------------------------------------------------


@pytest.fixture
def imported():
    with Recollect(":memory:", embedder="hashing") as made:
        say(made, "The fence was painted green by Tom.", at="2025-09-20T10:00:00Z", session_id="old")
        say(made, "The fence was mended by Ann.", at=AUGUST, session_id="new")
        yield made


@pytest.mark.parametrize("recipe", RECIPES_WITH_RECENCY)
def test_turns_eleven_months_apart_differ_in_recency(imported, recipe):
    old, new = (
        imported.recall("who painted or mended the fence?", recipe=recipe, at=AUGUST, session_id=session, track=False)
        .hits[0]
        .explanation.find("recency")
        for session in ("old", "new")
    )
    assert old.value < 0.9 * new.value
    assert (old.find("days").value, old.find("days").note) == (pytest.approx(330), "since said")


def test_what_was_recalled_lately_counts_from_then(imported):
    for _ in range(2):
        found = imported.recall("what happened to the fence?", recipe="siestai", at=AUGUST, limit=10)
    assert all(hit.explanation.find("recency").value == 1.0 for hit in found.hits)


def test_the_recent_layer_of_a_context_has_what_was_said_lately(imported):
    imported.remember("The gate squeaks", at=AUGUST)
    recent = next(layer for layer in imported.assemble("zebra", at=WEEK_LATER).layers if layer.name == "recent")
    assert {memory.session_id for memory in recent.memories} == {"new", None}


def test_an_import_is_kept_as_long_as_anything_else_that_was_just_stored(imported):
    imported.set_retention(expires_after_days=30)
    imported.tend()
    assert {memory.status for memory in imported.list()} == {"active"}
    assert {memory.tier for memory in imported.list()} == {"searchable"}
