"""Whether hooks are paused, and what went wrong last. Both are small files in the user's state folder."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from platformdirs import user_state_path


def folder() -> Path:
    return user_state_path("recollect")


def is_paused() -> bool:
    return (folder() / "hooks-paused").exists()


def pause(paused: bool) -> None:
    mark = folder() / "hooks-paused"
    if paused:
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch(mode=0o600)
    else:
        mark.unlink(missing_ok=True)


def note(event: str, problem: str) -> None:
    """Keeps the last problem, because a hook must not print it."""
    try:
        folder().mkdir(parents=True, exist_ok=True)
        file = folder() / "hooks-problem.txt"
        file.touch(mode=0o600)
        line = " ".join(problem.split())
        file.write_text(f"{datetime.now(UTC):%Y-%m-%d %H:%M} {event}: {line}\n", encoding="utf-8", errors="replace")
    except OSError:
        return


def last_problem() -> str | None:
    try:
        return (folder() / "hooks-problem.txt").read_text(encoding="utf-8").strip() or None
    except OSError:
        return None
