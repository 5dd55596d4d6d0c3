"""The messages of a session stay in order, whatever the clock says, and come back as they were, whatever they hold."""

import pytest

from recollect.adapters.conversation import KIND, Conversation, Message

pytest_plugins = ["server_fixtures"]


def _said(text):
    return Message("user", text, {"text": text})


def test_messages_stay_in_order_after_the_clock_was_set_back(memory):
    talk = Conversation(memory, "monday")
    here = {"namespace": f"{memory.namespace}/conversations", "session_id": "monday", "at": "2999-01-01"}
    turn = {"kind": KIND, "granularity": "turn", "dedup": False, "turn": 0, "role": "user"}
    memory.remember_many([{"text": "first", **here, **turn, "metadata": {"form": {"text": "first"}}}])
    for text in ("second", "third"):
        talk.add([_said(text)])
    assert [form["text"] for form in talk.forms()] == ["first", "second", "third"]
    assert [form["text"] for form in talk.forms(limit=2)] == ["second", "third"]
    assert [talk.pop()["text"], talk.pop()["text"]] == ["third", "second"]


@pytest.mark.parametrize(
    "said",
    ["a\0b", "\ud800 half", "word " * 300_000, "\0", "  padded  ", float("nan")],
    ids=lambda said: repr(said)[:12],
)
def test_a_message_comes_back_as_it_was_whatever_it_holds(memory, said):
    talk = Conversation(memory, "monday")
    talk.add([Message("tool", str(said), {"output": said, "parts": [{"text": str(said)}]})])
    [form] = talk.forms()
    assert repr(form) == repr({"output": said, "parts": [{"text": str(said)}]})
    assert repr(talk.pop()) == repr(form) and talk.forms() == []


def test_a_form_that_is_not_json_is_refused(memory):
    with pytest.raises(TypeError, match="not JSON serializable"):
        Conversation(memory, "monday").add([Message("user", "hello", {"output": object()})])
    assert memory.list() == []
