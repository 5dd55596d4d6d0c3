"""`recollect import` at the command line: what it says, and its exit status."""

import json

import pytest

CHAT = [
    {
        "uuid": "c1",
        "created_at": "2026-01-02T10:00:00Z",
        "chat_messages": [
            {"sender": "human", "text": "I drink green tea.", "created_at": "2026-01-02T10:00:00Z"},
            {"sender": "assistant", "text": "Noted.", "created_at": "2026-01-02T10:00:05Z"},
        ],
    }
]


@pytest.fixture
def chat(tmp_path):
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps(CHAT), encoding="utf-8")
    return file


@pytest.fixture
def lines(tmp_path):
    file = tmp_path / "facts.jsonl"
    file.write_text('{"text": "The boat is blue"}\n{"text": "half a li\n', encoding="utf-8")
    return file


def test_a_dry_run_says_what_would_come_and_makes_no_store(shell, chat, lines, tmp_path):
    missing = str(tmp_path / "missing.db")
    said = shell.done("import", str(chat), "--dry-run", db=missing)
    assert said == "would import 1 conversation and 0 other memories, 0 links; 0 records known already, 0 skipped\n"
    said = shell.done("import", str(lines), "--dry-run", db=missing)
    assert said == "would import 1 new memory, 0 links; 0 records known already, 1 skipped\n"
    assert not (tmp_path / "missing.db").exists()


def test_a_dry_run_knows_what_is_stored(shell, chat):
    assert "new memories from 1 conversation, 0 links" in shell.done("import", str(chat))
    said = shell.done("import", str(chat), "--dry-run")
    assert said == "would import 0 new memories, 0 links; 1 record known already, 0 skipped\n"


def test_a_broken_record_is_listed_and_the_rest_is_imported(shell, lines):
    done = shell("import", str(lines))
    assert done.exit_code == 0 and "imported 1 new memory" in done.stdout and "line 2: not JSON" in done.stderr


def test_a_file_of_which_nothing_can_be_read_is_bad_input(shell, tmp_path):
    file = tmp_path / "only.jsonl"
    file.write_text("{half\n", encoding="utf-8")
    assert "line 1: not JSON" in shell.refused(2, "import", str(file))


@pytest.mark.parametrize("content", [b"abc\0def", b"Dear diary,\n", b""])
def test_a_file_of_no_known_format_is_refused(shell, tmp_path, content):
    file = tmp_path / "notes.txt"
    file.write_bytes(content)
    assert "no format that import reads; `recollect ingest` takes text files" in shell.refused(2, "import", str(file))


def test_a_list_is_imported_line_by_line_only_when_asked(shell, tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("The boat is blue\nThe mooring is number 7\n", encoding="utf-8")
    assert "recollect ingest" in shell.refused(2, "import", str(file))
    assert "imported 2 new memories" in shell.done("import", str(file), "--lines")
