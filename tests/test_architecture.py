"""The walks in ARCHITECTURE.md are the ways that calls really go."""

import re
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
from rest_server import running_server

import recollect
from recollect import Recollect

PACKAGE = Path(recollect.__file__).parent
PAGE = Path(__file__).parent.parent / "ARCHITECTURE.md"
MCP_CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
MCP_CALL["params"] = {"name": "recall", "arguments": {"query": "where do I live?"}}


def documented(title):
    """The modules of one walk, in the order of the page."""
    text = PAGE.read_text(encoding="utf-8")
    walk = re.search(rf"\*\*{title}\*\* \(.*?\): (.*?)\n\n", text, re.DOTALL)[1]
    return re.findall(r"`([a-z0-9_/]+)`", walk)


@contextmanager
def passed():
    """The modules of ours that are called inside the block, in the order of their first call."""
    found = []

    def note(frame, event, _):
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(str(PACKAGE)) and frame.f_code.co_name != "<module>":
            module = Path(path).relative_to(PACKAGE).with_suffix("").as_posix()
            if module not in found:
                found.append(module)

    before = sys.getprofile()
    threading.setprofile_all_threads(note) if hasattr(threading, "setprofile_all_threads") else threading.setprofile(
        note
    )
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(before)
        threading.setprofile(None)


def assert_walk(title, found):
    listed = documented(title)
    assert len(listed) == len(set(listed)), "each module once"
    assert [module for module in found if module in listed] == listed
    ours = ("write/", "read/", "serve/")
    assert [module for module in found if module.startswith(ours) and module not in listed] == []


@pytest.fixture
def lived():
    """A memory in which everything is loaded already: a walk has no detours."""
    with Recollect(":memory:", embedder="hashing") as mind:
        mind.remember("Ada lives in Nantes")
        mind.ingest([{"role": "user", "content": "I live in Nantes. It rains."}], session_id="before")
        mind.recall("where do I live?")
        yield mind


def test_a_text_is_remembered_as_the_page_says(lived):
    with passed() as found:
        lived.remember("Ada lives in Porto")
    assert_walk("A text is remembered", found)


def test_a_conversation_is_ingested_as_the_page_says(lived):
    messages = [{"role": "user", "content": "I moved to Lyon last week."}, {"role": "assistant", "content": "Nice."}]
    with passed() as found:
        lived.ingest(messages, session_id="after")
    assert_walk("A conversation is ingested", found)


def test_a_question_is_recalled_as_the_page_says(lived):
    with passed() as found:
        lived.recall("where do I live?")
    assert_walk("A question is recalled", found)


@pytest.mark.parametrize(
    ("title", "path", "body"),
    [
        ("A REST request is answered", "/v1/recall", {"query": "where do I live?"}),
        ("An MCP call is answered", "/mcp", MCP_CALL),
    ],
)
def test_a_request_passes_the_modules_of_the_page(title, path, body, tmp_path):
    """Several threads answer a request, so the order of first calls is not the same each time."""
    with Recollect(tmp_path / "agent.db", embedder="hashing") as mind:
        mind.remember("I live in Nantes")
        with passed() as found, running_server(mind) as server:
            answered = server.ask("POST", path, body, Accept="application/json, text/event-stream")
            assert answered.status == 200
    listed = documented(title)
    assert len(listed) == len(set(listed)) and set(listed) <= set(found)


def test_the_modules_of_the_page_exist():
    named = {module for walk in re.findall(r"`([a-z0-9_/]+)` →", PAGE.read_text(encoding="utf-8")) for module in [walk]}
    assert named and all((PACKAGE / f"{module}.py").is_file() for module in named)
