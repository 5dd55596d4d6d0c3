"""A reader that may be missing: without it, recall ranks by words, vectors and the other factors."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from datetime import datetime
from functools import cache

from ..errors import EmbedderUnavailable
from . import load
from .protocol import Passage, Reader, Readings


class NotRead(UserWarning):
    """The reader's model can't be loaded; recall ranks without it until it can."""


class OptionalReader:
    """Asks the reader. After one failure it says so once and stops asking."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self._failed = False

    def read(self, question: str, passages: Sequence[Passage], asked_at: datetime) -> Readings | None:
        """The readings, or None if the model can't be loaded."""
        if self._failed:
            return None
        try:
            return self.reader.read(question, passages, asked_at)
        except EmbedderUnavailable as error:
            self._failed = True
            warnings.warn(f"ranking without a reader: {error}", NotRead, stacklevel=2)
            return None


@cache
def shared(name: str) -> OptionalReader:
    """The reader of that name: one per process."""
    return OptionalReader(load(name))
