"""Imports a module of a package when it is first asked for, so that `import recollect` stays quick."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


def module(package: str, name: str) -> ModuleType:
    """For a package's `__getattr__`."""
    try:
        return import_module(f"{package}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"{package}.{name}":
            raise
        raise AttributeError(f"module {package!r} has no attribute {name!r}") from None
