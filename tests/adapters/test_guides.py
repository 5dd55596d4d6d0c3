"""The code of the guides runs as it is written."""

import json
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from chat_server import ChatServer, completion
from inspect_store import python

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
GUIDES = [
    ("chat.md", "openai", "Noted.\nGreen tea.\nGreen tea."),
    ("crewai.md", "crewai", "I drink green tea in the morning"),
    ("langgraph.md", "langgraph", "I drink green tea in the morning"),
    ("langchain.md", "langchain_core", "I drink green tea in the morning"),
    ("openai-agents.md", "agents", "I drink green tea in the morning"),
    ("llama-index.md", "llama_index", "I drink green tea in the morning"),
    ("pydantic-ai.md", "pydantic_ai", "I drink green tea in the morning"),
    ("coming-from-mem0.md", None, "- I'm vegetarian and allergic to nuts."),
]


@pytest.fixture
def model(monkeypatch):
    """A loopback model that answers once, and then as a stream."""
    server = ChatServer()
    delta = {"index": 0, "delta": {"content": "Green tea."}}
    streamed = f"data: {json.dumps({'choices': [delta]})}\n\ndata: [DONE]\n\n".encode()
    server.queued = [completion("Noted."), completion("Green tea."), (200, {}, streamed)]
    monkeypatch.setenv("MODEL_URL", server.base)
    yield server
    server.close()


@pytest.mark.parametrize(("page", "package", "printed"), GUIDES, ids=[page for page, *_ in GUIDES])
def test_the_code_of_a_guide_runs(page, package, printed, tmp_path, monkeypatch, model):
    if package and find_spec(package) is None:
        pytest.skip(f"needs {package}: make test-adapters")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "hashing")
    code = "\n".join(BLOCK.findall((DOCS / page).read_text(encoding="utf-8")))
    assert printed in python(code)
