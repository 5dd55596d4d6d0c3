"""`recollect import` takes in what other programs wrote. The structure is theirs, the content is ours."""

import json
import sqlite3

import pytest

from recollect import Recollect
from recollect.adapters.mem0 import Memory
from recollect.errors import InvalidInput
from recollect.imports import import_from

CHATGPT = [
    {
        "title": "Tea",
        "create_time": 1714558800.0,
        "conversation_id": "gpt-1",
        "current_node": "b",
        "mapping": {
            "root": {"id": "root", "message": None, "parent": None, "children": ["a"]},
            "a": {
                "id": "a",
                "parent": "root",
                "children": ["b"],
                "message": {
                    "author": {"role": "user"},
                    "create_time": 1714558801.0,
                    "content": {"content_type": "text", "parts": ["I live in Porto."]},
                    "metadata": {},
                },
            },
            "b": {
                "id": "b",
                "parent": "a",
                "children": [],
                "message": {
                    "author": {"role": "assistant"},
                    "create_time": 1714558802.0,
                    "content": {"content_type": "text", "parts": ["How nice!"]},
                    "metadata": {},
                },
            },
        },
    }
]
CLAUDE_AI = [
    {
        "uuid": "claude-1",
        "name": "Boats",
        "created_at": "2026-03-01T10:00:00.000000Z",
        "updated_at": "2026-03-01T10:05:00.000000Z",
        "account": {"uuid": "account-1"},
        "chat_messages": [
            {
                "uuid": "m1",
                "sender": "human",
                "text": "My boat is called Marlin.",
                "content": [{"type": "text", "text": "My boat is called Marlin."}],
                "created_at": "2026-03-01T10:00:01.000000Z",
                "attachments": [],
                "files": [],
            },
            {
                "uuid": "m2",
                "sender": "assistant",
                "text": "A good name.",
                "content": [
                    {"type": "thinking", "thinking": "hm"},
                    {"type": "tool_use", "name": "search", "input": {}},
                    {"type": "text", "text": "A good name."},
                ],
                "created_at": "2026-03-01T10:00:02.000000Z",
            },
        ],
    }
]
CLAUDE_CODE = [
    {"type": "summary", "summary": "Tabs", "leafUuid": "x"},
    {
        "type": "user",
        "sessionId": "code-1",
        "timestamp": "2026-03-01T10:00:00.123Z",
        "message": {"role": "user", "content": "I prefer tabs over spaces."},
    },
    {
        "type": "assistant",
        "sessionId": "code-1",
        "timestamp": "2026-03-01T10:00:05Z",
        "message": {"role": "assistant", "content": [{"type": "text", "text": "Noted."}]},
    },
]
CODEX = [
    {"timestamp": "2026-03-01T10:00:00Z", "type": "session_meta", "payload": {"id": "codex-1", "cwd": "/work"}},
    {"type": "event_msg", "payload": {"type": "user_message", "message": "I write tests first."}},
    {"type": "response_item", "payload": {"type": "function_call_output", "output": "thinking of tool_use"}},
    {"type": "event_msg", "payload": {"type": "agent_message", "message": "Noted."}},
]
GEMINI = [
    {"sessionId": "gemini-1", "projectHash": "ab12", "startTime": "2026-03-01T10:00:00Z"},
    {"id": "1", "timestamp": "2026-03-01T10:00:01Z", "type": "user", "content": [{"text": "I sail on Sundays."}]},
    {"id": "2", "timestamp": "2026-03-01T10:00:02Z", "type": "gemini", "content": "Noted."},
]
MEM0 = {
    "results": [
        {
            "id": "5f0a9c1e-0000-4000-8000-000000000001",
            "memory": "Ada is allergic to peanuts",
            "hash": "x",
            "metadata": {"category": "health"},
            "score": 0.9,
            "created_at": "2026-01-02T03:04:05+00:00",
            "updated_at": None,
            "user_id": "ada",
        }
    ]
}
LANGGRAPH = [
    {
        "namespace": ["users", "ada"],
        "key": "theme",
        "value": {"text": "Ada likes dark mode", "rank": 3},
        "created_at": "2026-01-02T03:04:05+00:00",
        "updated_at": "2026-01-02T03:04:05+00:00",
    }
]
GRAPH = [
    {"type": "entity", "name": "Ada", "entityType": "person", "observations": ["Speaks Spanish", "Sails"]},
    {"type": "entity", "name": "Acme", "entityType": "company", "observations": []},
    {"type": "relation", "from": "Ada", "to": "Acme", "relationType": "works_at"},
]
PLAIN = [
    {"text": "The office opens at nine", "tags": ["office"], "created_at": "2026-05-01", "team": "blue"},
    {"content": "The cat is called Miso"},
]


@pytest.fixture
def mind():
    with Recollect(":memory:", namespace="ada", embedder="hashing") as mind:
        yield mind


def as_json(path, value):
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


def as_lines(path, values):
    path.write_text("".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values), encoding="utf-8")
    return path


def texts(mind):
    return {memory.text for memory in mind.list()}


def twice(mind, path, **options):
    """The first import's result. A second one must change nothing."""
    expected = import_from(mind, path, preview=True, **options)
    assert not texts(mind), "a preview stores nothing"
    first = import_from(mind, path, **options)
    held = {memory.id: memory for memory in mind.list()}
    again = import_from(mind, path, **options)
    assert (again.added, again.links) == (0, 0)
    assert {memory.id: memory for memory in mind.list()} == held
    assert expected.conversations == first.conversations and expected.skipped == first.skipped
    if not first.conversations:
        assert (expected.added, expected.links) == (first.added, first.links) and first.added == len(held)
    return first


@pytest.mark.parametrize(
    ("write", "content", "said"),
    [
        (as_json, CHATGPT, "I live in Porto."),
        (as_json, CLAUDE_AI, "My boat is called Marlin."),
        (as_lines, CLAUDE_CODE, "I prefer tabs over spaces."),
        (as_lines, CODEX, "I write tests first."),
        (as_lines, GEMINI, "I sail on Sundays."),
        (as_json, [{"role": "user", "content": "My sister is called Clara."}], "My sister is called Clara."),
    ],
)
def test_a_conversation_is_imported_once(mind, tmp_path, write, content, said):
    done = twice(mind, write(tmp_path / "conversations.json", content))
    assert done.conversations == 1 and not done.skipped
    assert said in texts(mind)
    assert not any("thinking" in text or "tool_use" in text for text in texts(mind))


def test_results_of_mem0_keep_their_user_and_their_time(mind, tmp_path):
    assert twice(mind, as_json(tmp_path / "mem0.json", MEM0)).added == 1
    [memory] = mind.list()
    assert memory.created_at.isoformat() == "2026-01-02T03:04:05+00:00"
    [shown] = Memory(mind).get_all(filters={"user_id": "ada", "category": "health"})["results"]
    assert (shown["id"], shown["memory"], shown["user_id"]) == (memory.id, "Ada is allergic to peanuts", "ada")
    assert shown["metadata"] == {"category": "health"} and shown["created_at"] == MEM0["results"][0]["created_at"]


def test_a_memory_of_mem0_holds_until_the_end_of_its_last_day(mind, tmp_path):
    [entry] = MEM0["results"]
    import_from(mind, as_json(tmp_path / "mem0.json", [{**entry, "expiration_date": "2027-01-31"}]))
    [memory] = mind.list()
    assert memory.expires_at.isoformat() == "2027-02-01T00:00:00+00:00"


def test_the_history_of_mem0_gives_the_last_text_and_nothing_deleted(mind, tmp_path):
    file = tmp_path / "history.db"
    with sqlite3.connect(file) as db:
        db.execute(
            "CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT, "
            "created_at DATETIME, updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT)"
        )
        add = "INSERT INTO history VALUES (?, ?, ?, ?, ?, '2026-01-02T03:04:05+00:00', NULL, 0, NULL, 'user')"
        db.execute(add, ("1", "a", None, "Ada lives in Lisbon", "ADD"))
        db.execute(add, ("2", "a", "Ada lives in Lisbon", "Ada lives in Porto", "UPDATE"))
        db.execute(add, ("3", "b", None, "Ada has a dog", "ADD"))
        db.execute(add, ("4", "b", "Ada has a dog", None, "DELETE"))
    assert twice(mind, file).added == 1
    assert texts(mind) == {"Ada lives in Porto"}


def test_items_of_langgraph_are_below_their_namespace(mind, tmp_path):
    assert twice(mind, as_lines(tmp_path / "items.jsonl", LANGGRAPH)).added == 1
    [memory] = mind.list()
    assert memory.namespace == "ada/users/ada" and memory.text == "Ada likes dark mode\nrank: 3"
    assert (memory.kind, memory.metadata["key"]) == ("langgraph", "theme")
    assert (memory.metadata["/text"], memory.metadata["/rank"]) == ("Ada likes dark mode", 3)


def test_a_file_of_openmem_keeps_its_links(mind, tmp_path):
    file = tmp_path / "openmem.db"
    with sqlite3.connect(file) as db:
        db.execute(
            "CREATE TABLE memories (id TEXT PRIMARY KEY, type TEXT, text TEXT, gist TEXT, entities TEXT, "
            "created_at REAL, updated_at REAL, strength REAL, confidence REAL, access_count INTEGER, "
            "last_accessed REAL, status TEXT)"
        )
        db.execute(
            "CREATE TABLE edges (id TEXT PRIMARY KEY, source_id TEXT, target_id TEXT, rel_type TEXT, weight REAL, "
            "created_at REAL)"
        )
        add = "INSERT INTO memories VALUES (?, ?, ?, NULL, ?, 1767323045.0, 1767323045.0, ?, 0.8, 0, NULL, ?)"
        db.execute(add, ("a", "decision", "We chose SQLite", '["SQLite"]', 1.0, "active"))
        db.execute(add, ("b", "fact", "One file is easy to copy", "[]", 0.4, "active"))
        db.execute(add, ("c", "decision", "We chose Redis", "[]", 1.0, "superseded"))
        db.execute(add, ("d", "decision", "We chose nothing", "[]", 1.0, "undecided"))
        db.execute("INSERT INTO edges VALUES ('e', 'b', 'a', 'supports', 0.8, 1767323045.0)")
    done = twice(mind, file)
    assert (done.added, done.links) == (3, 1) and [broken.where for broken in done.broken] == [f"{file}, memory d"]
    assert [memory.text for memory in mind.list(statuses="superseded")] == ["We chose Redis"]
    assert [memory.text for memory in mind.list() if memory.strength == 0.4] == ["One file is easy to copy"]
    chosen = next(memory for memory in mind.list(statuses="active") if memory.kind == "decision")
    assert chosen.entities == ("SQLite",) and chosen.confidence == 0.8
    assert [(link.kind, link.weight) for link, _ in mind.neighbours(chosen.id)] == [("supports", 0.8)]


def test_the_graph_of_the_mcp_server_is_imported_with_its_relations(mind, tmp_path):
    done = twice(mind, as_lines(tmp_path / "memory.jsonl", GRAPH))
    assert (done.added, done.links) == (5, 3)
    assert texts(mind) >= {"Ada: Speaks Spanish", "Ada works at Acme", "Acme (company)"}


def test_plain_lines_become_memories_and_a_broken_line_is_listed(mind, tmp_path):
    file = as_lines(tmp_path / "facts.jsonl", [*PLAIN, {"other": 1}])
    with file.open("a", encoding="utf-8") as out:
        out.write('{"text": "half a li\n{"text": ""}\n')
    done = twice(mind, file)
    assert done.added == 2 and done.skipped == 3
    assert any("line 4" in broken.where for broken in done.broken)
    office = next(memory for memory in mind.list() if memory.tags)
    assert office.metadata == {"team": "blue", "file": "facts.jsonl"}
    assert office.created_at.isoformat() == "2026-05-01T00:00:00+00:00"


def test_columns_of_a_table_become_fields(mind, tmp_path):
    file = tmp_path / "facts.csv"
    file.write_text(
        'Fact,Date,Labels,Owner\n"The café opens at 9,\nnot at 8",2026-05-01,a;b,Ada\n,2026-05-02,,\n', encoding="utf-8"
    )
    done = twice(mind, file, columns={"text": "Fact", "at": "Date", "tags": "Labels"})
    assert (done.added, done.skipped) == (1, 1)
    [memory] = mind.list()
    assert memory.tags == ("a", "b") and memory.metadata == {"Owner": "Ada", "file": "facts.csv"}
    with pytest.raises(InvalidInput, match="--column text=Fact"):
        import_from(mind, file)
    with pytest.raises(InvalidInput, match="it has Fact, Date"):
        import_from(mind, file, columns={"text": "Nothing"})


LIST = """# Garden
The allotment is plot 14

- Rhubarb goes to Ines #gifts
- The gate sticks
  in wet weather
* [ ] buy twine
---
"""


def test_a_list_is_read_as_one_memory_or_as_one_for_each_line_or_item(mind, tmp_path):
    file = tmp_path / "2026-03-01 garden.md"
    file.write_text(LIST, encoding="utf-8")
    assert import_from(mind, file, preview=True).added == 1
    assert twice(mind, file, lines=True).added == 4
    held = {memory.text: memory for memory in mind.list()}
    assert {*held} == {
        "The allotment is plot 14",
        "Rhubarb goes to Ines #gifts",
        "The gate sticks\nin wet weather",
        "buy twine",
    }
    gift = held["Rhubarb goes to Ines #gifts"]
    assert (gift.gist, gift.tags, gift.metadata["file"]) == ("Garden", ("gifts",), file.name)
    assert f"{gift.valid_from:%Y-%m-%d}" == "2026-03-01"


def test_only_text_is_read_by_lines(mind, tmp_path):
    with pytest.raises(InvalidInput, match="by lines"):
        import_from(mind, as_lines(tmp_path / "facts.jsonl", PLAIN), lines=True)


def test_a_folder_of_notes_keeps_front_matter_tags_and_links(mind, tmp_path):
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / ".obsidian" / "app.json").write_text("{}", encoding="utf-8")
    (tmp_path / "Coffee.md").write_text(
        "---\ntitle: Coffee\ntags:\n  - drinks\npermalink: coffee\ncreated: 2024-03-01\n---\n# Coffee\n"
        "See [[Grinding|the page]] #morning\n\n"
        "- [method] Pour over tastes clearer #brewing\n- depends_on [[Grinding]]\n```\n#no tag\n```\n",
        encoding="utf-8",
    )
    (tmp_path / "Grinding.md").write_text("Grind it fresh.\n", encoding="utf-8")
    done = twice(mind, tmp_path)
    assert (done.added, done.links) == (3, 2)
    note = next(memory for memory in mind.list() if memory.text.startswith("# Coffee"))
    assert set(note.tags) == {"drinks", "morning", "brewing"}
    front = {"title": "Coffee", "permalink": "coffee", "created": "2024-03-01"}
    assert note.metadata == {"folder": str(tmp_path), "note": "Coffee.md", **front} and note.created_at.year == 2024
    assert {(link.kind, other.text) for link, other in mind.neighbours(note.id)} == {
        ("depends_on", "Grind it fresh."),
        ("mentions", "Coffee: Pour over tastes clearer #brewing"),
    }


def test_a_daily_note_is_of_its_day_and_a_link_to_a_heading_is_no_tag(mind, tmp_path):
    (tmp_path / "2026-11-18 Wednesday.md").write_text("Sailed to [[#Harbour]] and back #sea [[Boat]] [[boat]]\n")
    (tmp_path / "Boat.md").write_text("The boat is blue.\n")
    assert twice(mind, tmp_path).links == 1
    [day] = [memory for memory in mind.list() if memory.tags]
    assert day.tags == ("sea",) and day.created_at.isoformat() == "2026-11-18T00:00:00+00:00"


def test_a_note_that_changed_is_imported_again_and_its_former_version_is_forgotten(mind, tmp_path):
    vault, other = tmp_path / "vault", tmp_path / "other"
    for folder, tide in ((vault, "low"), (other, "high")):
        folder.mkdir()
        (folder / "Boat.md").write_text(f"The tide is {tide}. See [[Harbour]].\n\n- [rule] Sail at noon\n")
    (vault / "Harbour.md").write_text("The harbour is in Porto. [[Boat]]\n")
    twice(mind, vault)
    twice_again = import_from(mind, other)
    assert (twice_again.added, twice_again.known, twice_again.replaced) == (1, 1, 0), "another folder is another note"
    (vault / "Boat.md").write_text("The tide is rising. See [[Harbour]].\n\n- [rule] Sail at dawn\n")
    foreseen = import_from(mind, vault, preview=True)
    assert (foreseen.added, foreseen.replaced) == (2, 2) and "Boat: Sail at noon" in texts(mind)
    done = import_from(mind, vault)
    assert (done.added, done.known, done.replaced) == (2, 1, 2)
    boats = [memory for memory in mind.list(statuses="active") if memory.text.startswith("The tide")]
    assert {memory.text.split(".")[0] for memory in boats} == {"The tide is rising", "The tide is high"}
    [rising] = [memory for memory in boats if "rising" in memory.text]
    assert {other.text for _, other in mind.neighbours(rising.id)} == {
        "The harbour is in Porto. [[Boat]]",
        "Boat: Sail at dawn",
    }
    again = import_from(mind, vault)
    assert (again.added, again.links, again.replaced) == (0, 0, 0)


def test_what_was_corrected_or_forgotten_does_not_come_back(mind, tmp_path):
    file = as_lines(tmp_path / "facts.jsonl", PLAIN)
    import_from(mind, file)
    office, cat = sorted(mind.list(), key=lambda memory: "cat" in memory.text)
    mind.update(office.id, text="The office opens at ten")
    mind.forget(cat.id)
    assert import_from(mind, file).added == 0
    assert texts(mind) == {"The office opens at ten"}


def test_an_import_that_was_stopped_goes_on(mind, tmp_path):
    lines = [{"text": f"Locker {n} holds the {n}th key"} for n in range(600)]
    as_lines(tmp_path / "half.jsonl", lines[:300])
    import_from(mind, tmp_path / "half.jsonl")
    done = import_from(mind, as_lines(tmp_path / "whole.jsonl", lines))
    assert (done.added, done.known) == (300, 300)


def test_a_file_of_a_folder_that_can_not_be_read_is_listed_and_the_others_are_imported(mind, tmp_path):
    with sqlite3.connect(tmp_path / "a-cache.db") as db:
        db.execute("CREATE TABLE thumbnail (name TEXT)")
    (tmp_path / "b-latin.json").write_bytes('{"text": "caf\u00e9"}'.encode("latin-1"))
    (tmp_path / "c-table.csv").write_text("Fact\nThe boat is blue\n", encoding="utf-8")
    as_lines(tmp_path / "facts.jsonl", PLAIN)
    done = twice(mind, tmp_path)
    assert (done.added, done.skipped) == (2, 3)
    named = ["a-cache.db", "b-latin.json, line 1", "c-table.csv"]
    assert [broken.where.rsplit("/", 1)[-1] for broken in done.broken] == named
