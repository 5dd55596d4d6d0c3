"""Conversations become memories, once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_store import everything, texts
from write.chat import AT, CHAT, Counting, facts, mind, turns

from recollect.text.tokens import estimate_tokens

HOWS = ["hybrid", "turn", "fact", "round", "session"]


def vectors(memories, id, view):
    return memories._store.fetch([id], view=view).vectors.get(id)


@pytest.fixture
def memories():
    with mind() as opened:
        yield opened


# What is stored -----------------------------------------------------------------------------------


@pytest.mark.parametrize("how", HOWS)
def test_a_conversation_is_stored_in_the_granularity_asked_for(memories, how):
    memories.ingest(CHAT, session_id="s1", at=AT, granularity=how)
    wanted = {"hybrid": {"turn", "fact"}}.get(how, {how})
    assert set(memories.stats().by_granularity) == wanted
    counts = memories.stats().by_granularity
    assert counts.get("turn", 30) == 30 and counts.get("round", 15) == 15 and counts.get("session", 1) == 1


def test_a_turn_keeps_session_number_role_and_time(memories):
    memories.ingest(CHAT, session_id="s1", at=AT)
    found = turns(memories)
    assert [turn.turn for turn in found] == list(range(30))
    assert [turn.role for turn in found] == ["user", "assistant"] * 15
    assert {turn.session_id for turn in found} == {"s1"}
    assert {turn.occurred_at.isoformat() for turn in found} == {"2026-03-02T09:00:00+00:00"}
    assert [turn.metadata["round"] for turn in found] == [n // 2 for n in range(30)]


def test_facts_come_from_what_the_user_says(memories):
    memories.ingest(CHAT, session_id="s1", at=AT)
    found = texts(facts(memories))
    assert "I am allergic to almonds." in found
    assert not any("Bonjour Tristesse" in text for text in found)
    by_text = {fact.text: fact for fact in facts(memories)}
    assert by_text["I am allergic to almonds."].turn == 24


def test_a_conversation_is_not_given_a_vector_of_its_beginning(memories):
    """A session's vector is the mean of its turns', not that of its first words."""
    memories.ingest(CHAT, session_id="s1", at=AT, granularity="session")
    (session,) = memories.list(granularity="session")
    memories.ingest(CHAT, session_id="s1", at=AT, granularity="turn")
    mean = np.mean([vectors(memories, turn.id, "full") for turn in turns(memories)], axis=0)
    assert vectors(memories, session.id, "full") @ (mean / np.linalg.norm(mean)) == pytest.approx(1, abs=1e-3)


# Again, longer, a part of it ----------------------------------------------------------------------


@pytest.mark.parametrize("how", HOWS)
def test_the_same_session_again_adds_nothing(tmp_path, how):
    path = tmp_path / "agent.db"
    with mind(path) as memories:
        memories.ingest(CHAT, session_id="s1", at=AT, granularity=how)
        before = everything(path)
        again = memories.ingest(CHAT, session_id="s1", at=AT, granularity=how)
        assert (again.added, again.changed, again.merged) == ((), (), ())
        assert everything(path) == before


@pytest.mark.parametrize("how", HOWS)
def test_in_parts_or_at_once_makes_the_same_memories(how):
    with mind() as whole, mind() as parts:
        whole.ingest(CHAT, session_id="s1", at=AT, granularity=how)
        for end in (1, 4, 5, 17, 30):
            parts.ingest(CHAT[:end], session_id="s1", at=AT, granularity=how)
        assert sorted(texts(parts.list())) == sorted(texts(whole.list()))
        assert parts.stats().links == whole.stats().links
        assert _views(parts) == _views(whole)


def _views(memories):
    """Text → view → vector, rounded."""
    found = {}
    for memory in memories.list():
        for view in ("full", "user", "assistant", "next_user", "personal_info", "preferences", "events"):
            vector = vectors(memories, memory.id, view)
            if vector is not None:
                found[memory.granularity, memory.turn, memory.text, view] = np.round(vector, 2).tolist()
    return found


def test_a_longer_version_adds_only_what_is_new(memories):
    memories.ingest(CHAT[:20], session_id="s1", at=AT)
    more = memories.ingest(CHAT, session_id="s1", at=AT)
    assert {memory.turn for memory in more.added} <= set(range(20, 30)) and more.unchanged == 20
    assert texts(turns(memories)) == [message["content"] for message in CHAT]


@pytest.mark.parametrize("how", ["hybrid", "round", "session"])
def test_what_comes_next_is_counted_on(how):
    with mind() as whole, mind() as parts:
        whole.ingest(CHAT, session_id="s1", at=AT, granularity=how)
        for start in range(0, 30, 5):
            parts.ingest(CHAT[start : start + 5], session_id="s1", at=AT, granularity=how)
        assert sorted((m.turn, m.text) for m in parts.list()) == sorted((m.turn, m.text) for m in whole.list())


@given(
    cuts=st.lists(st.tuples(st.integers(0, 29), st.integers(1, 8)), max_size=5),
    how=st.sampled_from(["turn", "round", "session"]),
)
@settings(max_examples=25, deadline=None)
def test_windows_of_a_conversation_find_their_place(cuts, how):
    """The last few messages, as agents send them: whatever the window, nothing doubles and nothing is lost."""
    with mind() as memories:
        memories.ingest(CHAT[:3], session_id="s1", at=AT, granularity=how)
        seen = 3
        for back, forward in cuts:
            end = min(30, seen + forward)
            memories.ingest(CHAT[max(0, seen - back) : end] or CHAT[:1], session_id="s1", at=AT, granularity=how)
            seen = max(seen, end)
        text = "\n".join(m.text for m in sorted(memories.list(), key=lambda m: m.turn))
        assert [text.count(message["content"]) for message in CHAT[:seen]] == [1] * seen


def test_an_edited_message_is_updated_and_its_history_keeps_the_old_text(memories):
    memories.ingest(CHAT, session_id="s1", at=AT)
    edited = [dict(message) for message in CHAT]
    edited[24] = {"role": "user", "content": "I am allergic to hazelnuts."}
    done = memories.ingest(edited, session_id="s1", at=AT)
    (turn,) = [memory for memory in done.changed if memory.granularity == "turn"]
    assert turn.text == "I am allergic to hazelnuts." and turn.turn == 24
    old = [event for event in memories.history(turn.id) if event.action == "update"][0].changes[0].before
    assert old["text"] == "I am allergic to almonds."
    found = texts(facts(memories))
    assert "I am allergic to hazelnuts." in found and "I am allergic to almonds." not in found
    assert "almonds" not in memories.recall("what am I allergic to?", limit=1).hits[0].memory.text


def test_a_fact_of_an_edited_message_comes_back_with_undo(memories):
    memories.ingest(CHAT, session_id="s1", at=AT)
    (fact,) = [fact for fact in facts(memories) if fact.text == "I am allergic to almonds."]
    memories.ingest([*CHAT[:24], {"role": "user", "content": "I am not sure."}], session_id="s1", at=AT)
    forget = memories.history(fact.id)[-1]
    assert forget.action == "forget" and forget.detail["why"] == "the message was edited"
    memories.undo(forget.id)
    assert memories.get(fact.id).status == "active"


def test_a_forgotten_turn_is_not_brought_back(memories):
    memories.ingest(CHAT[:4], session_id="s1", at=AT)
    memories.forget(turns(memories)[2].id)
    assert memories.ingest(CHAT[:4], session_id="s1", at=AT).added == ()
    assert len(turns(memories)) == 3


def test_another_session_or_namespace_is_another_conversation(memories):
    memories.ingest(CHAT[:4], session_id="s1", at=AT)
    memories.ingest(CHAT[:4], session_id="s2", at=AT)
    memories.ingest(CHAT[:4], session_id="s1", at=AT, namespace="elsewhere")
    assert memories.stats().by_granularity["turn"] == 12


def test_a_fact_said_in_two_sessions_is_kept_once_and_linked_to_both_turns(memories):
    said = [{"role": "user", "content": "My dog is called Rex."}]
    first = memories.ingest(said, session_id="s1", at=AT)
    second = memories.ingest(said, session_id="s2", at="2026-04-01")
    (fact,) = facts(memories)
    assert [memory.id for memory in second.merged] == [fact.id]
    linked = {memory.id for link, memory in memories.neighbours(fact.id) if link.kind == "extends"}
    assert linked == {m.id for done in (first, second) for m in done.added if m.granularity == "turn"}


def test_many_conversations_at_once_are_the_same_as_one_by_one(tmp_path):
    given = [{"session_id": f"s{n}", "at": AT, "messages": CHAT[n : n + 6]} for n in range(0, 24, 3)]
    with mind() as one, mind() as many:
        for each in given:
            one.ingest(each["messages"], session_id=each["session_id"], at=each["at"])
        done = many.ingest_many([*given, given[0]])
        assert [each.session_id for each in done] == [each["session_id"] for each in (*given, given[0])]
        assert done[-1].added == ()
        assert sorted((m.session_id, m.turn, m.text) for m in many.list()) == sorted(
            (m.session_id, m.turn, m.text) for m in one.list()
        )


def test_what_fails_halfway_stores_nothing_and_can_be_done_again(tmp_path, monkeypatch):
    path = tmp_path / "a.db"
    with mind(path) as memories:
        memories.ingest(CHAT[:4], session_id="s1", at=AT)
        before = everything(path)
        with monkeypatch.context() as broken:
            broken.setattr("recollect.write.conversations.ingest.refresh", lambda *_: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                memories.ingest(CHAT, session_id="s1", at=AT)
        assert everything(path) == before
        memories.ingest(CHAT, session_id="s1", at=AT)
        assert texts(turns(memories)) == [message["content"] for message in CHAT] and memories.check() == []


def test_two_that_ingest_the_same_session_at_once_store_it_once(tmp_path):
    """Both have planned to store it; the second sees under the lock that it is there."""
    from recollect.write.conversations.ingest import Conversation, Ingest

    with mind(tmp_path / "a.db") as one, mind(tmp_path / "a.db") as other:
        works = [_ingest(memories, Ingest) for memories in (one, other)]
        plans = [work._plan(Conversation(messages=CHAT, session_id="s1", at=one._stamp().at)) for work in works]
        first, second = (work._commit([plan])[0] for work, plan in zip(works, plans, strict=True))
        assert len([m for m in first.added if m.granularity == "turn"]) == 30 and second.added == ()
        assert one.stats().by_granularity["turn"] == 30


def _ingest(memories, cls):
    return cls(
        store=memories._store,
        embedder=memories._embedders.checked(),
        extractor=memories._extractors.get(),
        rules=memories.recipe.write,
        namespace="default",
        how="hybrid",
        stamp=memories._stamp(),
    )


# Views --------------------------------------------------------------------------------------------


def test_a_turn_has_the_views_of_its_side_and_facets(memories):
    memories.ingest(CHAT, session_id="s1", at=AT)
    allergic, answer = turns(memories)[24:26]
    for view in ("full", "user", "next_user", "personal_info"):
        assert vectors(memories, allergic.id, view) is not None
    assert vectors(memories, allergic.id, "assistant") is None
    assert np.array_equal(vectors(memories, answer.id, "assistant"), vectors(memories, answer.id, "full"))
    assert np.array_equal(vectors(memories, answer.id, "next_user"), vectors(memories, turns(memories)[26].id, "full"))


def test_what_the_user_says_next_is_filled_in_when_it_arrives(memories):
    memories.ingest(CHAT[:1], session_id="s1", at=AT)
    (first,) = turns(memories)
    assert vectors(memories, first.id, "next_user") is None
    memories.ingest(CHAT[1:4], session_id="s1", at=AT)
    assert np.array_equal(vectors(memories, first.id, "next_user"), vectors(memories, turns(memories)[2].id, "full"))


def test_a_view_of_several_texts_is_their_unit_mean():
    with mind(embedder=Counting()) as memories:
        said = "I like tea. I love hiking in the Alps. I hate loud music."
        memories.ingest([{"role": "user", "content": said}], session_id="s1", at=AT)
        (turn,) = turns(memories)
        parts = [vectors(memories, fact.id, "full") for fact in facts(memories) if fact.kind == "preference"]
        assert len(parts) > 1
        view = vectors(memories, turn.id, "preferences")
        mean = np.mean(parts, axis=0)
        assert np.allclose(view, mean / np.linalg.norm(mean), atol=2e-3)
        assert np.linalg.norm(view) == pytest.approx(1, abs=1e-3)


def test_a_text_is_embedded_once_and_a_conversation_costs_at_most_a_third_more():
    embedder = Counting()
    with mind(embedder=embedder) as memories:
        for how in ("hybrid", "turn"):
            memories.ingest(CHAT, session_id=how, at=AT, granularity=how)
        memories.ingest(CHAT, session_id="hybrid", at=AT)
    assert len(embedder.texts) == len(set(embedder.texts))
    own = sum(estimate_tokens(message["content"]) for message in CHAT)
    assert sum(map(estimate_tokens, embedder.texts)) <= 1.3 * own


@pytest.mark.parametrize("how", ["hybrid", "round", "session"])
def test_another_embedder_gives_every_view_anew(how):
    with mind(embedder=Counting()) as memories, mind(embedder=Counting("other-2")) as fresh:
        memories.ingest(CHAT, session_id="s1", at=AT, granularity=how)
        memories.reembed(Counting("other-2"))
        fresh.ingest(CHAT, session_id="s1", at=AT, granularity=how)
        assert _views(memories) == _views(fresh)


def test_an_update_and_its_undo_give_a_turn_all_its_views_again(memories):
    memories.ingest(CHAT[:4], session_id="s1", at=AT)
    before = _views(memories)
    turn = turns(memories)[2]
    memories.update(turn.id, text="I prefer the coast after all.")
    assert np.array_equal(vectors(memories, turn.id, "user"), vectors(memories, turn.id, "full"))
    memories.undo(memories.history(turn.id)[-1].id)
    assert _views(memories) == before


# Recalling ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("granularity", ["turn", "fact"])
def test_leaves_are_recalled_by_their_granularity(memories, granularity):
    memories.ingest(CHAT, session_id="s1", at=AT)
    found = memories.recall("which allergy does the user have to almonds?", granularity=granularity)
    assert {hit.memory.granularity for hit in found.hits} == {granularity}
    assert "almonds" in found.hits[0].memory.text


def test_rounds_and_sessions_are_found_through_their_turns(memories):
    memories.ingest(CHAT, session_id="trip", at=AT)
    other = [{"role": "user", "content": "How do I sort a list?"}, {"role": "assistant", "content": "With sorted()."}]
    memories.ingest(other, session_id="code", at=AT)
    session = memories.recall("allergic to almonds", granularity="session").hits[0]
    assert session.memory.session_id == "trip" and session.memory.granularity == "session"
    assert any("almonds" in part.memory.text for part in session.parts)
    ranked = memories.recall("allergic to almonds", granularity="round").hits[0]
    assert ranked.memory.granularity == "round" and ranked.memory.metadata["round"] == 12


@pytest.mark.parametrize("granularity", ["round", "session"])
def test_whole_records_are_recalled_as_such(memories, granularity):
    memories.ingest(CHAT, session_id="trip", at=AT, granularity=granularity)
    first = memories.recall("allergic to almonds", granularity=granularity, recipe="default-fast").hits[0]
    assert "I am allergic to almonds." in first.memory.text


# Rounds -------------------------------------------------------------------------------------------


def rounds(memories, messages):
    memories.ingest(messages, session_id="r", at=AT)
    return [turn.metadata["round"] for turn in turns(memories, session_id="r")]


def test_a_question_and_its_answers_share_a_round(memories):
    said = [{"role": role, "content": f"words number {n}"} for n, role in enumerate("uuauaa")]
    named = {"u": "user", "a": "assistant"}
    assert rounds(memories, [{**m, "role": named[m["role"]]} for m in said]) == [0, 0, 0, 1, 1, 1]


def test_a_dialogue_of_named_people_goes_two_turns_to_a_round(memories):
    said = [{"speaker": name, "text": f"words number {n}"} for n, name in enumerate(["Ada", "Ben"] * 3)]
    assert rounds(memories, said) == [0, 0, 1, 1, 2, 2]
    assert turns(memories)[0].text == "Ada: words number 0"


def test_in_a_dialogue_each_speaker_has_facts_of_their_own(memories):
    memories.ingest(
        [
            {"role": "Ada", "content": "I live in Porto."},
            {"role": "Ben", "content": "I live in Lyon."},
        ],
        session_id="d",
        at=AT,
    )
    assert texts(facts(memories)) == ["Ada: I live in Porto.", "Ben: I live in Lyon."]
    assert {fact.status for fact in facts(memories)} == {"active"}


def test_turns_are_linked_in_order_and_facts_to_their_turn_and_undo_takes_it_back(memories):
    memories.ingest(CHAT[:6], session_id="s1", at=AT)
    first, second, third = turns(memories)[:3]
    assert {(link.kind, other.id) for link, other in memories.neighbours(second.id)} == {
        ("temporal", first.id),
        ("temporal", third.id),
    }
    (fact, *_) = facts(memories)
    assert [(link.kind, other.turn) for link, other in memories.neighbours(fact.id)] == [("extends", fact.turn)]
    event = [event for event in memories.history(second.id) if event.detail.get("why") == "one turn after another"][0]
    memories.undo(event.id)
    assert memories.neighbours(second.id) == []
