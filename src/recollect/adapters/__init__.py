"""recollect in the interfaces of other libraries. Each adapter is one module; most need an extra of the same name."""

from __future__ import annotations

from ..extras import install_command


def missing(package: str, module: str) -> ImportError:
    """The error of an adapter whose package is not installed. The extra has the module's name."""
    extra = module.replace("_", "-")
    return ImportError(f"recollect.adapters.{module} needs the package {package}: run: {install_command(extra)}")
