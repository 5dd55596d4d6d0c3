"""The code blocks of the tutorial and the guides run as they are written, in temporary folders.

Pages whose code needs a framework run in `make test-adapters` (tests/adapters/test_guides.py).
"""

import json
import re
from pathlib import Path

import pytest
import yaml
from guide_pages import BLOCK, DOCS, Page
from rest_server import running_server

from recollect import Recollect, config

pytest_plugins = ["server_fixtures"]
ROOT = Path(__file__).parents[1]
INSTALLS = ("pip install", "python3 -m venv", ". .venv")
"""They change the environment of the tests. tests/test_wheel.py and tests/test_packages.py install for real."""
IN_ADAPTERS = {
    "chat.md",
    "langgraph.md",
    "langchain.md",
    "llama-index.md",
    "openai-agents.md",
    "pydantic-ai.md",
    "crewai.md",
    "coming-from-mem0.md",
}


@pytest.fixture
def page(tmp_path, monkeypatch):
    """A page of a user of their own, with an empty home."""
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": str(tmp_path), "COLUMNS": "100"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(config, "files", lambda: [])

    def made(name, *, embedder="hashing", **given):
        environment = given.pop("environment", {}) | ({"RECOLLECT_EMBEDDER": embedder} if embedder else {})
        return Page(name, tmp_path, environment=environment, **given)

    return made


def test_every_guide_is_run_somewhere():
    here = {name for name in globals() if name.startswith("test_")}
    nav = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Loader=yaml.BaseLoader)["nav"]
    guides = next(part["Guides"] for part in nav if "Guides" in part)
    pages = [name for part in guides for name in part.values()]
    assert len(pages) > 15
    pages = [name for name in pages if BLOCK.search((DOCS / name).read_text(encoding="utf-8"))]
    run = {f"test_{Path(name).stem.replace('-', '_')}_runs" for name in pages if name not in IN_ADAPTERS}
    assert run - here == set(), "write a test that runs this page"


def test_tutorial_runs(page, tmp_path):
    """With the model that is shipped. Its assistant runs in tests/adapters/test_guides.py, against its stand-in."""
    tutorial = page("tutorial.md", embedder=None, elsewhere=INSTALLS)
    blocks = tutorial.blocks()
    tutorial.blocks = lambda: [
        block for block in blocks if not {"OpenAI(", "StandIn"} & {*re.findall(r"\w+\(?", block[1])}
    ]
    said = tutorial.run()
    assert "My sister Clara is allergic to almonds" in said and "probably not in memory" in said
    assert said.index("I moved to Trieste") < said.index("I live in Porto", said.index("I moved to Trieste"))
    assert "<memories" in said and "UserPromptSubmit" in said
    hooks = json.loads((tmp_path / ".claude" / "settings.json").read_text())["hooks"]
    assert "first-hour/agent.db" in json.dumps(hooks)


def test_claude_code_runs(page, tmp_path):
    said = page("claude-code.md").run()
    assert "hooks run start" in said and "mcp" in (tmp_path / ".claude.json").read_text()


def test_assistants_runs(page):
    assert "gemini" in page("assistants.md").run()


def test_mcp_runs(page):
    assert (
        "mcpServers" in page("mcp.md", elsewhere=INSTALLS, replaced={"claude-desktop     #": "claude-code     #"}).run()
    )


def test_import_runs(page, tmp_path):
    message = {"sender": "human", "text": "I drink green tea.", "created_at": "2026-01-02T10:00:00Z"}
    chat = {"uuid": "c1", "created_at": "2026-01-02T10:00:00Z", "chat_messages": [message]}
    (tmp_path / "conversations.json").write_text(json.dumps([chat]))
    (tmp_path / "facts.csv").write_text("Fact,Date\nThe boat is blue,2026-01-02\n")
    (tmp_path / "notes.md").write_text("- The gate is green\n- The shed is red\n")
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "note.md").write_text("---\ntags: [sea]\n---\nThe harbour is in [[Porto]].\n")
    guide = page("import.md", environment={"RECOLLECT_DB": str(tmp_path / "agent.db")})
    guide.run()
    listed = guide.recollect("list", "--json", "--namespace", "default") + guide.recollect("list", "--namespace", "ada")
    assert "green tea" in listed and "boat is blue" in listed and "harbour" in listed


def test_team_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Recollect("served.db", namespace="acme", embedder="hashing") as mind, running_server(mind) as server:
        environment = {"MEMORY_URL": server.url, "MEMORY_KEY": server.key("write")}
        # serve runs until it is stopped; the server of this test is another one. No container engine is needed here.
        apart = (*INSTALLS, "recollect serve", "docker ")
        said = page("team.md", environment=environment, elsewhere=apart).run()
    assert said.count("rk_") == 3 and "The release is on Thursday" in said


def test_postgres_runs(page, database, tmp_path):
    with Recollect(tmp_path / "agent.db", embedder="hashing") as mind:
        mind.remember("Ada lives in Trieste")
    guide = page("postgres.md", elsewhere=(*INSTALLS, "createdb", "psql"))
    guide.replaced = {"$ export PGPASSWORD=…\n": "", "postgresql://ada@db.example.org/memory": database}
    guide.replaced["postgresql:///memory"] = database
    blocks = guide.blocks()
    moves = next(text for _, text in blocks if "migrate" in text)
    guide.blocks = lambda: [block for block in blocks if block[1] != moves]
    said = guide.run()
    guide.given["mind"].close()
    assert "remembered" in said and "vector" in said


def test_moving_to_postgres_and_back_runs(page, database, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Recollect("agent.db", embedder="hashing") as mind:
        mind.remember("Ada lives in Trieste")
    guide = page("postgres.md")
    guide.recollect("migrate", "agent.db", database)
    guide.recollect("migrate", database, "back.db")
    assert "Ada lives in Trieste" in guide.recollect("list", "--db", "back.db")


def test_backup_runs(page, tmp_path):
    assert "Ada prefers dark mode" in page("backup.md").run()
    assert len(list(tmp_path.glob("agent-*.db"))) == 3 and (tmp_path / "saved.db").exists()


def test_privacy_runs(page, tmp_path):
    said = page("privacy.md").run()
    assert "Ada moved to Trieste" in (tmp_path / "ada.jsonl").read_text()
    assert "correct-horse" not in said and b"Trieste" not in (tmp_path / "agent.db").read_bytes()


def test_filters_runs(page):
    said = page("filters.md").run()
    assert said.startswith("The export job fails on Mondays\n1\n1\n0\n")
    assert said.count("The export job fails on Mondays") == 2


def test_recipe_files_runs(page):
    assert "my-keywords" in page("recipe-files.md").run()


def test_ingest_runs(page):
    """The sessions are compared with what the page shows in tests/test_shown_sessions.py."""
    messages = [{"role": "user", "content": "I live in Porto."}]
    with Recollect(":memory:", embedder="hashing") as mind:
        guide = page("ingest.md", given={"mind": mind, "messages": messages}, environment={"RECOLLECT_DB": "a.db"})
        (guide.folder / "notes").mkdir()
        (guide.folder / "README.md").write_text("# Boats\n")
        blocks = guide.blocks()
        guide.blocks = lambda: [block for block in blocks if block[0] != "console"]
        guide.run()
        assert {memory.granularity for memory in mind.list()} == {"turn", "fact", "chunk"}


def test_profile_runs(page):
    with Recollect(":memory:", embedder="hashing") as mind:
        mind.remember("Ada lives in Porto", at="2026-01-01")
        mind.ingest([{"role": "user", "content": "I live in Porto."}], session_id="autumn")
        guide = page("profile.md", given={"mind": mind})
        blocks = guide.blocks()
        guide.blocks = lambda: [block for block in blocks if block[0] != "console"]
        assert "Ada lives in Porto" in guide.run()


def test_maintenance_runs(page):
    with Recollect(":memory:", embedder="hashing") as mind:
        mind.remember("Ada prefers dark mode")
        guide = page("maintenance.md", given={"mind": mind, "my_llm": str.upper}, environment={"RECOLLECT_DB": "a.db"})
        guide.recollect("add", "Ada prefers dark mode", "--db", str(guide.folder / "a.db"))
        guide.run()
        assert mind.retention("acme/support").most_memories == 50_000
