"""Files with broken records: each is listed with its place, and everything around it is imported."""

import json

import pytest

from recollect.errors import InvalidInput
from recollect.imports import import_from

MIB = 1 << 20


def chatgpt(id, *said):
    """A conversation as ChatGPT exports it."""
    nodes = {"root": {"id": "root", "message": None, "parent": None, "children": ["0"]}}
    for number, (role, text) in enumerate(said):
        content = {"content_type": "text", "parts": [text]}
        message = {"author": {"role": role}, "create_time": 1714558800.0 + number, "content": content, "metadata": {}}
        parent = str(number - 1) if number else "root"
        nodes[str(number)] = {"id": str(number), "parent": parent, "children": [], "message": message}
    last = str(len(said) - 1)
    return {"title": id, "create_time": 1714558800.0, "conversation_id": id, "current_node": last, "mapping": nodes}


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.fixture
def imported_twice(mind):
    """Imports a file, checks that the same again adds nothing, and returns what was done first."""

    def run(path, **options):
        done, again = import_from(mind, path, **options), import_from(mind, path, **options)
        assert again.added == 0 and again.skipped == done.skipped
        assert import_from(mind, path, preview=True, **options).added == 0
        return done

    return run


@pytest.mark.parametrize("broken", ["a\0b", "x" * (MIB + 1)], ids=["binary", "too long"])
def test_a_message_that_can_not_be_stored_does_not_cost_its_conversation(mind, imported_twice, tmp_path, broken):
    said = [("user", "My cat is called Miso."), ("assistant", broken), ("user", "I live in Porto.")]
    done = imported_twice(write(tmp_path / "conversations.json", json.dumps([chatgpt("c1", *said)])))
    assert [each.where for each in done.broken] == ["conversation c1, message 1"]
    turns = {memory.text for memory in mind.list(session_id="c1", granularity="turn")}
    assert turns == {"My cat is called Miso.", "I live in Porto."}


def test_a_conversation_that_is_stored_is_known_in_a_preview_also_with_a_system_message(mind, tmp_path):
    said = [("system", "You are kind."), ("user", "My cat is called Miso."), ("tool", "42")]
    file = write(tmp_path / "conversations.json", json.dumps([chatgpt("c1", *said)]))
    import_from(mind, file)
    preview = import_from(mind, file, preview=True)
    assert (preview.conversations, preview.known) == (0, 1)


def test_the_other_files_of_an_export_are_no_memories_and_no_errors(mind, imported_twice, tmp_path):
    """ChatGPT and claude.ai put ratings, shared links and the account beside the conversations."""
    rating = {"id": "f", "conversation_id": "c1", "user_id": "u", "rating": "thumbs_up", "content": '{"tags": []}'}
    shared = {"id": "s", "conversation_id": "c1", "title": "Tea", "is_anonymous": True}
    account = {"id": "u", "email": "ada@example.org", "chatgpt_plus_user": True, "phone_number": None}
    person = {"uuid": "a", "full_name": "Ada", "email_address": "ada@example.org", "verified_phone_number": None}
    for name, data in {"feedback": [rating], "shared": [shared], "user": account, "users": [person]}.items():
        write(tmp_path / "export" / f"{name}.json", json.dumps(data))
    write(tmp_path / "export" / "conversations.json", json.dumps([chatgpt("c1", ("user", "I live in Porto."))]))
    assert imported_twice(tmp_path / "export").broken == []
    assert {memory.text for memory in mind.list()} == {"I live in Porto."}


def test_the_memory_of_claude_ai_and_the_documents_of_its_projects_are_imported(mind, imported_twice, tmp_path):
    memory = {"conversations_memory": "**Work**\n\nAda bakes in Trieste.", "account_uuid": "a"}
    write(
        tmp_path / "export" / "memories.json", json.dumps([{**memory, "project_memories": {"p": "The oven is new."}}])
    )
    document = {
        "uuid": "d",
        "filename": "oven.md",
        "content": "# Oven\n220 degrees.",
        "created_at": "2025-01-02T00:00:00Z",
    }
    project = {"uuid": "p", "name": "Bakery", "description": "", "prompt_template": "Be brief.", "docs": [document]}
    write(
        tmp_path / "export" / "projects.json",
        json.dumps([{**project, "created_at": "2025-01-01T00:00:00Z", "is_private": True}]),
    )
    assert imported_twice(tmp_path / "export").skipped == 0
    found = {memory.text: memory for memory in mind.list(kinds="document")}
    assert any("Ada bakes in Trieste." in text for text in found) and {"The oven is new.", "Be brief."} <= found.keys()
    [oven] = [memory for text, memory in found.items() if "220 degrees" in text]
    assert oven.gist == "Bakery › oven.md › Oven" and oven.created_at.year == 2025


def test_the_memory_of_claude_ai_is_also_a_file_for_each_account_with_a_text_for_each_topic(
    mind, imported_twice, tmp_path
):
    files = [
        {"path": "/profile.md", "content": "- Bakes in Trieste", "updated_at": "2026-09-02T03:04:05Z"},
        {"path": "/empty.md", "content": "", "updated_at": "2026-09-02T03:04:05Z"},
    ]
    write(tmp_path / "memories" / "a.json", json.dumps({"memory_files": files, "account_uuid": "a"}, indent=1))
    assert imported_twice(tmp_path / "memories").skipped == 0
    [memory] = mind.list()
    assert (memory.text, memory.gist) == ("- Bakes in Trieste", "Claude's memory › profile.md")
    assert memory.created_at.isoformat() == "2026-09-02T03:04:05+00:00"


def test_what_was_spoken_to_chatgpt_is_imported_and_its_calls_of_tools_are_not(mind, imported_twice, tmp_path):
    said = ["My boat is called Marlin.", "A fine name.", "User has a boat called Marlin.", '{"prompt": "a boat"}']
    talk = chatgpt("c1", *zip(["user", "assistant", "assistant", "assistant"], said, strict=True))
    messages = [node["message"] for node in talk["mapping"].values()][1:]
    for message, recipient in zip(messages, ["all", "all", "bio", "dalle.text2im"], strict=True):
        message["recipient"] = recipient
    for direction, message in zip(["in", "out"], messages, strict=False):
        [text] = message["content"]["parts"]
        spoken = {"content_type": "audio_transcription", "text": text, "direction": direction, "decoding_id": None}
        picture = {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_1"}
        message["content"] = {"content_type": "multimodal_text", "parts": [spoken, picture]}
    imported_twice(write(tmp_path / "conversations-000.json", json.dumps([talk])))
    assert [memory.text for memory in mind.list(granularity="turn", order="oldest")] == said[:3]


def test_a_wrong_entity_of_the_mcp_server_is_listed_with_its_line(mind, imported_twice, tmp_path):
    ada = {"type": "entity", "name": "Ada", "entityType": "person", "observations": ["bakes"]}
    lines = [
        ada,
        {**ada, "name": "Bakery", "observations": "one text"},
        {**ada, "name": None},
        {"type": "relation", "from": "Ada", "to": None, "relationType": "knows"},
    ]
    file = write(tmp_path / "memory.jsonl", "\n".join(map(json.dumps, lines)))
    assert [each.where for each in imported_twice(file).broken] == [f"{file}, line {n}" for n in (2, 3, 4)]
    assert {memory.text for memory in mind.list()} == {"Ada (person)", "Ada: bakes"}


def test_a_wrong_record_of_mem0_or_langgraph_is_listed(mind, imported_twice, tmp_path):
    item = {"namespace": ["users", "ada"], "key": "k"}
    records = [{"id": "1", "memory": ""}, {"id": "2", "memory": "Ada bakes", "metadata": "oops"}]
    values = [{"value": "a text"}, {"value": {}, "updated_at": "whenever"}, {"value": {"n": 1}}]
    records += [{**item, **value} for value in values]
    done = imported_twice(write(tmp_path / "a.json", json.dumps(records)))
    assert [each.where[-1] for each in done.broken] == ["1", "2", "3", "4"]
    assert {memory.text for memory in mind.list()} == {"n: 1"}


@pytest.mark.parametrize(("name", "form"), [("a.jsonl", b"%s\n%s\n%s"), ("a.json", b"[%s,\n%s,\n%s]")])
def test_a_byte_that_is_not_utf_8_breaks_one_record(mind, imported_twice, tmp_path, name, form):
    records = b'{"text": "Ada bakes"}', b'{"text": "caf\xe9"}', b'{"text": "Ada sails"}'
    done = imported_twice(write(tmp_path / name, form % records))
    assert [each.why for each in done.broken] == ["not UTF-8 text"] and "2" in done.broken[0].where
    assert {memory.text for memory in mind.list()} == {"Ada bakes", "Ada sails"}


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_a_file_in_utf_16_is_refused(mind, tmp_path, name):
    with pytest.raises(InvalidInput, match="UTF-16"):
        import_from(mind, write(tmp_path / name, "text\nAda bakes".encode("utf-16")))


@pytest.mark.parametrize(("name", "between"), [("a.csv", ";"), ("a.csv", "|"), ("a.tsv", "\t"), ("a.csv", ",")])
def test_a_table_may_be_separated_as_spreadsheets_do(mind, imported_twice, tmp_path, name, between):
    rows = [["text", "at", "mood"], ["Ada bakes", "2025-03-01", "glad"]]
    imported_twice(write(tmp_path / name, "\n".join(map(between.join, rows))))
    [memory] = mind.list()
    assert (memory.text, memory.created_at.year) == ("Ada bakes", 2025)
    assert memory.metadata == {"mood": "glad", "file": name}


def test_a_wrong_row_of_a_table_is_listed_with_its_line_and_a_long_text_is_none(mind, imported_twice, tmp_path):
    rows = [b"text,at", b"Ada bakes,soon", b"y" * 200_000 + b",", b"caf\xe9,", b"z" * (MIB + 1) + b",", b"Ada sails,"]
    file = write(tmp_path / "a.csv", b"\n".join(rows))
    assert [each.where for each in imported_twice(file).broken] == [f"{file}, line {n}" for n in (2, 4, 5)]
    assert {memory.text[:9] for memory in mind.list()} == {"y" * 9, "Ada sails"}


def test_what_claude_code_notes_for_itself_is_no_broken_record(mind, imported_twice, tmp_path):
    said = {"type": "user", "sessionId": "s1", "message": {"role": "user", "content": "I live in Porto."}}
    saved = {"type": "file-history-snapshot", "messageId": "m", "snapshot": {"messageId": "m"}}
    rows = [{"type": "summary", "summary": "Homes", "leafUuid": "m"}, saved, said]
    assert imported_twice(write(tmp_path / "s1.jsonl", "\n".join(map(json.dumps, rows)))).broken == []


def test_an_archive_is_named_as_such(mind, tmp_path):
    with pytest.raises(InvalidInput, match="unpack it"):
        import_from(mind, write(tmp_path / "export.zip", b"PK\3\4"))
