"""The assistants that have hooks: where their settings are, and how they name their events."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..errors import UnknownName

DEFAULT = "claude-code"


@dataclass(frozen=True, kw_only=True)
class Assistant:
    """All of them have one form: event → groups → commands, below `hooks` in a JSON file."""

    title: str
    home: str
    """The folder of its settings, in the user's home."""
    home_variable: str
    """The environment variable that names another folder; empty if there is none."""
    file: str
    project_file: str
    events: Mapping[str, str]
    """The assistant's events, and ours."""
    timeout: int
    """Two seconds, in the assistant's unit."""
    silence: Mapping[str, str]
    """Our event → what it has to be answered if there is nothing to say."""
    afterwards: str
    """What the user has to do after the installation."""

    def settings_file(self, project: Path | None) -> Path:
        if project is not None:
            return project / self.home / self.project_file
        named = os.environ.get(self.home_variable) if self.home_variable else None
        return Path(named or Path.home() / self.home) / self.file

    def event_name(self, ours: str) -> str:
        return next(name for name, event in self.events.items() if event == ours)


ASSISTANTS: Mapping[str, Assistant] = {
    "claude-code": Assistant(
        title="Claude Code",
        home=".claude",
        home_variable="CLAUDE_CONFIG_DIR",
        file="settings.json",
        project_file="settings.local.json",
        events={"SessionStart": "start", "UserPromptSubmit": "prompt", "SessionEnd": "end"},
        timeout=2,
        silence={},
        afterwards="new sessions use it",
    ),
    "codex": Assistant(
        title="Codex",
        home=".codex",
        home_variable="CODEX_HOME",
        file="hooks.json",
        project_file="hooks.json",
        # it has no event at the end of a session; after each turn, only what is new is stored
        events={"SessionStart": "start", "UserPromptSubmit": "prompt", "Stop": "end"},
        timeout=2,
        # versions of Codex call a Stop hook without JSON a failure
        silence={"end": "{}"},
        afterwards="Codex asks you to trust it at its next start",
    ),
    "gemini": Assistant(
        title="Gemini CLI",
        home=".gemini",
        home_variable="",
        file="settings.json",
        project_file="settings.json",
        events={"SessionStart": "start", "BeforeAgent": "prompt", "SessionEnd": "end"},
        timeout=2000,
        silence={},
        afterwards="new sessions use it",
    ),
}


def assistant(name: str) -> Assistant:
    if name not in ASSISTANTS:
        raise UnknownName("assistant with hooks", name, ASSISTANTS)
    return ASSISTANTS[name]
