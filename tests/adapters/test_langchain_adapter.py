"""LangChain's retriever and chat history."""

import asyncio

import pytest

pytest.importorskip("langchain_core", reason="needs langchain-core: make test-adapters")
from langchain_core.chat_history import InMemoryChatMessageHistory  # noqa: E402
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage  # noqa: E402
from langchain_core.runnables import RunnableLambda  # noqa: E402
from langchain_core.runnables.history import RunnableWithMessageHistory  # noqa: E402

from recollect.adapters.langchain import RecollectChatMessageHistory, RecollectRetriever  # noqa: E402

pytest_plugins = ["server_fixtures"]
# LangChain 1 prefers LangGraph to its own chat histories; programs that have them go on using them
pytestmark = pytest.mark.filterwarnings("ignore:.*deprecated")

CALL = {"name": "weather", "args": {"city": "Porto"}, "id": "call-1", "type": "tool_call"}
MESSAGES = [
    SystemMessage("be brief"),
    HumanMessage([{"type": "text", "text": "Is it raining in Porto?"}, {"type": "image_url", "image_url": "x"}]),
    AIMessage("", tool_calls=[CALL], usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}),
    ToolMessage("umbrella weather", tool_call_id="call-1", name="weather"),
    AIMessage("Yes, it is."),
]


def test_the_messages_of_a_session_come_back_as_in_langchains_own_history(memory):
    ours, theirs = RecollectChatMessageHistory(memory, "monday"), InMemoryChatMessageHistory()
    for history in (ours, theirs):
        history.add_messages(MESSAGES[:3])
        history.add_messages(MESSAGES[3:])
        history.add_user_message("Thanks!")
    assert ours.messages == theirs.messages
    assert RecollectChatMessageHistory(memory, "tuesday").messages == []
    ours.clear()
    assert ours.messages == [] and memory.list() == []


def test_what_was_said_is_found_and_what_a_tool_returned_is_not(memory):
    RecollectChatMessageHistory(memory, "monday").add_messages(MESSAGES)
    (hit, *_) = memory.recall("raining in Porto").hits
    assert (hit.memory.text, hit.memory.role, hit.memory.session_id) == ("Is it raining in Porto?", "user", "monday")
    assert not any("umbrella" in stored.text for stored in memory.list())


def test_a_chain_remembers_its_session(mind):
    counted = RunnableLambda(lambda messages: AIMessage(f"{len(messages)} messages so far"))
    chain = RunnableWithMessageHistory(counted, lambda session: RecollectChatMessageHistory(mind, session))
    config = {"configurable": {"session_id": "monday"}}
    assert chain.invoke([HumanMessage("Hello")], config).content == "1 messages so far"
    assert chain.invoke([HumanMessage("Again")], config).content == "3 messages so far"


def test_a_retriever_returns_what_recall_finds_as_documents(memory):
    tea = memory.remember("Ada drinks green tea", tags=["food"], metadata={"page": 3})
    memory.remember("Ada drinks green water", tags=["work"])
    retriever = RecollectRetriever(mind=memory, k=2, filters={"tags": ["food"]})
    (document,) = retriever.invoke("green tea")
    assert (document.id, document.page_content, document.metadata["page"]) == (tea.id, tea.text, 3)
    assert document.metadata["score"] == memory.recall("green tea", tags=["food"]).hits[0].score
    assert asyncio.run(retriever.ainvoke("green tea"))[0].id == tea.id
    assert retriever.invoke("which invoice has the number QX-99817?") == []


def test_a_retriever_takes_the_number_of_documents_with_the_question(memory):
    memory.remember_many([{"text": f"Ada drinks {tea} tea"} for tea in ("green", "black", "white")])
    retriever = RecollectRetriever(mind=memory, k=2)
    assert [len(retriever.invoke("tea", **options)) for options in ({}, {"k": 1}, {"k": 3})] == [2, 1, 3]
