"""Keeping a memory healthy: taking it elsewhere, checking it, calibrating it, giving it another embedder.

Each module is imported when it is first used: `keep.doctor.examine(…)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from . import calibrate as calibrate
    from . import doctor as doctor
    from . import exporting as exporting
    from . import importing as importing
    from . import reembed as reembed
else:

    def __getattr__(name: str) -> ModuleType:
        from ..late import module

        return module(__name__, name)
