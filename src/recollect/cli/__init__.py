"""What does the `recollect` command do? It parses, calls the façade and prints."""

from __future__ import annotations


def main() -> None:
    from .app import app

    app(prog_name="recollect")
