"""Which folders' `recollect.toml` the user trusts, and what a file may set that nobody trusts.

A folder may be a cloned repository. Its file must not send conversations to a server, or open a store that somebody
else has made: a store names its own embedder, which may be on a server too.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from .errors import InvalidInput

FILE = "trusted.json"
"""In the user's configuration folder: the absolute path of a settings file → the digest of its content."""


def _is_plain_name(value: object) -> bool:
    """Whether a recipe or an embedder is one of the package: not a file, and not a model on a server."""
    return isinstance(value, str) and not any(sign in value for sign in ":/\\@.")


ALLOWED: Mapping[str, Callable[[object], bool]] = {
    "namespace": lambda value: True,
    "actor": lambda value: True,
    "timezone": lambda value: True,
    "recipe": _is_plain_name,
    "embedder": _is_plain_name,
    "extractor": lambda value: value == "rules",
    "synchronous": lambda value: value == "full",
    "log_queries": lambda value: value is False,
    "redact_secrets": lambda value: value is True,
}
"""What any file may set: nothing that reaches the network or another path, and nothing that protects less."""


def ignored(values: Mapping[str, Any]) -> list[str]:
    """The settings that count only in a trusted file."""
    return [name for name, value in values.items() if name not in ALLOWED or not ALLOWED[name](value)]


def is_trusted(file: Path, content: bytes, folder: Path) -> bool:
    return all_trusted(folder).get(_key(file)) == _digest(content)


def trust(file: Path, folder: Path) -> str:
    """Trusts the file as it is now. A change of its content ends the trust."""
    key, content = _key(file), file.read_bytes()
    _write(folder, {**all_trusted(folder), key: _digest(content)})
    return key


def distrust(file: Path, folder: Path) -> bool:
    """Whether the file was trusted until now."""
    held = all_trusted(folder)
    found = held.pop(_key(file), None) is not None
    if found:
        _write(folder, held)
    return found


def all_trusted(folder: Path) -> dict[str, str]:
    path = folder / FILE
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} can't be read ({error}): correct or delete it") from None
    if not isinstance(found, dict):
        raise InvalidInput(f"{path} is not a JSON object: correct or delete it")
    return {str(key): str(value) for key, value in found.items()}


def _write(folder: Path, held: Mapping[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    beside = folder / f".{FILE}.{os.getpid()}"
    try:
        beside.write_text(json.dumps(held, indent=2, sort_keys=True) + "\n", encoding="utf-8")
        beside.chmod(0o600)
        os.replace(beside, folder / FILE)
    finally:
        beside.unlink(missing_ok=True)


def _key(file: Path) -> str:
    """The path of the file itself, even if it is a link: the paths in it are relative to its folder."""
    return os.path.join(os.path.realpath(file.parent), file.name)


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()
