"""Makes the environment of a library: with uv if there is one, else with venv and pip."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from .packages import Peer

SECONDS = 1_800
"""For installing one library. txtai brings some gigabytes along."""
MADE = "made.txt"
"""In a finished environment: what was installed."""


class CantRun(Exception):
    """A library that can't be installed or run here, with the reason."""


def make(peer: Peer, folder: Path) -> Path:
    """The interpreter of an environment that has the packages. It is made once and kept."""
    own = place(peer, folder)
    python, made, wanted = _python(own), own / MADE, "\n".join(peer.packages)
    if made.is_file() and made.read_text(encoding="utf-8") == wanted:
        return python
    shutil.rmtree(own, ignore_errors=True)
    own.parent.mkdir(parents=True, exist_ok=True)
    for command in _commands(own, python, peer.packages):
        _call(command)
    made.write_text(wanted, encoding="utf-8")
    return python


def place(peer: Peer, folder: Path) -> Path:
    """Peers with the same first package share an environment."""
    return folder / "-".join((peer.distribution, peer.version, f"py{sys.version_info.major}.{sys.version_info.minor}"))


def _python(own: Path) -> Path:
    return own / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _commands(own: Path, python: Path, packages: Sequence[str]) -> Sequence[Sequence[str]]:
    if uv := shutil.which("uv"):
        making = [uv, "venv", "--quiet", "--python", sys.executable, str(own)]
        return making, [uv, "pip", "install", "--quiet", "--python", str(python), *packages]
    making = [sys.executable, "-m", "venv", str(own)]
    return making, [str(python), "-m", "pip", "install", "--quiet", *packages]


def _call(command: Sequence[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as failed:
        raise CantRun(f"could not be installed: {failed}") from failed
    if done.returncode:
        raise CantRun(f"could not be installed: {reason(done)}")


def reason(done: subprocess.CompletedProcess[str]) -> str:
    """The last line of a program's errors: in Python, the exception."""
    if done.returncode < 0:
        return f"ended by signal {-done.returncode}"
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    return lines[-1] if lines else f"it said nothing, and its exit status is {done.returncode}"
