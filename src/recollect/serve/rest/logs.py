"""Logs as JSON lines on stderr. They never contain questions or memory texts."""

from __future__ import annotations

import contextlib
import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import Any

from ...types import plain


def write(event: str, **values: Any) -> None:  # noqa: ANN401 - whatever JSON can hold
    line = {"at": plain(datetime.now(UTC)), "event": event, **values}
    with contextlib.suppress(OSError, ValueError):  # stderr was closed: go on serving
        sys.stderr.write(json.dumps(line) + "\n")
        sys.stderr.flush()


def frames(error: BaseException) -> list[str]:
    """Where an error happened. Its message may quote a memory, so it is left out."""
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)][-8:]


class _Lines(logging.Handler):
    """Writes uvicorn's own warnings in the same form."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if error is None:
            write("server", level=record.levelname.lower(), message=record.getMessage())
        else:
            write("error", error=type(error).__name__, frames=frames(error))


def take_over() -> None:
    """Makes uvicorn log through this module."""
    logger = logging.getLogger("uvicorn")
    logger.handlers, logger.propagate = [_Lines()], False
    logger.setLevel(logging.WARNING)
