"""mem0's interface: its calls work with one import changed."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from recollect import Recollect
from recollect.adapters.mem0 import AsyncMemory, Memory
from recollect.errors import InvalidInput

pytest_plugins = ["server_fixtures"]

TALK = [
    {"role": "user", "content": "I live in Porto. Where can I get good tea?"},
    {"role": "assistant", "content": "There is a shop near the river."},
    {"role": "user", "content": "Thanks! My sister Ines is allergic to nuts."},
]


@pytest.fixture
def mem(memory):
    return Memory(memory)


def _texts(found):
    return [each["memory"] for each in found["results"]]


def _add(mem, text, **arguments):
    """The id of one text that is stored as it is."""
    return mem.add(text, **{"user_id": "ada", **arguments}, infer=False)["results"][0]["id"]


# Adding ---------------------------------------------------------------------------------------------


def test_messages_are_stored_as_they_are_without_infer(mem):
    messages = [*TALK[:2], {"role": "system", "content": "be brief"}, {"role": "user", "content": "Hi", "name": "ines"}]
    added = mem.add(messages, user_id="ada", infer=False)["results"]
    assert [(each["memory"], each["role"], each["actor_id"], each["event"]) for each in added] == [
        (TALK[0]["content"], "user", None, "ADD"),
        (TALK[1]["content"], "assistant", None, "ADD"),
        ("Hi", "user", "ines", "ADD"),
    ]
    assert len(mem.get_all(filters={"user_id": "ada"})["results"]) == 3


@pytest.mark.parametrize("infer", [True, False])
def test_of_a_message_with_a_picture_only_the_text_is_stored(mem, infer):
    picture = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    messages = [
        {"role": "user", "content": picture},
        {"role": "user", "content": [{"type": "text", "text": "I live in Porto."}, picture]},
    ]
    assert [each["memory"] for each in mem.add(messages, user_id="ada", infer=infer)["results"]] == ["I live in Porto."]


def test_infer_stores_what_the_user_states_and_not_the_questions(mem):
    added = mem.add(TALK, user_id="ada")["results"]
    assert [each["memory"] for each in added] == ["I live in Porto.", "My sister Ines is allergic to nuts."]
    assert mem.add("What time is it?", user_id="ada") == {"results": []}


def test_a_statement_that_changed_supersedes_the_old_one_also_in_another_run(mem):
    old = mem.add("I live in Porto.", user_id="ada", run_id="monday")["results"][0]["id"]
    new = mem.add("I moved to Lyon.", user_id="ada", run_id="friday")["results"][0]
    assert new["event"] == "ADD" and new["superseded"] == [old]
    assert _texts(mem.get_all(user_id="ada")) == ["I moved to Lyon."]
    assert mem.get(old)["memory"] == "I live in Porto."


def test_the_statement_of_another_user_supersedes_nothing(mem):
    mem.add("I live in Porto.", user_id="ada")
    assert "superseded" not in mem.add("I moved to Lyon.", user_id="bob")["results"][0]


def test_a_statement_that_is_known_adds_nothing_and_says_so(mem):
    first = mem.add("I live in Porto.", user_id="ada")["results"][0]
    again = mem.add("I live in Porto.", user_id="ada")["results"][0]
    assert (again["id"], again["event"]) == (first["id"], "NONE")
    assert len(mem.get_all(user_id="ada")["results"]) == 1


def test_metadata_comes_back_and_can_not_change_the_scope(mem):
    mem.add("I live in Porto.", user_id="ada", metadata={"source": "chat", "user_id": "bob", "n": [1]})
    (found,) = mem.get_all(user_id="ada")["results"]
    assert found["metadata"] == {"source": "chat", "n": [1]} and found["user_id"] == "ada"
    assert mem.get_all(user_id="bob") == {"results": []}


def test_a_timestamp_says_when_it_was_told(mem):
    mem.add("I live in Porto.", user_id="ada", timestamp="2025-03-01")
    mem.add("I like tea.", user_id="ada", timestamp=1_740_787_200)
    assert {each["created_at"] for each in mem.get_all(user_id="ada")["results"]} == {"2025-03-01T00:00:00+00:00"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "At least one of"),
        ({"user_id": " "}, "Invalid user_id"),
        ({"user_id": "a b"}, "Invalid user_id"),
        ({"user_id": "ada", "expiration_date": "soon"}, "expiration_date"),
        ({"user_id": "ada", "memory_type": "procedural_memory"}, "needs a model"),
        ({"user_id": "ada", "metadata": {"n": object()}}, "JSON"),
    ],
    ids=str,
)
def test_what_can_not_be_added_is_refused_as_a_value_error(mind, arguments, said):
    mem = Memory(mind)
    with pytest.raises(ValueError, match=said):
        mem.add("I live in Porto.", **arguments)
    with pytest.raises(InvalidInput, match="messages must be"):
        mem.add(3, user_id="ada")


# Reading --------------------------------------------------------------------------------------------


def test_a_search_stays_in_its_scope_in_either_form(mem):
    _add(mem, "Ada drinks green tea", agent_id="cook")
    _add(mem, "Bob drinks green tea", user_id="bob", agent_id="cook")
    _add(mem, "The cook knows green tea", user_id=None, agent_id="cook")
    found = mem.search("green tea", filters={"user_id": "ada"})["results"]
    assert [each["memory"] for each in found] == ["Ada drinks green tea"] and found[0]["score"] > 0
    assert _texts(mem.search("green tea", user_id="ada")) == ["Ada drinks green tea"]
    assert len(mem.search("green tea", filters={"agent_id": "cook"})["results"]) == 3
    assert _texts(mem.search("green tea", filters={"AND": [{"user_id": "bob"}]})) == ["Bob drinks green tea"]
    assert mem.search("green tea", filters={"user_id": "eve"}) == {"results": []}


def test_a_search_returns_the_best_with_a_threshold_and_an_explanation(mem):
    for text in ("Ada drinks green tea", "Ada rides a bicycle", "Ada reads about tea"):
        _add(mem, text)
    assert len(mem.search("green tea", user_id="ada", top_k=1)["results"]) == 1
    assert mem.search("green tea", user_id="ada", top_k=0) == mem.search("tea", user_id="ada", threshold=1.0)
    for threshold in (-0.1, 1.1, "high"):
        with pytest.raises(ValueError, match="threshold"):
            mem.search("green tea", user_id="ada", threshold=threshold)
    (best, *_) = mem.search("green tea", user_id="ada", explain=True)["results"]
    assert best["memory"] == "Ada drinks green tea"
    assert best["score_details"]["final_score"] == best["score"] == best["score_details"]["explanation"]["value"]


SAMPLES = [{"n": 1, "team": "Core"}, {"n": 2, "team": "core-web", "tags": ["x"]}, {"n": 3}]


SELECTED = [
    ({"n": 2}, {2}),
    ({"n": {"eq": 2}}, {2}),
    ({"n": {"ne": 2}}, {1, 3}),
    ({"n": {"in": [1, 3]}}, {1, 3}),
    ({"n": [1, 3]}, {1, 3}),
    ({"n": {"nin": [1, 3]}}, {2}),
    ({"n": {"gt": 1, "lte": 3}}, {2, 3}),
    ({"n": {"gte": 2}}, {2, 3}),
    ({"n": {"lt": 2}}, {1}),
    ({"team": {"contains": "core"}}, {2}),
    ({"team": {"icontains": "core"}}, {1, 2}),
    ({"tags": {"contains": "x"}}, {2}),
    ({"team": "*"}, {1, 2}),
    ({"AND": [{"n": {"gt": 1}}, {"team": "*"}]}, {2}),
    ({"OR": [{"n": 1}, {"n": 3}]}, {1, 3}),
    ({"NOT": [{"n": 1}, {"n": 3}]}, {2}),
    ({"OR": [{"AND": [{"n": 1}, {"team": "Core"}]}, {"n": 3}]}, {1, 3}),
    ({"created_at": {"gt": "2020"}, "n": 1}, {1}),
]


def test_filters_select_before_the_limit(mem):
    for number, metadata in enumerate(SAMPLES, 1):
        _add(mem, f"tea number {number}", metadata=metadata)
    for filters, numbers in SELECTED:
        asked = {"filters": {"user_id": "ada", **filters}, "top_k": 3}
        for found in (mem.get_all(**asked), mem.search("tea number", **asked)):
            assert {each["metadata"]["n"] for each in found["results"]} == numbers, filters


@pytest.mark.parametrize(
    "filters", [None, {}, {"n": 1}, {"OR": [{"user_id": "ada"}, {"n": 1}]}, {"user_id": "a", "AND": []}], ids=str
)
def test_filters_need_a_scope(mind, filters):
    mem = Memory(mind)
    for read in (mem.get_all, lambda **given: mem.search("tea", **given)):
        with pytest.raises(InvalidInput):
            read(filters=filters)


def test_a_scope_that_is_given_twice_is_refused(mind):
    with pytest.raises(InvalidInput, match="twice"):
        Memory(mind).search("tea", filters={"user_id": "ada"}, user_id="bob")


def test_a_memory_that_is_not_there_is_none_and_has_no_history(mem):
    outside = mem.mind.remember("something of another program").id
    for unknown in ("00000000-0000-0000-0000-000000000000", "no-such-id", outside):
        assert mem.get(unknown) is None and mem.history(unknown) == []
        for change in (mem.delete, lambda id: mem.update(id, text="x")):
            with pytest.raises(ValueError, match="not found"):
                change(unknown)


def test_any_id_of_a_user_is_a_scope_of_its_own(mem):
    ids = ["..", ".", "a/b", "a", "ada@example.org", "100%", "über", 7]
    for id in ids:
        _add(mem, f"tea of {id}", user_id=id)
    assert all(_texts(mem.get_all(user_id=id)) == [f"tea of {id}"] for id in ids)


# Changing -------------------------------------------------------------------------------------------


def test_an_update_changes_the_text_and_adds_to_the_metadata(mem):
    id = _add(mem, "I like tea", metadata={"a": 1, "b": 1})
    before = mem.get(id)
    assert mem.update(id, text="I like coffee", metadata={"b": 2, "user_id": "eve"})["message"]
    after = mem.get(id)
    assert (after["memory"], after["metadata"], after["user_id"]) == ("I like coffee", {"a": 1, "b": 2}, "ada")
    assert after["created_at"] == before["created_at"] and after["updated_at"] > before["updated_at"]
    assert after["hash"] != before["hash"]
    mem.update(id, data="I like water")
    assert mem.get(id)["memory"] == "I like water"
    with pytest.raises(InvalidInput, match="at least one"):
        mem.update(id)


def test_the_history_has_the_text_before_and_after_each_change(mem):
    id = _add(mem, "I like tea")
    mem.update(id, text="I like coffee")
    mem.update(id, metadata={"n": 1})
    mem.delete(id)
    rows = [(row["event"], row["old_memory"], row["new_memory"], row["is_deleted"]) for row in mem.history(id)]
    assert rows == [
        ("ADD", None, "I like tea", False),
        ("UPDATE", "I like tea", "I like coffee", False),
        ("UPDATE", "I like coffee", "I like coffee", False),
        ("DELETE", "I like coffee", None, True),
    ]
    assert mem.get(id) is None
    mem.mind.restore(id)
    assert mem.get(id)["memory"] == "I like coffee" and mem.history(id)[-1]["event"] == "ADD"


def test_delete_all_takes_one_scope_and_reset_only_what_came_through_here(mem):
    kept = mem.mind.remember("something of another program")
    for run in ("one", "two"):
        _add(mem, f"tea in run {run}", run_id=run)
    _add(mem, "tea of bob", user_id="bob")
    mem.delete_all(user_id="ada", run_id="one")
    assert _texts(mem.get_all(user_id="ada")) == ["tea in run two"]
    mem.delete_all(run_id="two")
    assert mem.get_all(user_id="ada") == {"results": []} and len(mem.get_all(user_id="bob")["results"]) == 1
    with pytest.raises(ValueError, match="At least one"):
        mem.delete_all()
    assert mem.reset() is None
    every = ["active", "forgotten"]
    assert [memory.id for memory in mem.mind.list(statuses=every)] == [kept.id]


def test_an_expired_memory_is_only_listed_when_it_is_asked_for(mem):
    today = datetime.now(UTC).date()
    _add(mem, "tea of yesterday", expiration_date=str(today - timedelta(days=1)))
    id = _add(mem, "tea of today", expiration_date=today)
    assert _texts(mem.get_all(user_id="ada")) == _texts(mem.search("tea", user_id="ada")) == ["tea of today"]
    assert len(mem.get_all(user_id="ada", show_expired=True)["results"]) == 2
    assert mem.get(id)["expiration_date"] == str(today)
    mem.update(id, expiration_date=None)
    assert "expiration_date" not in mem.get(id) and mem.mind.get(id).expires_at is None
    assert len(mem.search("tea", user_id="ada", show_expired=True)["results"]) == 2
    mem.mind.tend()
    assert len(mem.search("tea", user_id="ada", show_expired=True)["results"]) == 2


# Opening --------------------------------------------------------------------------------------------


def test_a_configuration_opens_a_file_and_names_what_has_no_effect(path):
    config = {"recollect": {"path": path, "embedder": "hashing"}, "llm": {"provider": "openai"}, "version": "v1.1"}
    with pytest.warns(UserWarning, match="no effect: llm$"), Memory.from_config(config) as mem:
        _add(mem, "I like tea")
    with Memory(path) as mem:
        assert _texts(mem.get_all(user_id="ada")) == ["I like tea"]
    with pytest.raises(InvalidInput, match="not dict: see Memory.from_config"):
        Memory(config)
    for wrong in ({"llms": {}}, {"recollect": {"pth": "x"}}):
        with pytest.raises(InvalidInput, match="did you mean"):
            Memory.from_config(wrong)


def test_the_awaited_methods_do_the_same(path):
    async def used():
        async with AsyncMemory(Recollect(path, embedder="hashing")) as mem:
            await asyncio.gather(*(mem.add(f"tea {n}", user_id="ada", infer=False) for n in range(4)))
            found = (await mem.search("tea", filters={"user_id": "ada"}))["results"]
            await mem.update(found[0]["id"], text="coffee")
            await mem.delete(found[1]["id"])
            history, one = await mem.history(found[0]["id"]), await mem.get(found[1]["id"])
            left = await mem.get_all(filters={"user_id": "ada"})
            await mem.delete_all(user_id="ada")
            await mem.reset()
            return len(found), [row["event"] for row in history], one, len(left["results"])

    assert asyncio.run(used()) == (4, ["ADD", "UPDATE"], None, 3)
