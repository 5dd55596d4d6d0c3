"""Maintenance of a memory. Each module is imported when it is first used: `tend.strength.decay(…)`."""

from __future__ import annotations

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
else:

    def __getattr__(name: str) -> ModuleType:
        from ..late import module

        return module(__name__, name)
