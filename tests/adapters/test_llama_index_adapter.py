"""LlamaIndex's memory."""

import asyncio
import json

import pytest

pytest.importorskip("llama_index.core", reason="needs llama-index-core: make test-adapters")
from llama_index.core.agent.workflow import FunctionAgent  # noqa: E402
from llama_index.core.llms import ChatMessage, MockLLM  # noqa: E402
from llama_index.core.llms.mock import MockFunctionCallingLLM  # noqa: E402
from llama_index.core.memory import ChatMemoryBuffer  # noqa: E402
from llama_index.core.workflow import Context, JsonSerializer  # noqa: E402

from recollect import Recollect  # noqa: E402
from recollect.adapters.llama_index import RecollectMemory, _place  # noqa: E402
from recollect.types import FENCE_OPEN  # noqa: E402

pytest_plugins = ["server_fixtures"]

SAID = [
    ChatMessage("Is it raining in Porto?", role="user"),
    ChatMessage("", role="assistant", additional_kwargs={"tool_calls": [{"id": "c1"}]}),
    ChatMessage("umbrella weather", role="tool", additional_kwargs={"tool_call_id": "c1"}),
    ChatMessage("Yes, it is.", role="assistant"),
]


def _used(memory):
    """What a program sees of a memory, call by call."""
    seen = [memory.get_all()]
    memory.put(SAID[0])
    memory.put_messages(SAID[1:])
    seen += [memory.get_all(), memory.get()]
    memory.set(SAID[:1])
    seen.append(memory.get_all())
    memory.reset()
    return [*seen, memory.get_all()]


def test_a_memory_behaves_as_llama_indexs_own(memory):
    ours = RecollectMemory(mind=memory, session_id="monday")
    assert _used(ours) == _used(ChatMemoryBuffer.from_defaults(token_limit=3000))


def test_what_other_sessions_said_comes_first_and_is_fenced(memory):
    RecollectMemory(mind=memory, session_id="monday").put(ChatMessage("My boat is called Marlin", role="user"))
    today = RecollectMemory(mind=memory, session_id="today")
    today.put(ChatMessage("What is my boat called?", role="user"))
    system, question = today.get()
    assert system.role == "system" and system.content.startswith(FENCE_OPEN) and "Marlin" in system.content
    assert question.content == "What is my boat called?" and question.content not in system.content


def test_a_question_without_an_answer_adds_nothing(memory):
    assert RecollectMemory(mind=memory, session_id="today").get("What is my boat called?") == []


def test_a_long_history_is_cut_at_a_users_message(memory):
    talk = RecollectMemory(mind=memory, session_id="monday", token_limit=30)
    talk.put_messages([ChatMessage("word " * 40, role="user"), *SAID])
    assert talk.get() == SAID and len(talk.get_all()) == 5


def test_what_a_tool_returned_is_not_searched(memory):
    RecollectMemory(mind=memory, session_id="monday").put_messages(SAID)
    assert not any("umbrella" in stored.text for stored in memory.list())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # the packages' own
def test_a_saved_context_is_restored_with_its_memory(path):
    agent = FunctionAgent(llm=MockFunctionCallingLLM())

    async def run(context, said, **given):
        await agent.run(said, ctx=context, **given)
        return json.loads(json.dumps(context.to_dict(serializer=JsonSerializer())))

    with Recollect(path, embedder="hashing") as mind:
        first = RecollectMemory(mind=mind, session_id="monday")
        saved = asyncio.run(run(Context(agent), "I live in Porto", memory=first))
    restored = Context.from_dict(agent, saved, serializer=JsonSerializer())
    asyncio.run(run(restored, "My boat is called Marlin"))
    with Recollect(path, embedder="hashing") as mind:
        said = RecollectMemory(mind=mind, session_id="monday").get_all()
    assert [each.content for each in said if each.role == "user"] == ["I live in Porto", "My boat is called Marlin"]


def test_what_is_saved_of_a_memory_has_no_password_and_one_in_ram_is_not_restored(mind):
    assert _place("postgresql://ada:a:b%40c@db:5432/m?password=x&sslmode=require") == (
        "postgresql://ada@db:5432/m?sslmode=require"
    )
    assert _place("postgresql:///memory") == "postgresql:///memory"
    with pytest.raises(ValueError, match="keep it in a file"):
        RecollectMemory.from_dict({"mind": {"path": ":memory:", "namespace": "default"}, "session_id": "monday"})


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # the packages' own
def test_an_agent_keeps_its_conversation(mind):
    async def run():
        talk = RecollectMemory.from_defaults(mind=mind, session_id="monday")
        await FunctionAgent(llm=MockFunctionCallingLLM()).run("I live in Porto", memory=talk)
        return talk.get_all()

    said = asyncio.run(run())
    assert [message.role.value for message in said] == ["user", "assistant"] and said[0].content == "I live in Porto"
    assert MockLLM().chat(said).message.content
