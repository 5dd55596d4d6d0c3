"""A session of the OpenAI Agents SDK."""

import asyncio

import pytest

pytest.importorskip("agents", reason="needs openai-agents: make test-adapters")
from agents import Agent, Runner, SQLiteSession, set_tracing_disabled  # noqa: E402
from agents.items import ModelResponse  # noqa: E402
from agents.memory import Session, SessionSettings  # noqa: E402
from agents.models.interface import Model  # noqa: E402
from agents.usage import Usage  # noqa: E402
from openai.types.responses import ResponseOutputMessage, ResponseOutputText  # noqa: E402

from recollect.adapters.openai_agents import RecollectSession  # noqa: E402

pytest_plugins = ["server_fixtures"]

ITEMS = [
    {"role": "user", "content": "Is it raining in Porto?"},
    {"type": "function_call", "name": "weather", "call_id": "c1", "arguments": '{"city": "Porto"}'},
    {"type": "function_call_output", "call_id": "c1", "output": "umbrella weather"},
    {"role": "assistant", "content": [{"type": "output_text", "text": "Yes, it is."}]},
]


class Counting(Model):
    """Answers with the number of items it was given."""

    async def get_response(self, system_instructions, input, *_, **__):
        text = ResponseOutputText(text=f"{len(input)} items", type="output_text", annotations=[])
        message = ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *_, **__):
        raise NotImplementedError


async def _used(session):
    """What a program sees of a session, call by call."""
    seen = [await session.get_items(), await session.pop_item()]
    await session.add_items(ITEMS[:2])
    await session.add_items(ITEMS[2:])
    await session.add_items([])
    seen += [await session.get_items(), await session.get_items(limit=2), await session.get_items(limit=0)]
    seen += [await session.pop_item(), await session.get_items()]
    await session.add_items(ITEMS[:1])
    seen.append(await session.get_items())
    await session.clear_session()
    return [*seen, await session.get_items()]


def test_a_session_behaves_as_the_sdks_own(memory):
    assert asyncio.run(_used(RecollectSession(memory, "monday"))) == asyncio.run(_used(SQLiteSession("monday")))


def test_it_has_what_the_sdk_asks_of_a_session(mind):
    assert isinstance(RecollectSession(mind, "monday"), Session)


def test_sessions_are_apart_and_their_settings_limit_what_is_read(memory):
    async def used():
        await RecollectSession(memory, "monday").add_items(ITEMS)
        limited = RecollectSession(memory, "monday", session_settings=SessionSettings(limit=1))
        as_dict = RecollectSession(memory, "monday", session_settings={"limit": 2})
        found = [await each.get_items() for each in (RecollectSession(memory, "tuesday"), limited, as_dict)]
        return [*found, await limited.get_items(3)]

    assert asyncio.run(used()) == [[], ITEMS[-1:], ITEMS[-2:], ITEMS[-3:]]


def test_what_was_said_is_found_and_what_a_tool_returned_is_not(memory):
    asyncio.run(RecollectSession(memory, "monday").add_items(ITEMS))
    (hit, *_) = memory.recall("raining in Porto").hits
    assert (hit.memory.text, hit.memory.role, hit.memory.session_id) == ("Is it raining in Porto?", "user", "monday")
    assert not any("umbrella" in stored.text for stored in memory.list())


def test_an_agent_continues_its_session(mind):
    set_tracing_disabled(True)
    agent = Agent(name="counter", model=Counting())

    async def said(text):
        return (await Runner.run(agent, text, session=RecollectSession(mind, "monday"))).final_output

    assert [asyncio.run(said("Hello")), asyncio.run(said("Again"))] == ["1 items", "3 items"]
