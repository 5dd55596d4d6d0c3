"""Maintenance of a memory. Each module is imported when it is first used: `tend.strength.decay(…)`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from . import assemble as assemble
    from . import consolidate as consolidate
    from . import dead_letters as dead_letters
    from . import feedback as feedback
    from . import retention as retention
    from . import strength as strength
    from . import tend as tend
    from . import tiers as tiers

_MODULES = ("assemble", "consolidate", "dead_letters", "feedback", "retention", "strength", "tend", "tiers")


def __getattr__(name: str) -> ModuleType:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f".{name}", __name__)
