"""Care of a store: export, import, migration, checks, calibration, and changing the embedder.

Each module is imported when it is first used: `keep.doctor.examine(…)`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from . import calibrate as calibrate
    from . import chain as chain
    from . import doctor as doctor
    from . import exporting as exporting
    from . import importing as importing
    from . import languages as languages
    from . import reembed as reembed

_MODULES = ("calibrate", "chain", "doctor", "exporting", "importing", "languages", "reembed")


def __getattr__(name: str) -> ModuleType:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f".{name}", __name__)
