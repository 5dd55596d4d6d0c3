"""One entry goes into a client's settings, everything else stays, and the way back is exact."""

import json
import os
import sys
import tomllib

import pytest

from recollect.serve.mcp.clients import CLIENTS

FILES = {
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "claude-code": ".claude.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".config/Code/User/mcp.json",
    "windsurf": ".codeium/windsurf/mcp_config.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "zed": ".config/zed/settings.json",
    "lm-studio": ".lmstudio/mcp.json",
}
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the files' places are written down for Linux")


def everything_below(folder):
    """Every file and folder, other than our own notes on what was installed."""
    return sorted(str(path) for path in folder.rglob("*") if ".local" not in path.parts)


def entry(client, file):
    text = file.read_text(encoding="utf-8")
    data = tomllib.loads(text) if file.suffix == ".toml" else json.loads(text)
    return data[CLIENTS[client].section]["recollect"]


def test_every_client_has_its_place():
    assert FILES.keys() == CLIENTS.keys()


@pytest.mark.parametrize("client", FILES)
def test_a_client_without_settings_gets_them_and_loses_them_again(client, install, home):
    before = everything_below(home)
    install(client, "--db", "agent.db", "--namespace", "acme/ada", "--yes")
    found = entry(client, home / FILES[client])
    assert os.access(found["command"], os.X_OK) and os.path.isabs(found["command"])
    assert found["args"][-5:] == ["mcp", "--db", os.path.abspath("agent.db"), "--namespace", "acme/ada"]
    install(client, "--undo", "--yes")
    assert everything_below(home) == before


def test_what_is_there_already_is_left_as_it_is_written(install, home):
    file = home / FILES["claude-code"]
    file.write_text('{"one": "line", "mcpServers": {}}', encoding="utf-8")
    install("claude-code", "--db", "agent.db", "--yes")
    once = file.read_text(encoding="utf-8")
    assert "needs no change" in install("claude-code", "--db", "agent.db", "--yes")
    assert file.read_text(encoding="utf-8") == once


COMMENTED = """// mine
{
    "theme": "dark", // as it should be
    "%s": {
        /* an old friend */
        "files": {"command": "files", "args": ["-x"]} // keep
    },
    "last": [1, 2, {"a": null}], /* odd */
}
"""
PLAIN = """{
  "theme": "dark",
  "%s": {
    "files": { "command": "files", "args": ["-x"] }
  },
  "last": [1, 2, {"a": null}]
}"""
TOML = """# mine
model = "large"   # as it should be

[mcp_servers.files]
command = "files"
args = ["-x"]

# the rest
[history]
persistence = "none"
"""


def text_for(client):
    known = CLIENTS[client]
    if known.format == "toml":
        return TOML
    return COMMENTED % known.section


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("client", FILES)
def test_everything_else_in_the_file_stays(client, newline, install, home):
    file = home / FILES[client]
    file.parent.mkdir(parents=True, exist_ok=True)
    before = text_for(client).replace("\n", newline).encode()
    file.write_bytes(before)
    install(client, "--yes")
    after = file.read_bytes()
    lines = [line.rstrip(b",") for line in after.splitlines()]
    assert all(line.rstrip(b",") in lines or b"files" in line for line in before.splitlines())
    assert b"as it should be" in after
    assert after.count(b"\r\n") == (after.count(b"\n") if newline == "\r\n" else 0)
    install(client, "--undo", "--yes")
    assert file.read_bytes() == before


@pytest.mark.parametrize("client", ["cursor", "codex", "vscode"])
def test_installing_again_replaces_the_entry_and_is_undone_once(client, install, home):
    file = home / FILES[client]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text_for(client), encoding="utf-8")
    install(client, "--db", "one.db", "--yes")
    install(client, "--db", "two.db", "--yes")
    text = file.read_text(encoding="utf-8")
    assert "two.db" in text and "one.db" not in text
    install(client, "--undo", "--yes")
    assert file.read_text(encoding="utf-8") == text_for(client)


def test_a_file_that_changed_since_loses_only_our_entry(install, home, written):
    file = home / FILES["cursor"]
    file.parent.mkdir()
    file.write_text(PLAIN % "mcpServers", encoding="utf-8")
    install("cursor", "--yes")
    file.write_text(file.read_text().replace('"dark"', '"light"'), encoding="utf-8")
    install("cursor", "--undo", "--yes")
    assert written(file) == json.loads((PLAIN % "mcpServers").replace('"dark"', '"light"'))


def test_a_table_of_toml_that_changed_since_loses_only_our_entry(install, home):
    file = home / FILES["codex"]
    file.parent.mkdir()
    file.write_text(TOML, encoding="utf-8")
    install("codex", "--yes")
    file.write_text("first = 1\n" + file.read_text() + "\n[later]\nx = 1\n", encoding="utf-8")
    install("codex", "--undo", "--yes")
    expected = tomllib.loads("first = 1\n" + TOML + "\n[later]\nx = 1\n")
    assert tomllib.loads(file.read_text()) == expected and "# the rest" in file.read_text()


def test_an_entry_that_somebody_else_made_comes_back(install, home):
    file = home / FILES["cursor"]
    file.parent.mkdir()
    mine = '{"mcpServers": {"recollect": {"command": "mine"}, "b": {"command": "b"}}}'
    file.write_text(mine, encoding="utf-8")
    install("cursor", "--yes")
    assert entry("cursor", file)["command"] != "mine"
    install("cursor", "--undo", "--yes")
    assert file.read_text() == mine


@pytest.mark.parametrize(
    ("client", "text"),
    [
        ("cursor", '{"mcpServers": {'),
        ("cursor", '{"a": 1,,}'),
        ("cursor", "{,}"),
        ("cursor", '{"a": NaN}'),
        ("cursor", '{"a": 1 /* open'),
        ("cursor", '["a"]'),
        ("cursor", '{"mcpServers": []}'),
        ("cursor", b"\xff\xfe{}"),
        ("vscode", '{"servers": {"a": }}'),
        ("vscode", '{"a" 1}'),
        ("vscode", '{"a": 1} 2'),
        ("vscode", '{"a": 01}'),
        ("vscode", "[" * 100_000),
        ("codex", "a = "),
        ("codex", "mcp_servers = 1"),
        ("codex", 'mcp_servers = {files = {command = "x"}}'),
    ],
)
def test_a_file_it_cant_read_is_left_alone(client, text, install, home):
    file = home / FILES[client]
    file.parent.mkdir(parents=True)
    data = text if isinstance(text, bytes) else text.encode()
    file.write_bytes(data)
    said = install(client, "--yes", status=2)
    assert str(file) in said and len(said.strip().splitlines()) == 1
    assert file.read_bytes() == data


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "{ }",
        "{\n}\n",
        "\ufeff{}",
        "{/* a */}",
        "{\n  // a\n}",
        '{"a": 1, "b": 2}',
        '{"a": 1,}',
        '{"a": 1 // "b": {\n}',
        '{"a": "// no", /* , } */ "b": [1, ], // x\n}',
    ],
)
def test_small_files_of_every_shape_take_the_entry(text, install, home):
    file = home / FILES["vscode"]
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    install("vscode", "--yes")
    assert '"recollect"' in file.read_text(encoding="utf-8")
    assert ("/* a */" in text) == ("/* a */" in file.read_text(encoding="utf-8"))
    install("vscode", "--undo", "--yes")
    assert file.read_text(encoding="utf-8") == text


def test_the_difference_is_shown_and_nothing_happens_without_a_yes(install, home):
    said = install("cursor", status=2)
    assert "--yes" in said and '+    "recollect": {' in said
    assert '+    "recollect": {' in install("cursor", "--preview")
    assert everything_below(home) == []


def test_what_to_paste_is_printed_and_nothing_written(install, home):
    assert list(json.loads(install("vscode", "--print"))) == ["servers"]
    assert "[mcp_servers.recollect]" in install("codex", "--print")
    assert everything_below(home) == []


def test_a_project_has_settings_of_its_own(install, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    install("claude-code", "--project", "--yes")
    assert entry("claude-code", tmp_path / ".mcp.json")["type"] == "stdio"
    assert "--project" in install("windsurf", "--project", status=2)


def test_there_is_nothing_to_undo_where_nothing_was_done(install, home, written):
    install("cursor", "--undo", "--yes", status=1)
    file = home / FILES["cursor"]
    file.parent.mkdir()
    file.write_text("{}", encoding="utf-8")
    install("cursor", "--undo", "--yes", status=1)
    assert written(file) == {}


def test_an_unknown_client_is_refused_with_the_nearest_name(install):
    assert "did you mean 'cursor'?" in install("curser", status=2)


def test_rights_and_links_of_a_file_stay(install, home):
    real = home / "dotfiles.json"
    real.write_text("{}", encoding="utf-8")
    real.chmod(0o640)
    file = home / FILES["cursor"]
    file.parent.mkdir()
    file.symlink_to(real)
    install("cursor", "--yes")
    assert file.is_symlink() and real.stat().st_mode & 0o777 == 0o640 and "recollect" in real.read_text()


def test_a_program_reads_the_answer_as_json(install, home):
    said = json.loads(install("cursor", "--yes", "--json"))
    assert said["written"] and said["path"] == str(home / FILES["cursor"])
