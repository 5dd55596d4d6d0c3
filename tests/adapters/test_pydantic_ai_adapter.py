"""Tools and instructions for Pydantic AI."""

import pytest

pytest.importorskip("pydantic_ai", reason="needs pydantic-ai-slim: make test-adapters")
from pydantic_ai import Agent, ModelResponse, TextPart, ToolCallPart  # noqa: E402
from pydantic_ai.models.function import FunctionModel  # noqa: E402

from recollect.adapters.pydantic_ai import NOTHING, memory_tools, recalled  # noqa: E402
from recollect.types import FENCE_OPEN  # noqa: E402

pytest_plugins = ["server_fixtures"]


def _calling(tool, **arguments):
    """A model that calls a tool once, and then repeats what it returned."""

    def answer(messages, info):
        last = messages[-1].parts[-1]
        if last.part_kind == "user-prompt":
            return ModelResponse([ToolCallPart(tool, arguments)])
        return ModelResponse([TextPart(f"{last.outcome}: {last.content}")])

    return FunctionModel(answer)


def _said(mind, tool, **arguments):
    agent = Agent(_calling(tool, **arguments), toolsets=[memory_tools(mind)])
    return agent.run_sync("go").output


def test_a_model_remembers_and_recalls(memory):
    told = _said(memory, "remember", text="Ada's boat is called Marlin", kind="fact")
    [held] = memory.list()
    assert told == f"success: stored {held.id}"
    assert _said(memory, "remember", text="Ada's boat is called Marlin") == f"success: known already as {held.id}"
    found = _said(memory, "recall", query="What is Ada's boat called?")
    assert FENCE_OPEN in found and f"- {held.id} [" in found and "Marlin" in found


def test_a_model_hears_that_nothing_is_in_memory(memory):
    assert NOTHING in _said(memory, "recall", query="What is Ada's boat called?")


def test_a_model_replaces_and_forgets(memory):
    old = memory.remember("Ada lives in Oslo", tags=["home"])
    assert old.id in _said(memory, "supersede", old=old.id, text="Ada lives in Porto")
    [new] = memory.list(statuses=["active"])
    assert (new.text, new.tags, memory.get(old.id).status) == ("Ada lives in Porto", ("home",), "superseded")
    assert _said(memory, "forget", id=new.id) == f"success: forgot {new.id}"
    assert memory.get(new.id).status == "forgotten"


@pytest.mark.parametrize(("tool", "arguments"), [("forget", {"id": "nobody"}), ("remember", {"text": " "})])
def test_a_wrong_call_asks_the_model_to_try_again(memory, tool, arguments):
    assert _said(memory, tool, **arguments).startswith("retried: ")


def test_a_failed_replacement_stores_nothing(memory):
    _said(memory, "supersede", old="nobody", text="Ada lives in Porto")
    assert not memory.list()


def test_what_is_recalled_becomes_instructions(memory):
    memory.remember("Ada's boat is called Marlin")
    model = FunctionModel(lambda messages, info: ModelResponse([TextPart(info.instructions or "none")]))
    agent = Agent(model, instructions=recalled(memory))
    said = agent.run_sync("What is Ada's boat called?").output
    assert said.startswith(FENCE_OPEN) and "Marlin" in said
    assert agent.run_sync(["What is", "Ada's boat called?"]).output == said
    assert agent.run_sync("Which tax form is due in May?").output == "none"
