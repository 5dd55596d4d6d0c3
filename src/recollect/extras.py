"""How is an optional package installed? The command fits how recollect itself was installed."""

from __future__ import annotations

import shlex
from pathlib import Path

_ROOT = Path(__file__).parents[2]


def install_command(extra: str) -> str:
    """The command that installs the packages of an extra: from the checkout that this code is in, or by name."""
    if (_ROOT / "pyproject.toml").is_file() and (_ROOT / "src" / "recollect").is_dir():
        return f"pip install -e {shlex.quote(f'{_ROOT}[{extra}]')}"
    return f"pip install 'recollect[{extra}]'"
