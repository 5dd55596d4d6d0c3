"""Long-term memory for AI agents that you own."""

from importlib import import_module
from typing import TYPE_CHECKING

from . import errors
from .explanation import Explanation
from .recipes import Recipe
from .recollect import Recollect
from .types import Event, Hit, Link, Memory, Recall

if TYPE_CHECKING:
    from .client.async_recollect import AsyncRecollect
    from .client.client import Client

__version__ = "0.1.0"
__all__ = [
    "AsyncRecollect",
    "Client",
    "Event",
    "Explanation",
    "Hit",
    "Link",
    "Memory",
    "Recall",
    "Recipe",
    "Recollect",
    "__version__",
    "errors",
]

_LATER = {"AsyncRecollect": ".client.async_recollect", "Client": ".client.client"}
"""Imported when asked for: they bring asyncio and HTTP along, which most programs don't need."""


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATER[name], __name__), name)
