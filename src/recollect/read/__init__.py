"""The read path. Modules that most calls don't need are imported when they are first used: `read.brief.brief(…)`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from . import brief as brief
    from . import compare as compare
    from . import graph as graph
    from . import log as log
    from . import matching as matching

_MODULES = ("brief", "compare", "graph", "log", "matching")


def __getattr__(name: str) -> ModuleType:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f".{name}", __name__)
