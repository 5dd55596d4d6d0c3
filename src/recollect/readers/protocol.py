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
    before: str = ""
    """The message before it in the conversation; empty if it is not known."""
    ranked: float = 0.0
    """The score before reading."""
    standing: float = 1.0
    """The product of the factors for speaker, time and status: less if it no longer holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a reader says of a passage, as log-odds: 0 means one half."""

    answers: float
    """The passage answers the question, as of the moment it asks about."""
    concerns: float
    """The passage gives a value for what the question asks, of any time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Readings:
    """What a reader says of the passages of one question."""

    each: tuple[Reading, ...]
    """In the order of the passages."""
    among: float
    """The log-odds that one of them answers, from comparing them. It does not depend on which one."""
    current: float = 0.0
    """The log-odds that the question asks for the present state of something that may change."""


class Reader(Protocol):
    """Reads a question and a memory together. Creating one is cheap; the first `read` loads the model."""

    @property
    def name(self) -> str:
        """The name in recipes."""

    @property
    def fingerprint(self) -> str:
        """Changes whenever the readings change."""

    def read(self, question: str, passages: Sequence[Passage], asked_at: datetime) -> Readings:
        """Reads the question with each passage. The passages come in the order of the ranking, best first; there is at
        least one.

        Raises EmbedderUnavailable when the model can't be loaded.
        """
