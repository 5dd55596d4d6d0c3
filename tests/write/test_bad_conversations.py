"""Conversations as they come: broken, mixed up, huge."""

import time

import pytest
from inspect_store import everything
from write.chat import AT, mind, turns

from recollect.errors import InvalidInput


@pytest.fixture
def memories():
    with mind() as opened:
        yield opened


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([], "empty"),
        ("hello", "must be a list"),
        ({"role": "user", "content": "x"}, "must be a list"),
        (None, "must be a list"),
        ([{"content": "no role"}], "message 0: has no role"),
        ([{"role": "user", "content": "fine"}, {"role": "", "content": "x"}], "message 1: has no role"),
        ([{"role": "user", "content": "fine"}, "text"], "message 1: must be a dict"),
        ([{"role": "user", "content": b"\x00\x01"}], "message 0: content must be text"),
        ([{"role": "user", "content": "binary \0 inside"}], "message 0: content contains a NUL"),
        ([{"role": "user", "content": [{"type": "text", "text": "a\0b"}]}], "message 0: content contains a NUL"),
        ([{"role": "user", "content": "half \ud800 a pair"}], "message 0: content contains half of a surrogate"),
        ([{"role": "user", "content": 7}], "message 0: content must be text"),
        ([{"role": "user", "content": "x", "at": "the day after"}], "message 0: at"),
        ([{"role": 7, "content": "x"}], "message 0: role"),
        ([{"role": "r" * 200, "content": "x"}], "message 0: role"),
        ([{"role": "user", "content": "x" * 1_000_001}], "message 0: content has 1,000,001 characters"),
    ],
)
def test_a_broken_conversation_is_refused_whole_with_the_place_and_the_reason(tmp_path, messages, said):
    path = tmp_path / "agent.db"
    with mind(path) as memories:
        memories.remember("already here")
        before = everything(path)
        with pytest.raises(InvalidInput, match=said):
            memories.ingest(messages, session_id="s", at=AT)
        assert everything(path) == before


def test_in_a_list_of_conversations_the_error_says_which(memories):
    good = {"session_id": "a", "messages": [{"role": "user", "content": "I like tea."}]}
    for bad, said in [
        ({"messages": []}, "conversation 1: the conversation is empty"),
        ({"messages": [{"content": "x"}]}, "conversation 1: message 0"),
        ({"texts": []}, "conversation 1: .*texts"),
        (7, "conversation 1: must be a dict"),
    ]:
        with pytest.raises(InvalidInput, match=said):
            memories.ingest_many([good, bad])


def test_an_unknown_granularity_or_extractor_is_refused(memories):
    said = [{"role": "user", "content": "I like tea."}]
    with pytest.raises(InvalidInput, match="granularity"):
        memories.ingest(said, granularity="chapter")
    with pytest.raises(InvalidInput, match="extractor"):
        memories.ingest(said, extractor="oracle")


def test_unknown_roles_are_the_names_of_speakers(memories):
    memories.ingest([{"role": "Pirate Captain", "content": "I sail on Friday."}], session_id="s", at=AT)
    (turn,) = turns(memories)
    assert turn.role == "Pirate Captain" and turn.text == "Pirate Captain: I sail on Friday."


@pytest.mark.parametrize(
    ("role", "known"), [("human", "user"), ("AI", "assistant"), ("User", "user"), ("model", "assistant")]
)
def test_other_words_for_user_and_assistant_are_understood(memories, role, known):
    memories.ingest([{"role": role, "content": "I like tea."}], session_id="s", at=AT)
    assert turns(memories)[0].role == known


def test_times_may_be_missing_or_out_of_order(memories):
    said = [
        {"role": "user", "content": "first words", "timestamp": "2026-03-05T10:00:00Z"},
        {"role": "assistant", "content": "second words"},
        {"role": "user", "content": "third words", "at": "2026-03-01T10:00:00Z"},
        {"role": "assistant", "content": "fourth words", "at": "2026-03-09T10:00:00+02:00"},
    ]
    memories.ingest(said, session_id="s", at=AT)
    assert [turn.occurred_at.day for turn in turns(memories)] == [5, 5, 1, 9]
    assert [turn.turn for turn in turns(memories)] == [0, 1, 2, 3]


def test_languages_may_be_mixed(memories):
    said = [
        "我住在上海。",
        "I also have a flat in Lyon.",
        "Ich mag grünen Tee.",
        "أحب القهوة",
        "🎉🎉",
        "я живу в Киеве",
    ]
    memories.ingest([{"role": "user", "content": text} for text in said], session_id="s", at=AT)
    assert [turn.text for turn in turns(memories)] == said
    assert "上海" in memories.recall("我住在哪里？上海", limit=1).hits[0].memory.text


def test_a_transcript_cut_in_the_middle_goes_on_where_it_stopped(memories):
    said = [{"role": "user", "content": "I like tea and"}, {"role": "assistant", "content": "Which tea do you"}]
    memories.ingest(said, session_id="s", at=AT)
    whole = [
        said[0],
        {"role": "assistant", "content": "Which tea do you like best?"},
        {"role": "user", "content": "Oolong."},
    ]
    done = memories.ingest(whole, session_id="s", at=AT)
    assert [turn.text for turn in turns(memories)] == [message["content"] for message in whole]
    assert [memory.turn for memory in done.changed] == [1]


def test_a_session_of_ten_thousand_turns_takes_reasonable_processor_time(memories):
    said = [
        {"role": ("user", "assistant")[n % 2], "content": f"Message {n}: the parcel number {n * 7} has arrived."}
        for n in range(10_000)
    ]
    start = time.process_time()
    memories.ingest(said, session_id="s", at=AT, granularity="turn")
    memories.ingest(
        said[-6:] + [{"role": "user", "content": "and one more"}], session_id="s", at=AT, granularity="turn"
    )
    assert time.process_time() - start < 30
    assert memories.stats().by_granularity["turn"] == 10_001
