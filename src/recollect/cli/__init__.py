"""What does the `recollect` command do? It parses, calls the façade and prints."""

from __future__ import annotations


def main() -> None:
    import sys

    try:
        if sys.argv[1:3] == ["hooks", "run"]:  # an assistant waits for it, so the other commands are not loaded
            from ..hooks.run import main as run_hook

            run_hook(sys.argv[3:])
        from .app import app

        app(prog_name="recollect")
    except KeyboardInterrupt:  # before the surface that says so was up
        sys.exit(130)
