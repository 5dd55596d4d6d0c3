"""`recollect ingest` takes what other programs have written down."""

import json

import pytest

SAID = [
    {"role": "user", "content": "I live in Porto.", "timestamp": "2026-03-01T10:00:00Z"},
    {"role": "assistant", "content": "How nice!"},
    {"role": "user", "content": "My sister is called Clara."},
]

CLAUDE_CODE = [
    {"type": "summary", "summary": "A talk about tea", "leafUuid": "x"},
    {
        "type": "user",
        "sessionId": "cc-1",
        "timestamp": "2026-03-01T10:00:00.123Z",
        "message": {"role": "user", "content": "<command-name>/init</command-name>I prefer tabs over spaces."},
    },
    {
        "type": "assistant",
        "sessionId": "cc-1",
        "timestamp": "2026-03-01T10:00:05Z",
        "message": {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hmm"},
                {"type": "text", "text": "Noted: tabs."},
                {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
            ],
        },
    },
    {
        "type": "user",
        "sessionId": "cc-1",
        "timestamp": "2026-03-01T10:00:06Z",
        "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "a.py"}]},
    },
    {"type": "user", "sessionId": "cc-1", "isMeta": True, "message": {"role": "user", "content": "Caveat: ignore"}},
    {"type": "user", "sessionId": "cc-1", "isSidechain": True, "message": {"role": "user", "content": "helper talk"}},
    {"type": "file-history-snapshot", "messageId": "m"},
]


def _node(id, parent, role, *parts, time=1772360000.0, **message):
    content = {"content_type": "text", "parts": list(parts)}
    return {
        "id": id,
        "parent": parent,
        "children": [],
        "message": {"author": {"role": role}, "content": content, "create_time": time, **message},
    }


CHATGPT = [
    {
        "title": "Trip",
        "conversation_id": "gpt-1",
        "create_time": 1772360000.5,
        "current_node": "d",
        "mapping": {
            "root": {"id": "root", "message": None, "parent": None, "children": ["a"]},
            "a": _node("a", "root", "system", ""),
            "b": _node("b", "a", "user", "I live in Porto."),
            "c": _node("c", "b", "assistant", "An answer that was taken back."),
            "d": _node("d", "b", "assistant", "How nice!", {"asset_pointer": "file://x"}),
        },
    },
    {"title": "Never begun", "id": "gpt-2", "mapping": {}, "current_node": None},
]

FORMS = {
    "messages.json": json.dumps(SAID),
    "pretty.json": json.dumps(SAID, indent=2),
    "object.json": json.dumps({"session_id": "s1", "at": "2026-03-01", "messages": SAID}),
    "messages.jsonl": "\n".join(map(json.dumps, SAID)) + "\n",
    "conversations.jsonl": "\n".join(json.dumps({"id": f"s{n}", "messages": SAID}) for n in range(2)),
    "list.json": json.dumps([{"session_id": "s1", "messages": SAID}]),
    "named.json": json.dumps([{"speaker": "Ada", "text": "I live in Porto."}]),
    "claude.jsonl": "\n".join(map(json.dumps, CLAUDE_CODE)),
    "chatgpt.json": json.dumps(CHATGPT),
    "no-suffix": json.dumps(SAID),
}


@pytest.fixture
def file(tmp_path):
    def made(name, text=None):
        path = tmp_path / name
        path.write_text(FORMS[name] if text is None else text)
        return str(path)

    return made


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_taken_in_and_the_same_file_again_adds_nothing(shell, file, form):
    path = file(form)
    first = shell.json("ingest", path)["conversations"]
    assert all(done["added"] for done in first)
    again = shell.json("ingest", path)["conversations"]
    assert [done["session_id"] for done in again] == [done["session_id"] for done in first]
    assert not any(done["added"] or done["changed"] for done in again)


def turns(shell):
    found = shell.json("list", "--granularity", "turn")
    return sorted(found, key=lambda memory: memory["turn"])


def test_of_a_claude_code_transcript_only_what_was_said_is_kept(shell, file):
    shell.done("ingest", file("claude.jsonl"))
    assert [(t["role"], t["text"]) for t in turns(shell)] == [
        ("user", "I prefer tabs over spaces."),
        ("assistant", "Noted: tabs."),
    ]
    assert turns(shell)[0]["session_id"] == "cc-1" and turns(shell)[0]["occurred_at"] == "2026-03-01T10:00:00.123000Z"


def test_of_a_chatgpt_export_the_branch_that_was_shown_last_is_kept(shell, file):
    shell.done("ingest", file("chatgpt.json"))
    assert [turn["text"] for turn in turns(shell)] == ["I live in Porto.", "How nice!"]
    assert turns(shell)[0]["session_id"] == "gpt-1" and turns(shell)[0]["occurred_at"].startswith("2026-03-01T")


def test_a_transcript_can_come_from_a_pipe(shell):
    said = shell.json("ingest", "-", "--session", "s9", "--at", "2026-03-01", stdin=json.dumps(SAID))
    assert said["conversations"][0]["session_id"] == "s9"
    assert shell.json("ingest", "-", "--session", "s9", stdin=json.dumps(SAID))["conversations"][0]["added"] == []


def test_a_person_reads_what_became_of_it(shell, file):
    assert "1 conversation: 5 memories added" in shell.done("ingest", file("messages.json"))
    assert "3 unchanged" in shell.done("ingest", file("messages.json"))


@pytest.mark.parametrize("how", ["turn", "fact", "round", "session"])
def test_a_granularity_can_be_asked_for(shell, file, how):
    shell.done("ingest", file("messages.json"), "--granularity", how)
    assert {memory["granularity"] for memory in shell.json("list")} == {how}


def test_a_file_cut_in_its_last_line_says_so_and_the_rest_is_kept(shell, file):
    whole = FORMS["messages.jsonl"]
    path = file("live.jsonl", whole[:-20])
    result = shell("ingest", path)
    assert result.exit_code == 0 and "ends in the middle of line 3" in result.stderr
    assert len(turns(shell)) == 2
    file("live.jsonl", whole)
    shell.done("ingest", path)
    assert len(turns(shell)) == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (FORMS["pretty.json"][:-40], "line 13, column 5"),
        ('{"role": "user", "content": "a"}\n{"role": \n{"role": "user", "content": "b"}', "line 2"),
        ("", "holds no conversation"),
        ("[]", "holds no conversation"),
        ("[1, 2]", "holds no conversation"),
        ('"text"', "holds no conversation"),
        ('[{"content": "nobody said this"}]', "message 0: has no role"),
        ('[{"messages": "none"}]', "messages must be a list"),
        ('[{"messages": []}]', "empty"),
    ],
)
def test_what_can_not_be_read_is_refused_with_its_place(shell, file, text, said):
    assert said in shell.refused(2, "ingest", file("bad.json", text))


def test_what_is_not_there_or_not_text_is_refused(shell, tmp_path):
    assert "can't be read" in shell.refused(2, "ingest", str(tmp_path / "missing.json"))
    (tmp_path / "latin.json").write_bytes("[grün]".encode("latin-1"))
    assert "not UTF-8" in shell.refused(2, "ingest", str(tmp_path / "latin.json"))


def test_one_session_can_not_name_many_conversations(shell, file):
    assert "there are 2" in shell.refused(2, "ingest", file("conversations.jsonl"), "--session", "x")


def test_text_files_and_folders_become_documents(shell, tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "house.md").write_text("# Colours\nThe walls are sage green.")
    (tmp_path / "notes" / "empty.md").write_text("")
    (tmp_path / "letter").write_text("Dear Clara, the boat leaves at nine.")
    result = shell("ingest", str(tmp_path / "notes"), str(tmp_path / "letter"))
    assert result.exit_code == 0 and "2 files read: 2 chunks added" in result.stdout and "empty" in result.stderr
    assert "sage green" in shell.done("recall", "what colour are the walls?")
    assert "2 files unchanged" in shell.done("ingest", str(tmp_path / "notes"), str(tmp_path / "letter"))
    assert "for conversations" in shell.refused(2, "ingest", str(tmp_path / "notes"), "--session", "x")


def test_an_unknown_extractor_is_refused(shell, file):
    assert "extractor" in shell.refused(2, "ingest", file("messages.json"), "--extractor", "oracle")


def test_the_day_of_speaking_and_the_time_that_a_text_names_are_shown_beside_it(shell, file):
    said = json.dumps([{"role": "user", "content": "I fly to Oslo in October."}])
    shell.done("ingest", file("plan.json", said), "--at", "2026-08-16")
    assert "2026-08-16  turn · in 2026-10  I fly to Oslo in October." in shell.done("list")
    assert "fact · 2026-08-16 · in 2026-10 · " in shell.done("recall", "when do I fly to Oslo?")


def test_a_file_that_is_no_text_is_bad_input(shell, tmp_path):
    (tmp_path / "photo.txt").write_bytes(b"abc\0def")
    done = shell("ingest", str(tmp_path / "photo.txt"))
    assert done.exit_code == 2 and "binary" in done.stderr
    (tmp_path / "note.txt").write_text("The boat is blue.")
    assert "1 file read: 1 chunk added" in shell.done("ingest", str(tmp_path))
