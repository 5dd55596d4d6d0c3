"""The interface of every reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A memory as a reader sees it."""

    text: str
    speaker: str
    """Who said it: `user`, `assistant` or a name."""
    said_at: datetime | None
    """None if it is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a reader says of a passage, as log-odds: 0 means one half."""

    answers: float
    """The passage answers the question, as of the moment it asks about."""
    concerns: float
    """The passage gives a value for what the question asks, of any time."""


class Reader(Protocol):
    """Reads a question and a memory together. Creating one is cheap; the first `read` loads the model."""

    @property
    def name(self) -> str:
        """The name in recipes."""

    @property
    def fingerprint(self) -> str:
        """Changes whenever the readings change."""

    def read(self, question: str, passages: Sequence[Passage], asked_at: datetime) -> list[Reading]:
        """One reading per passage, in order.

        Raises EmbedderUnavailable when the model can't be loaded.
        """
