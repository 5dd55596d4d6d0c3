"""The official TypeScript client, which most MCP clients use."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from rest_server import running_server

SDK = "@modelcontextprotocol/sdk@^1.32"
DRIVE = Path(__file__).with_name("drive.mjs")


@pytest.fixture(scope="module")
def sdk():
    """A folder with the SDK; fetched once for an environment."""
    folder = Path(sys.prefix) / "mcp-typescript"
    if not folder.exists():
        _fetch(folder)
    shutil.copy(DRIVE, folder)
    return folder


def _fetch(folder):
    if shutil.which("npm") is None or shutil.which("node") is None:
        _missing("node and npm are not installed (on Debian: apt-get install nodejs npm)")
    with tempfile.TemporaryDirectory(dir=folder.parent) as near:
        made = Path(near) / "made"
        made.mkdir()
        try:
            done = subprocess.run(
                ["npm", "install", "--prefix", str(made), "--no-fund", "--no-audit", "--ignore-scripts", SDK],
                capture_output=True,
                text=True,
                timeout=120,
            )
        except subprocess.TimeoutExpired:
            _missing(f"npm did not fetch {SDK} within two minutes")
        if done.returncode:
            _missing(f"npm could not fetch {SDK}: {done.stderr[-300:]}")
        made.rename(folder)


def _missing(what):
    (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(f"the TypeScript client is not tested: {what}")


def drive(sdk, environment, *arguments):
    done = subprocess.run(
        ["node", str(sdk / DRIVE.name), *arguments], capture_output=True, text=True, timeout=120, env=environment
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check(said):
    assert len(said["tools"]) == 12
    assert all(tool["outputSchema"] and tool["annotations"] and tool["description"] for tool in said["tools"])
    assert [hit["id"] for hit in said["first"]["hits"]] == [said["old"]]
    assert "dark mode — 暗い 🌑" in said["first"]["memories"]
    assert said["second"]["hits"][0]["id"] == said["superseded"]["new"]
    assert said["refused"]["isError"] and "nobody" in said["refused"]["content"][0]["text"]
    assert [each["uriTemplate"] for each in said["resourceTemplates"]] == ["recollect://memory/{id}"]
    assert json.loads(said["memory"]["contents"][0]["text"])["status"] == "superseded"
    assert "<memories" in said["prompt"]["messages"][0]["content"]["text"]


def test_it_remembers_recalls_and_supersedes_over_stdio(sdk, command, environment):
    check(drive(sdk, environment, "stdio", *command))


def test_it_remembers_recalls_and_supersedes_over_http(sdk, environment, mind):
    with running_server(mind) as server:
        check(drive(sdk, environment, "http", f"{server.url}/mcp", server.key("write")))
