"""A chat that recalls before each message and remembers after it."""

from types import SimpleNamespace

import pytest

from recollect import Recollect
from recollect.errors import InvalidInput, StoreError
from recollect.types import FENCE_OPEN


class Echo:
    """A client of OpenAI's protocol that answers with the last message it was sent."""

    def __init__(self):
        self.sent = []
        self.chat = SimpleNamespace(completions=self)

    def create(self, *, messages, model):
        self.sent.append(messages)
        message = SimpleNamespace(content=f"You said: {messages[-1]['content'].splitlines()[-1]}")
        return SimpleNamespace(choices=[SimpleNamespace(message=message)])


def test_what_was_said_in_one_chat_is_known_in_the_next(mind):
    model = Echo()
    with mind.conversation(user="ada") as chat:
        assert chat.ask(model, "My boat is called Marlin.", model="m") == "You said: My boat is called Marlin."
        chat.ask(model, "Thanks!", model="m")
    assert [message["role"] for message in model.sent[1]] == ["user", "assistant", "user"]
    with mind.conversation(user="ada") as chat:
        chat.ask(model, "What is my boat called?", model="m")
    [question] = model.sent[-1]
    assert question["content"].startswith(FENCE_OPEN) and "Marlin" in question["content"]
    assert question["content"].endswith("\n\nWhat is my boat called?")


def test_users_do_not_see_each_other(mind):
    with mind.conversation(user="ada") as chat:
        chat.answered("My boat is called Marlin.", "Noted.")
    with mind.conversation(user="bob") as chat:
        assert chat.messages("What is my boat called?") == [{"role": "user", "content": "What is my boat called?"}]
    assert {memory.namespace for memory in mind.list()} == {"default/users/ada"}


def test_facts_and_their_updates_are_recognised(mind):
    with mind.conversation(user="ada") as chat:
        chat.answered("I live in Oslo.", "Nice.")
        chat.answered("I live in Porto now.", "Nice.")
    facts = mind.list(granularity="fact", statuses=["superseded"])
    assert [fact.text for fact in facts] == ["I live in Oslo."]


def test_a_chat_is_one_session_that_can_go_on(mind):
    for text in ("I live in Oslo.", "My cat is called Miso."):
        with mind.conversation(session_id="monday") as chat:
            chat.answered(text, "Noted.")
    turns = [memory.text for memory in mind.list(session_id="monday", granularity="turn")]
    assert sorted(turns) == ["I live in Oslo.", "My cat is called Miso.", "Noted.", "Noted."]


def test_nothing_said_stores_nothing(mind):
    with mind.conversation() as chat:
        chat.remember([{"role": "tool", "content": "umbrella weather"}, {"role": "user", "content": " "}])
    assert not mind.list()


def test_a_memory_that_fails_does_not_stop_the_chat_and_says_so_at_the_end(path, caplog):
    mind = Recollect(path, embedder="hashing")
    chat = mind.conversation()
    mind.close()
    assert chat.ask(Echo(), "My boat is called Marlin.", model="m")
    assert "nothing was recalled" in caplog.text and "not remembered yet" in caplog.text
    with pytest.raises(StoreError):
        chat.close()


@pytest.mark.parametrize("broken", ["a\0b", "x" * 1_000_001, "\ud800"], ids=["binary", "too long", "half a pair"])
def test_a_message_that_can_never_be_stored_does_not_keep_the_others_out(mind, caplog, broken):
    with mind.conversation(session_id="s") as chat:
        chat.answered("My boat is called Marlin.", "Noted.")
        chat.answered(broken, "What?")
        chat.answered("I live in Oslo.", "Nice.")
        assert chat.messages("And now?")[2]["content"] == broken, "the model still gets it"
    assert caplog.text.count("can't be remembered") == 1
    turns = sorted(mind.list(session_id="s", granularity="turn"), key=lambda turn: turn.turn)
    assert [turn.text for turn in turns] == ["My boat is called Marlin.", "Noted.", "What?", "I live in Oslo.", "Nice."]


def test_a_picture_with_a_question_keeps_its_parts(mind):
    mind.remember("My boat is called Marlin.")
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,"}}
    asked = {"role": "user", "content": [picture, {"type": "text", "text": "What is my boat called?"}]}
    [sent] = mind.conversation().with_context([asked])
    assert sent["content"][0]["text"].startswith(FENCE_OPEN) and sent["content"][1:] == asked["content"]


@pytest.mark.parametrize("wrong", [{"limit": 0}, {"session_id": " "}])
def test_wrong_arguments_are_refused(mind, wrong):
    with pytest.raises(InvalidInput):
        mind.conversation(**wrong)
