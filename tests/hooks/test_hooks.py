"""Hooks of assistants: what they add, what they store, and that they never get in the way."""

import json
import os
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from recollect import Recollect, config
from recollect.cli.app import app
from recollect.types import FENCE_OPEN

OTHERS = {"hooks": [{"type": "command", "command": "make lint"}], "matcher": "startup"}


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A user of their own, with nothing in their settings."""
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(config, "files", lambda: [])
    return tmp_path


@pytest.fixture
def hooks(home):
    """Runs `recollect hooks …`; its output."""

    def run(*arguments, status=0):
        done = CliRunner().invoke(app, ["hooks", *arguments], prog_name="recollect")
        assert done.exit_code == status, (done.stdout, done.stderr, done.exception)
        return done.stdout if status == 0 else done.stderr

    return run


@pytest.fixture
def settings(home):
    return home / ".claude" / "settings.json"


@pytest.fixture
def fire(home, path):
    """What a hook prints, run as Claude Code runs it."""

    def run(event, told=None, *, raw=None, options=("--db", str(path)), **environment):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(config.PREFIX)}
        done = subprocess.run(
            [sys.executable, "-m", "recollect", "hooks", "run", event, *options, "--limit-seconds", "60"],
            input=(json.dumps(told or {}) if raw is None else raw).encode(),
            capture_output=True,
            env={**kept, "RECOLLECT_EMBEDDER": "hashing", "PYTHONWARNINGS": "default", **environment},
        )
        assert done.returncode == 0 and done.stderr == b"", done
        return json.loads(done.stdout).get("hookSpecificOutput", {}) if done.stdout else None

    return run


def test_hooks_are_installed_shown_and_removed_again(hooks, settings, home):
    before = sorted(home.rglob("*"))
    hooks("install", "--db", "agent.db", "--namespace", "acme/ada", "--yes")
    held = json.loads(settings.read_text(encoding="utf-8"))["hooks"]
    assert held.keys() == {"SessionStart", "UserPromptSubmit", "SessionEnd"}
    [[hook]] = [group["hooks"] for group in held["UserPromptSubmit"]]
    assert hook["type"] == "command" and hook["timeout"] == 2
    assert hook["command"].endswith(f"hooks run prompt --db {os.path.abspath('agent.db')} --namespace acme/ada")
    assert "SessionEnd" in hooks("show") and "3 hooks of ours" in hooks("show")
    assert "needs no change" in hooks("install", "--db", "agent.db", "--namespace", "acme/ada", "--yes")
    hooks("uninstall", "--yes")
    assert [file for file in sorted(home.rglob("*")) if ".local" not in file.parts] == before
    assert "no hooks of ours" in hooks("show") and "nothing to undo" in hooks("uninstall", "--yes", status=1)


def test_the_help_of_what_hooks_run_is_no_problem(hooks, home):
    command = [sys.executable, "-m", "recollect", "hooks", "run", "--help"]
    assert b"usage: recollect hooks run" in subprocess.run(command, capture_output=True).stdout
    assert "last problem" not in hooks("show")


def test_hooks_and_settings_of_others_stay_as_they_are_written(hooks, settings):
    settings.parent.mkdir()
    text = '{\n    "model": "opus", // mine\n    "hooks": {"SessionStart": [OTHERS]}\n}\n'.replace(
        "OTHERS", json.dumps(OTHERS)
    )
    settings.write_text(text, encoding="utf-8")
    hooks("install", "--yes")
    hooks("install", "--db", "other.db", "--yes")
    assert '"model": "opus", // mine' in settings.read_text(encoding="utf-8")
    assert settings.read_text(encoding="utf-8").count("hooks run start") == 1
    hooks("uninstall", "--yes")
    assert settings.read_text(encoding="utf-8") == text


def test_a_file_that_was_changed_since_loses_only_our_hooks(hooks, settings):
    settings.parent.mkdir()
    settings.write_text(json.dumps({"hooks": {"SessionStart": [OTHERS]}}), encoding="utf-8")
    hooks("install", "--yes")
    changed = json.loads(settings.read_text(encoding="utf-8")) | {"theme": "dark"}
    settings.write_text(json.dumps(changed), encoding="utf-8")
    hooks("uninstall", "--yes")
    assert json.loads(settings.read_text(encoding="utf-8")) == {"hooks": {"SessionStart": [OTHERS]}, "theme": "dark"}


@pytest.mark.parametrize("text", ["{", "[]", '{"hooks": []}', '{"hooks": {"SessionStart": {}}}'])
def test_a_file_that_is_not_understood_is_not_touched(hooks, settings, text):
    settings.parent.mkdir()
    settings.write_text(text, encoding="utf-8")
    assert "mend" in hooks("install", "--yes", status=2)
    assert settings.read_text(encoding="utf-8") == text


def test_a_preview_and_a_print_write_nothing(hooks, settings, home, monkeypatch):
    assert "hooks run start" in hooks("install", "--preview")
    assert json.loads(hooks("install", "--print"))["hooks"].keys() == {"SessionStart", "UserPromptSubmit", "SessionEnd"}
    assert not settings.exists()
    monkeypatch.chdir(home)
    hooks("install", "--project", "--yes")
    assert (home / ".claude" / "settings.local.json").exists() and not settings.exists()


def test_a_session_is_stored_at_its_end_and_known_in_the_next(fire, path, tmp_path):
    rows = [
        {"type": "user", "sessionId": "s1", "message": {"role": "user", "content": "My boat is called Marlin."}},
        {"type": "assistant", "sessionId": "s1", "message": {"role": "assistant", "content": "A good name."}},
    ]
    transcript = tmp_path / "s1.jsonl"
    transcript.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert fire("start") is None and not path.exists()
    assert fire("end", {"transcript_path": str(transcript), "reason": "exit"}) is None
    _wait_for(lambda: path.exists() and _count(path) >= 2)
    asked = fire("prompt", {"prompt": "What is my boat called?", "hook_event_name": "UserPromptSubmit"})
    assert asked["hookEventName"] == "UserPromptSubmit"
    assert asked["additionalContext"].startswith(FENCE_OPEN) and "Marlin" in asked["additionalContext"]
    started = fire("start", {"cwd": "/work/boats", "source": "startup"})
    assert started["hookEventName"] == "SessionStart" and "Marlin" in started["additionalContext"]


def test_a_session_with_broken_records_is_stored_without_them(fire, hooks, path, tmp_path):
    said = [{"role": "user", "content": text} for text in ("My boat is called Marlin.", "a\0b", "I live in Oslo.")]
    rows = [json.dumps({"type": "user", "sessionId": "s1", "message": message}) for message in said]
    transcript = tmp_path / "s1.jsonl"
    transcript.write_text("\n".join([rows[0], '{"type": "us', *rows[1:]]), encoding="utf-8")
    fire("end", {"transcript_path": str(transcript)})
    _wait_for(lambda: path.exists() and _count(path) >= 2)
    assert "2 of the records left out" in hooks("show")
    with Recollect(path) as mind:
        assert {memory.text for memory in mind.list(granularity="turn")} == {said[0]["content"], said[2]["content"]}


CODEX = [
    {"timestamp": "2026-11-02T10:00:00Z", "type": "session_meta", "payload": {"id": "c1", "cwd": "/work/boats"}},
    {"type": "response_item", "payload": {"type": "message", "role": "user", "content": "<environment_context>"}},
    {"type": "event_msg", "payload": {"type": "user_message", "message": "My boat is called Marlin."}},
    {"type": "event_msg", "payload": {"type": "agent_reasoning", "text": "A name."}},
    {"type": "event_msg", "payload": {"type": "agent_message", "message": "A good name."}},
]
GEMINI = [
    {"sessionId": "g1", "projectHash": "ab12", "startTime": "2026-11-02T10:00:00Z", "kind": "main"},
    {
        "id": "1",
        "type": "user",
        "content": [{"text": "My boat is called Marlin."}, {"text": "<hook_context>x</hook_context>"}],
    },
    {"id": "2", "type": "info", "content": "Request cancelled."},
    {"id": "3", "type": "gemini", "content": "A good"},
    {"id": "3", "type": "gemini", "content": "A good name."},
    {"$set": {"summary": "boats"}},
]


@pytest.mark.parametrize(
    ("client", "event_of_a_prompt", "rows"), [("codex", "UserPromptSubmit", CODEX), ("gemini", "BeforeAgent", GEMINI)]
)
def test_codex_and_gemini_store_a_session_and_know_it_in_the_next(
    client, event_of_a_prompt, rows, fire, path, tmp_path
):
    transcript = tmp_path / "session.jsonl"
    transcript.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    options = ("--client", client, "--db", str(path))
    silent = {} if client == "codex" else None  # Codex wants JSON from a Stop hook
    assert fire("end", {"transcript_path": str(transcript), "cwd": "/work/boats"}, options=options) == silent
    _wait_for(lambda: path.exists() and _count(path) >= 2)
    with Recollect(path, embedder="hashing") as mind:
        turns = sorted(mind.list(granularity="turn"), key=lambda memory: memory.turn)
    assert [(turn.role, turn.text) for turn in turns] == [
        ("user", "My boat is called Marlin."),
        ("assistant", "A good name."),
    ]
    asked = fire("prompt", {"prompt": "What is my boat called?"}, options=options)
    assert asked["hookEventName"] == event_of_a_prompt and "Marlin" in asked["additionalContext"]


@pytest.mark.parametrize(
    ("client", "file", "events", "timeout"),
    [
        ("codex", ".codex/hooks.json", ["SessionStart", "UserPromptSubmit", "Stop"], 2),
        ("gemini", ".gemini/settings.json", ["SessionStart", "BeforeAgent", "SessionEnd"], 2000),
    ],
)
def test_hooks_of_other_assistants_are_installed_and_removed_again(client, file, events, timeout, hooks, home):
    settings = home / file
    settings.parent.mkdir()
    settings.write_text('{"theme": "dark"}', encoding="utf-8")
    hooks("install", "--client", client, "--yes")
    held = json.loads(settings.read_text(encoding="utf-8"))["hooks"]
    assert list(held) == events
    commands = [group["hooks"][0] for groups in held.values() for group in groups]
    assert all(f"--client {client}" in each["command"] and each["timeout"] == timeout for each in commands)
    assert "3 hooks of ours" in hooks("show", "--client", client) and "no hooks of ours" in hooks("show")
    hooks("uninstall", "--client", client, "--yes")
    assert settings.read_text(encoding="utf-8") == '{"theme": "dark"}'


def test_an_assistant_that_is_not_known_is_named(hooks):
    assert "did you mean 'gemini'" in hooks("install", "--client", "gemni", "--yes", status=2)


def test_a_paused_or_broken_hook_of_codex_still_answers_with_json(fire, hooks, path):
    options = ("--client", "codex", "--db", str(path))
    assert fire("end", raw="not json", options=options) == {}
    hooks("pause")
    assert fire("end", {"transcript_path": "/no/such/file"}, options=options) == {}
    assert fire("prompt", {"prompt": "boat"}, options=options) is None


def _count(path):
    with Recollect(path, embedder="hashing") as mind:
        return len(mind.list())


def test_a_session_in_a_cloned_folder_runs_no_code_of_it(home, path, tmp_path):
    """Python imports from the current folder first if it runs a module by its name."""
    cloned = tmp_path / "cloned"
    cloned.mkdir()
    for name in ("recollect.py", "typer.py", "json.py"):
        (cloned / name).write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
    transcript = tmp_path / "s1.jsonl"
    said = {"type": "user", "sessionId": "s1", "message": {"role": "user", "content": "My boat is called Marlin."}}
    transcript.write_text(json.dumps(said), encoding="utf-8")
    command = [sys.executable, "-P", "-m", "recollect", "hooks", "run", "end", "--db", str(path)]
    told = json.dumps({"transcript_path": str(transcript)})
    kept = os.environ | {"RECOLLECT_EMBEDDER": "hashing"}
    subprocess.run([*command, "--limit-seconds", "60"], input=told.encode(), cwd=cloned, env=kept, check=True)
    _wait_for(lambda: (path.exists() and _count(path) >= 1) or (tmp_path / "ran").exists())
    assert not (tmp_path / "ran").exists()


def _wait_for(happened, seconds=60):
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_prompt_without_an_answer_adds_nothing(fire, mind):
    mind.remember("Ada prefers dark mode")
    assert fire("prompt", {"prompt": "Which tax form is due in May?"}) is None
    assert fire("prompt", {"prompt": "  "}) is None


def test_a_start_adds_what_is_pinned_and_recent_and_not_what_is_only_near(fire, mind):
    mind.remember("Ada lives in Oslo", at="2020-01-01")
    assert fire("start", {"cwd": "/work/boats"}) is None
    mind.pin(mind.remember("Ada is left-handed", at="2020-01-01").id)
    added = fire("start", {"cwd": "/work/boats"})["additionalContext"]
    assert "left-handed" in added and "Oslo" not in added


def test_paused_hooks_do_nothing(fire, hooks, mind, tmp_path):
    mind.remember("My boat is called Marlin.")
    hooks("pause")
    assert "paused" in hooks("show")
    assert fire("prompt", {"prompt": "What is my boat called?"}) is None
    hooks("resume")
    assert fire("prompt", {"prompt": "What is my boat called?"})


@pytest.mark.parametrize(
    ("event", "told"),
    [
        ("start", {"raw": "not json"}),
        ("prompt", {"raw": "[]"}),
        ("prompt", {"raw": '{"prompt": 5}'}),
        ("end", {"raw": '{"transcript_path": "/no/such/file"}'}),
        ("end", {"raw": "{}"}),
        ("nonsense", {}),
        ("prompt", {"told": {"prompt": "boat"}, "options": ("--no-such-option",)}),
        ("prompt", {"told": {"prompt": "boat"}, "RECOLLECT_EMBEDDER": "openai:none@http://127.0.0.1:9"}),
    ],
)
def test_whatever_goes_wrong_the_assistant_notices_nothing(event, told, fire, mind):
    mind.remember("Ada prefers dark mode")
    assert fire(event, **told) is None


def test_a_problem_is_kept_for_whoever_asks(fire, hooks, path):
    path.write_bytes(b"not a store")
    assert fire("prompt", {"prompt": "boat"}) is None
    assert "last problem" in hooks("show") and "prompt" in hooks("show")


@pytest.mark.parametrize(
    ("event", "client", "printed"), [("prompt", "claude-code", b""), ("end", "codex", b"{}")], ids=["prompt", "codex"]
)
def test_a_hook_that_hangs_ends_in_time_and_adds_nothing(event, client, printed, path, home, hooks):
    """Here it waits for its input, which never ends."""
    reading, writing = os.pipe()
    began = time.monotonic()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "recollect", "hooks", "run", event, "--client", client, "--db", str(path)],
            stdin=reading,
            capture_output=True,
            timeout=30,
        )
    finally:
        os.close(reading)
        os.close(writing)
    assert (done.returncode, done.stdout, done.stderr) == (0, printed, b"")
    assert f"{event}: not done within 1.8 seconds" in hooks("show")
    assert time.monotonic() - began < 10  # 1.8 s on a machine that is not busy
