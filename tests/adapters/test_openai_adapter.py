"""The official OpenAI client with a memory, against a loopback server."""

import asyncio
import json

import pytest
from chat_server import ChatServer, completion

openai = pytest.importorskip("openai", reason="needs openai: make test-adapters")
from openai import APIStatusError, AsyncOpenAI, OpenAI  # noqa: E402

from recollect.adapters.openai import with_memory  # noqa: E402
from recollect.types import FENCE_OPEN  # noqa: E402

CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}


@pytest.fixture
def server():
    started = ChatServer()
    yield started
    started.close()


@pytest.fixture
def plain(server):
    with OpenAI(base_url=server.base, api_key="none", max_retries=0) as client:
        yield client


@pytest.fixture
def client(plain, mind):
    with mind.conversation(user="ada") as chat:
        yield with_memory(plain, chat)


def chunk(finish=None, **delta):
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def stream(*chunks, end="data: [DONE]\n\n"):
    lines = "".join(f"data: {json.dumps(each)}\n\n" for each in chunks) + end
    return 200, {"Content-Type": "text/event-stream"}, lines.encode()


def ask(client, text, **options):
    return client.chat.completions.create(model="m", messages=[{"role": "user", "content": text}], **options)


def turns(mind):
    found = mind.list(granularity="turn")
    return sorted((memory.turn, memory.role, memory.text) for memory in found)


def test_an_answer_is_the_clients_own_and_what_was_said_is_remembered(client, server, mind):
    server.queued = [completion("A good name.")]
    reply = ask(client, "My boat is called Marlin.")
    assert type(reply).__name__ == "ChatCompletion" and reply.choices[0].message.content == "A good name."
    assert turns(mind) == [(0, "user", "My boat is called Marlin."), (1, "assistant", "A good name.")]


def test_what_is_recalled_is_fenced_before_the_question(client, server, mind):
    mind.remember("My boat is called Marlin.", namespace="default/users/ada")
    server.queued = [completion("Marlin.")]
    ask(client, "What is my boat called?", temperature=0.5)
    [sent] = server.requests
    [question] = sent["messages"]
    assert sent["temperature"] == 0.5 and question["content"].startswith(FENCE_OPEN)
    assert question["content"].endswith("\n\nWhat is my boat called?")
    assert not any("<memories" in memory.text for memory in mind.list())


def test_a_stream_comes_chunk_by_chunk_and_is_remembered_at_its_end(client, server, mind):
    said = [chunk(role="assistant", content="A good"), chunk(content=" name."), chunk(finish="stop")]
    server.queued = [stream(*said)]
    seen = []
    for each in ask(client, "My boat is called Marlin.", stream=True):
        assert not turns(mind)
        seen.append(each.model_dump(exclude_unset=True))
    assert seen == said and turns(mind)[1] == (1, "assistant", "A good name.")


def test_a_stream_that_is_left_early_is_remembered_as_far_as_it_came(client, server, mind):
    server.queued = [stream(chunk(content="A good"), chunk(content=" name."))]
    with ask(client, "My boat is called Marlin.", stream=True) as answer:
        next(answer)
    assert [text for _, _, text in turns(mind)] == ["My boat is called Marlin.", "A good"]


def test_a_stream_that_fails_raises_and_is_not_remembered(client, server, mind):
    server.queued = [stream(chunk(content="A good"), {"error": {"message": "overloaded"}})]
    with pytest.raises(openai.APIError, match="overloaded"):
        list(ask(client, "My boat is called Marlin.", stream=True))
    assert not turns(mind)


def test_tools_pass_through_and_the_question_is_remembered_once(client, server, mind):
    server.queued = [completion(None, tool_calls=1, message={"role": "assistant", "tool_calls": [CALL]})]
    server.queued.append(completion("It rains in Porto."))
    tools = [{"type": "function", "function": {"name": "weather", "parameters": {}}}]
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "How is the weather in Porto?"}]
    reply = client.chat.completions.create(model="m", messages=messages, tools=tools)
    call = reply.choices[0].message
    assert call.tool_calls[0].function.name == "weather" and server.requests[0]["tools"] == tools
    messages += [call, {"role": "tool", "tool_call_id": "c1", "content": "umbrella weather"}]
    client.chat.completions.create(model="m", messages=messages, tools=tools)
    assert server.requests[1]["messages"][-1] == messages[-1] and server.requests[1]["messages"][0] == messages[0]
    assert [text for _, _, text in turns(mind)] == ["How is the weather in Porto?", "It rains in Porto."]


def test_an_error_of_the_server_is_the_clients_own_and_nothing_is_remembered(client, server, mind):
    server.queued = [(429, {"Content-Type": "application/json"}, b'{"error": {"message": "slow down"}}')]
    with pytest.raises(APIStatusError, match="slow down") as refused:
        ask(client, "My boat is called Marlin.")
    assert type(refused.value).__name__ == "RateLimitError" and not turns(mind)


def test_a_history_that_a_program_keeps_is_remembered_once(client, server, mind):
    history = []
    for text, answer in [("I live in Oslo.", "Nice."), ("My cat is called Miso.", "Lovely."), ("Bye!", "Bye.")]:
        history.append({"role": "user", "content": text})
        server.queued = [completion(answer)]
        reply = client.chat.completions.create(model="m", messages=history)
        history.append(reply.choices[0].message)
    assert [text for _, _, text in turns(mind)] == [
        *("I live in Oslo.", "Nice.", "My cat is called Miso.", "Lovely.", "Bye!", "Bye."),
    ]


def test_everything_else_is_the_clients_own(client, plain):
    assert client.api_key == plain.api_key and client.models is plain.models
    assert client.chat.completions.with_raw_response


def test_a_copy_with_other_options_remembers_too(client, server, mind):
    server.queued = [completion("A good name."), completion("Nice.")]
    ask(client.with_options(timeout=60), "My boat is called Marlin.")
    ask(client.copy(max_retries=0), "I live in Oslo.")
    assert len(turns(mind)) == 4


def test_a_client_closes_at_the_end_of_its_block(server, mind):
    with with_memory(OpenAI(base_url=server.base, api_key="none"), mind.conversation()) as client:
        server.queued = [completion("A good name.")]
        assert ask(client, "My boat is called Marlin.").choices
    assert client.is_closed()

    async def run():
        async with with_memory(AsyncOpenAI(base_url=server.base, api_key="none"), mind.conversation()) as client:
            assert not client.is_closed()
        return client.is_closed()

    assert asyncio.run(run())


def test_an_answer_without_a_message_is_passed_on(client, server, mind):
    """Some servers send this when they have filtered an answer."""
    answer = {**json.loads(completion("")[2]), "choices": [{"index": 0, "finish_reason": "stop", "message": None}]}
    server.queued = [(200, {"Content-Type": "application/json"}, json.dumps(answer).encode())]
    assert ask(client, "My boat is called Marlin.").choices[0].message is None
    assert turns(mind) == [(0, "user", "My boat is called Marlin.")]


def test_the_asynchronous_client_does_the_same(server, mind):
    said = [chunk(content="A good"), chunk(content=" name.")]
    server.queued = [completion("Noted."), stream(*said)]

    async def run():
        async with AsyncOpenAI(base_url=server.base, api_key="none", max_retries=0) as plain:
            client = with_memory(plain, mind.conversation(user="ada"))
            reply = await ask(client, "I live in Oslo.")
            answer = await ask(client, "My boat is called Marlin.", stream=True)
            return reply.choices[0].message.content, [each.choices[0].delta.content async for each in answer]

    assert asyncio.run(run()) == ("Noted.", ["A good", " name."])
    assert [text for *_, text in turns(mind)] == [
        "I live in Oslo.",
        "Noted.",
        "My boat is called Marlin.",
        "A good name.",
    ]
