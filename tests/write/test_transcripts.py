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
