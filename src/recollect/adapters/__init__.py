"""recollect in the interfaces of other libraries. Each adapter is one module; most need an extra of the same name."""

from __future__ import annotations


def missing(package: str, extra: str) -> ImportError:
    """The error of an adapter whose package is not installed."""
    return ImportError(f"recollect.adapters.{extra} needs the package {package}: run: pip install 'recollect[{extra}]'")
