"""Extracts statements worth remembering from what was said.

Importing this is cheap: `load` imports only the extractor that is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import UnknownName
from .protocol import Extractor

if TYPE_CHECKING:
    from .dead_letters import DeadLetters
    from .limits import Limits

__all__ = ["DEFAULT", "Extractor", "load", "names"]

DEFAULT = "rules"


def load(name: str, *, limits: Limits | None = None, letters: DeadLetters | None = None) -> Extractor:
    """The extractor of that name. `limits` and `letters` are only used by `openai:MODEL@URL`, which asks a server."""
    kind, colon, _ = name.partition(":")
    if colon and kind == "openai":
        from .openai import from_spec

        return from_spec(name, limits=limits, letters=letters)
    if name != DEFAULT:
        raise UnknownName("extractor", name, names())
    from .rules import Rules

    return Rules()


def names() -> tuple[str, ...]:
    """Every name that `load` accepts; the last is a pattern."""
    return (DEFAULT, "openai:MODEL@URL")
