"""Where do MCP clients store their list of servers, and in which format?"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from ...errors import InvalidInput, UnknownName
from .settings import json_text, toml_text

SERVER = "recollect"
"""The name of our entry in every client."""

Entry = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Client:
    name: str
    title: str
    file: Callable[[], Path]
    """The path of the user's settings file."""
    project: str | None = None
    """The path of a project's settings file, relative to the project's folder."""
    section: str = "mcpServers"
    format: Literal["json", "toml"] = "json"
    says_stdio: bool = False
    """Whether an entry must name its transport."""

    @property
    def path(self) -> tuple[str, str]:
        """The keys that lead to our entry in the file."""
        return self.section, SERVER

    @property
    def text(self) -> ModuleType:
        return toml_text if self.format == "toml" else json_text

    def entry(self, command: Sequence[str]) -> Entry:
        kind = {"type": "stdio"} if self.says_stdio else {}
        return {**kind, "command": command[0], "args": list(command[1:])}

    def snippet(self, command: Sequence[str]) -> str:
        """The text to paste into the file by hand."""
        return str(self.text.put("", self.path, self.entry(command)))

    def settings(self, folder: Path | None) -> Path:
        """The settings file of the user, or of the project in this folder."""
        if folder is None:
            return self.file()
        if self.project is None:
            raise InvalidInput(f"{self.title} has no settings of a project: leave out --project")
        return folder / self.project


def _home(*parts: str) -> Path:
    return Path.home().joinpath(*parts)


def _applications(*parts: str) -> Path:
    """A path in the folder where programs of this system store a user's settings."""
    if sys.platform == "darwin":
        return _home("Library", "Application Support", *parts)
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or _home("AppData", "Roaming")).joinpath(*parts)
    return Path(os.environ.get("XDG_CONFIG_HOME") or _home(".config")).joinpath(*parts)


def _folder_in(variable: str, otherwise: Path) -> Path:
    return Path(os.environ.get(variable) or otherwise)


def _zed() -> Path:
    folder = _home(".config", "zed") if sys.platform == "darwin" else _applications("zed")
    return folder / "settings.json"


CLIENTS = {
    client.name: client
    for client in (
        Client(
            name="claude-desktop",
            title="Claude Desktop",
            file=lambda: _applications("Claude", "claude_desktop_config.json"),
        ),
        Client(
            name="claude-code",
            title="Claude Code",
            file=lambda: _folder_in("CLAUDE_CONFIG_DIR", _home()) / ".claude.json",
            project=".mcp.json",
            says_stdio=True,
        ),
        Client(name="cursor", title="Cursor", file=lambda: _home(".cursor", "mcp.json"), project=".cursor/mcp.json"),
        Client(
            name="vscode",
            title="VS Code",
            file=lambda: _applications("Code", "User", "mcp.json"),
            project=".vscode/mcp.json",
            section="servers",
            says_stdio=True,
        ),
        Client(name="windsurf", title="Windsurf", file=lambda: _home(".codeium", "windsurf", "mcp_config.json")),
        Client(
            name="codex",
            title="Codex",
            file=lambda: _folder_in("CODEX_HOME", _home(".codex")) / "config.toml",
            project=".codex/config.toml",
            section="mcp_servers",
            format="toml",
        ),
        Client(
            name="gemini",
            title="Gemini CLI",
            file=lambda: _home(".gemini", "settings.json"),
            project=".gemini/settings.json",
        ),
        Client(
            name="zed",
            title="Zed",
            file=_zed,
            project=".zed/settings.json",
            section="context_servers",
        ),
        Client(name="lm-studio", title="LM Studio", file=lambda: _home(".lmstudio", "mcp.json")),
    )
}


def named(name: str) -> Client:
    if name not in CLIENTS:
        raise UnknownName("client", name, CLIENTS)
    return CLIENTS[name]
