"""The code of the guides runs as it is written, against the real packages."""

import json
import os
import subprocess
import sys
import threading
import warnings
from importlib.util import find_spec

import pytest
from chat_server import ChatServer, completion
from guide_pages import Page

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
INSTALLS = ("pip install",)
"""They would change the environment of the tests."""


@pytest.fixture
def model(monkeypatch):
    """A loopback model."""
    server = ChatServer()
    monkeypatch.setenv("MODEL_URL", server.base)
    monkeypatch.setenv("MODEL_NAME", "any")
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "hashing")
    yield server
    server.close()


@pytest.fixture(autouse=True)
def _warnings_as_users_see_them():
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        yield


@pytest.mark.parametrize(("page", "package", "printed"), GUIDES, ids=[page for page, *_ in GUIDES])
def test_the_code_of_a_guide_runs(page, package, printed, tmp_path, model):
    if package and find_spec(package) is None:
        pytest.skip(f"needs {package}: make test-adapters")
    delta = {"index": 0, "delta": {"content": "Green tea."}}
    streamed = f"data: {json.dumps({'choices': [delta]})}\n\ndata: [DONE]\n\n".encode()
    model.queued = [completion("Noted."), completion("Green tea."), (200, {}, streamed)]
    guide = Page(page, tmp_path, elsewhere=INSTALLS, given={"__name__": "__main__"})
    assert printed in guide.run()


@pytest.fixture
def stand_in(tmp_path):
    """The tutorial's stand-in for a model, on a free port."""
    [code] = [text for _, text in Page("tutorial.md", tmp_path).blocks() if "StandIn" in text]
    start = 'HTTPServer(("127.0.0.1", 11434), StandIn).serve_forever()'
    assert start in code
    made = {}
    exec(code.replace(start, 'server = HTTPServer(("127.0.0.1", 0), StandIn)'), made)
    made["StandIn"].log_message = lambda *_: None
    thread = threading.Thread(target=made["server"].serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{made['server'].server_port}/v1"
    made["server"].shutdown()
    made["server"].server_close()
    thread.join()


@pytest.mark.skipif(find_spec("openai") is None, reason="needs openai: make test-adapters")
def test_the_assistant_of_the_tutorial_remembers_from_one_run_to_the_next(tmp_path, stand_in):
    [code] = [text for _, text in Page("tutorial.md", tmp_path).blocks() if "OpenAI(" in text]
    given = {"MODEL_URL": stand_in, "MODEL_NAME": "any", "RECOLLECT_EMBEDDER": "hashing"}

    def said(text):
        command = [sys.executable, "-c", code]
        return subprocess.run(
            command,
            input=f"{text}\n\n",
            cwd=tmp_path,
            env=os.environ | given,
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    assert said("My desk is on the third floor.") == "you: assistant: Noted.\nyou: "
    assert said("Where is my desk?") == "you: assistant: My desk is on the third floor.\nyou: "
