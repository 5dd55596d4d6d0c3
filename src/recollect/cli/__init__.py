"""What does the `recollect` command do? It parses, calls the façade and prints."""

from __future__ import annotations


def main() -> None:
    import sys

    try:
        from .app import app

        app(prog_name="recollect")
    except KeyboardInterrupt:  # before the surface that says so was up
        sys.exit(130)
