"""Python callers read other programs' transcripts as the command line does."""

import json

import pytest

from recollect import Recollect
from recollect.errors import InvalidInput
from recollect.write.conversations.transcripts import read_file

SAID = [{"role": "user", "content": "I moved to Lyon"}, {"role": "assistant", "content": "Nice."}]


def test_a_file_of_conversations_can_be_ingested(tmp_path):
    file = tmp_path / "chats.jsonl"
    file.write_text("".join(json.dumps({"messages": SAID, "session_id": id}) + "\n" for id in "ab"), encoding="utf-8")
    with Recollect(":memory:", embedder="hashing") as mind:
        taken = mind.ingest_many(read_file(file).conversations)
        assert [each.session_id for each in taken] == ["a", "b"] and all(each.added for each in taken)


def test_a_file_that_breaks_off_says_where(tmp_path):
    file = tmp_path / "chat.jsonl"
    file.write_text(json.dumps({"messages": SAID}) + '\n{"messages": [{"role"', encoding="utf-8")
    found = read_file(file)
    assert (len(found.conversations), found.cut) == (1, 2)


@pytest.mark.parametrize("name", ["missing.json", "binary.json"])
def test_what_is_not_text_is_refused_with_its_name(tmp_path, name):
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match=name):
        read_file(tmp_path / name)


def test_what_was_taken_back_in_gemini_is_not_read(tmp_path):
    head = {"sessionId": "g1", "projectHash": "ab"}
    said = [
        {"id": str(n), "type": "user", "content": text} for n, text in enumerate(["I live in Lyon", "No, in Porto"])
    ]
    file = tmp_path / "session-1.jsonl"
    file.write_text("\n".join(map(json.dumps, [head, *said, {"$rewindTo": "1"}])), encoding="utf-8")
    [talk] = read_file(file).conversations
    assert (talk["session_id"], [each["content"] for each in talk["messages"]]) == ("g1", ["I live in Lyon"])


def test_a_session_of_an_older_gemini_is_one_object(tmp_path):
    said = [{"id": "1", "type": "user", "content": "I live in Lyon"}, {"id": "2", "type": "gemini", "content": "Nice."}]
    file = tmp_path / "session-1.json"
    file.write_text(json.dumps({"sessionId": "g1", "projectHash": "ab", "messages": said}), encoding="utf-8")
    [talk] = read_file(file).conversations
    assert [each["role"] for each in talk["messages"]] == ["user", "assistant"]


def test_a_codex_session_without_events_has_what_the_model_got_but_not_the_notes_of_the_program(tmp_path):
    def message(role, text):
        payload = {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}
        return {"type": "response_item", "payload": payload}

    rows = [{"type": "session_meta", "payload": {"id": "c1"}}, message("user", "<environment_context>x")]
    rows += [message("developer", "Be brief."), message("user", "I live in Lyon"), message("assistant", "Nice.")]
    file = tmp_path / "rollout-1.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    [talk] = read_file(file).conversations
    assert [each["content"] for each in talk["messages"]] == ["I live in Lyon", "Nice."]
