"""Settings: arguments win over RECOLLECT_* variables, those over `recollect.toml`, that over the user's file."""

from __future__ import annotations

import math
import os
import shlex
import tomllib
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, tzinfo
from functools import cache
from pathlib import Path
from typing import Any

from . import trusted
from .errors import InvalidInput, UnknownName

FILE = "recollect.toml"
PREFIX = "RECOLLECT_"


class IgnoredSettings(UserWarning):
    """Settings of a file that the user has not trusted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    db: str = ""
    """Path or URL of the store; empty means `memory.db` in the user's data folder."""
    read_url: str = ""
    """URLs of read replicas of a PostgreSQL store, separated by blanks. See docs/several-machines.md."""
    namespace: str = "default"
    embedder: str = ""
    """Empty means what the store was made with, or the product's default."""
    recipe: str = "default"
    actor: str = "user"
    """Who is noted in the event log."""
    timezone: str = "UTC"
    """The zone of words like "last Tuesday" in questions and conversations, such as `Europe/Paris`."""
    synchronous: str = "full"
    """After a power failure, `full` keeps every commit; `normal` may lose those since the last sync."""
    log_queries: bool = True
    """Whether the recall log keeps the question's text."""
    redact_secrets: bool = False
    """Whether passwords and keys are removed from every text before it is stored."""
    extractor: str = "rules"
    """What extracts facts from conversations: `rules`, or a model as `openai:MODEL@URL`."""
    extractor_budget_tokens: int = 0
    """The most tokens a model may use while the store is open; 0 means no limit."""
    extractor_budget_cost: float = 0.0
    """The same as an amount of money, computed with the two prices; 0 means no limit."""
    extractor_input_price: float = 0.0
    extractor_output_price: float = 0.0
    """Per million tokens, both in the same currency."""

    @property
    def zone(self) -> tzinfo:
        return zone(self.timezone)


@cache
def zone(name: str) -> tzinfo:
    """The time zone of that name. UTC is `datetime.UTC` itself."""
    if name in ("UTC", ""):
        return UTC
    from zoneinfo import ZoneInfo  # most never need it

    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise InvalidInput(
            f"timezone {name!r} is not known: use a name such as Europe/Paris or UTC "
            "(on a system without time zone data, `pip install tzdata` adds it)"
        ) from None


def load(**arguments: Any) -> Settings:  # noqa: ANN401 - a setting each
    """The settings in force; arguments that are None do not count."""
    found = Settings()
    for path in files():
        if os.path.isfile(path):  # Path.is_file raises for a folder we may not look into
            found = replace(found, **_believed(path))
    environment = {
        key.removeprefix(PREFIX).lower(): value
        for key, value in os.environ.items()
        if key.startswith(PREFIX) and key.removeprefix(PREFIX).lower() in _NAMES
    }
    found = replace(found, **_checked(environment, "environment"))
    return replace(found, **{name: value for name, value in arguments.items() if value is not None})


def files() -> list[Path]:
    """Where settings files are looked for, the weaker first."""
    return [config_folder() / FILE, Path(FILE)]


def check(path: Path) -> None:
    """Raises InvalidInput if the file can't be used."""
    _values(path, _content(path))


def untrusted(path: Path) -> list[str]:
    """The settings of a file that do not count, because nobody has trusted its folder."""
    return _untrusted(path, content := _content(path), _values(path, content))


def _believed(path: Path) -> dict[str, Any]:
    """The settings of a file that count. Those of the current folder that don't are named once."""
    content = _content(path)
    values = _values(path, content)
    ignored = _untrusted(path, content, values)
    if ignored:
        _tell(path, tuple(ignored))
    return {name: value for name, value in values.items() if name not in ignored}


def _untrusted(path: Path, content: bytes, values: Mapping[str, Any]) -> list[str]:
    if _is_users(path) or not (found := trusted.ignored(values)):
        return []
    return [] if trusted.is_trusted(path, content, config_folder()) else found


def _is_users(path: Path) -> bool:
    return os.path.realpath(path.parent) == os.path.realpath(config_folder())


_told: set[tuple[str, tuple[str, ...]]] = set()


def _tell(path: Path, names: tuple[str, ...]) -> None:
    full = os.path.realpath(path)
    if (full, names) not in _told:
        _told.add((full, names))
        command = f"recollect trust {shlex.quote(os.path.dirname(full))}"
        message = f"{full} is not trusted, so it can't set {', '.join(names)}; if you trust the folder: `{command}`"
        warnings.warn(message, IgnoredSettings, stacklevel=2)


@cache
def config_folder() -> Path:
    from platformdirs import user_config_path

    return user_config_path("recollect")


def default_db() -> str:
    from platformdirs import user_data_path

    return str(user_data_path("recollect", ensure_exists=True) / "memory.db")


_NAMES = {f.name: f.type for f in fields(Settings)}


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"the settings file {path} can't be read: {error}") from None


def _values(path: Path, content: bytes) -> dict[str, Any]:
    try:
        found = tomllib.loads(content.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidInput(f"the settings file {path} can't be read: {error}") from None
    return _checked(found, str(path))


def _checked(values: Mapping[str, Any], where: str) -> dict[str, Any]:
    for name in values:
        if name not in _NAMES:
            raise InvalidInput(f"{where}: {UnknownName('setting', name, _NAMES)}")
    return {name: _typed(name, value, where) for name, value in values.items()}


def _typed(name: str, value: Any, where: str) -> str | bool | float:  # noqa: ANN401 - TOML
    kind = _NAMES[name]
    if kind == "bool":
        return _truth(name, value, where)
    if kind in ("int", "float"):
        return _number(name, value, where)
    if not isinstance(value, str):
        raise InvalidInput(f"{where}: {name} must be a string, not {value!r}")
    if name == "timezone":
        _check_zone(value, where)
    return value


def _check_zone(name: str, where: str) -> None:
    try:
        zone(name)
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error}") from None


def _truth(name: str, value: Any, where: str) -> bool:  # noqa: ANN401 - TOML
    words = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
    if isinstance(value, bool) or str(value).lower() in words:
        return value if isinstance(value, bool) else words[str(value).lower()]
    raise InvalidInput(f"{where}: {name} must be true or false, not {value!r}")


def _number(name: str, value: Any, where: str) -> float:  # noqa: ANN401 - TOML
    whole = _NAMES[name] == "int"
    try:
        found = int(str(value)) if whole else float(str(value))
    except ValueError:
        found = -1.0
    if isinstance(value, bool) or not 0 <= found < math.inf:
        raise InvalidInput(f"{where}: {name} must be a {'whole ' if whole else ''}number of at least 0, not {value!r}")
    return found
