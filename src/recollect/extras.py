"""How is an optional package installed, or a damaged one again? The command fits how recollect itself was installed."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_MARKS = {"uv-receipt.toml": "uv tool install --force", "pipx_metadata.json": "pipx install --force"}
"""A file in the environment → the program that made it. Such an environment has no pip of its own."""


def install_command(extra: str) -> str:
    """The command that installs the packages of an extra: from the checkout that this code is in, from what was
    installed, or by name."""
    if _is_checkout(_ROOT):
        return f"pip install -e {shlex.quote(f'{_ROOT}[{extra}]')}"
    return f"{_tool() or 'pip install'} {shlex.quote(f'{_package()}[{extra}]')}"


def reinstall_command() -> str:
    """The command that brings back the model files of the package."""
    if _is_checkout(_ROOT):
        return f"git -C {shlex.quote(str(_ROOT))} restore 'src/recollect/*.npz'"
    return f"{_tool() or 'pip install --force-reinstall --no-deps'} {shlex.quote(_package())}"


def _tool() -> str | None:
    return next((made for mark, made in _MARKS.items() if (Path(sys.prefix) / mark).is_file()), None)


def _package() -> str:
    return str(_source() or "recollect")


def _source() -> Path | None:
    """The checkout, wheel or source package that was installed, if it is still there. Installers note it in
    `direct_url.json` (PEP 610)."""
    from importlib.metadata import PackageNotFoundError, distribution  # needed only for the message
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    try:
        noted = json.loads(distribution("recollect").read_text("direct_url.json") or "{}")
        address = urlsplit(noted.get("url", ""))
    except (PackageNotFoundError, ValueError, AttributeError):
        return None
    path = Path(url2pathname(address.path))
    return path if address.scheme == "file" and (_is_checkout(path) or path.is_file()) else None


def _is_checkout(path: Path) -> bool:
    return (path / "pyproject.toml").is_file() and (path / "src" / "recollect").is_dir()
