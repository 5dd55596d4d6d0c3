"""docs/mcp.md lists all clients and tools."""

from pathlib import Path

import pytest

from recollect.serve.mcp.clients import CLIENTS
from recollect.serve.mcp.server import SETS

TEXT = (Path(__file__).parents[3] / "docs" / "mcp.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS.keys())
def test_a_client_has_its_row_and_its_snippet(client):
    assert f"| `{client.name}` | {client.title} |" in TEXT
    assert client.snippet(["recollect", "mcp"]).rstrip() in TEXT
    assert client.project is None or f"`{client.project}` |" in TEXT


def test_every_tool_is_named_once():
    assert all(
        TEXT.count(f"| `{name}` |") == 1 for name in {tool.name for tools in SETS.values() for tool in tools.listed}
    )
