"""A passage for the model, and the result of asking."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from recollect.extractors.protocol import Statement

# Stands for the speaker in a statement if the passage has no speaker.
UNNAMED = "the user"
_ISO_DATE_LENGTH = len("2023-05-20")


@dataclass(frozen=True, slots=True)
class Passage:
    """A text with its speaker, its time, and the question it answers."""

    text: str
    speaker: str | None = None
    at: datetime | None = None
    asked: str | None = None

    @property
    def characters(self) -> int:
        """The length of everything that a statement about it may contain."""
        date = _ISO_DATE_LENGTH if self.at else 0
        return len(self.text) + len(self.speaker or UNNAMED) + len(self.asked or "") + date


@dataclass(frozen=True, slots=True)
class Extraction:
    """Statements, whether the model or the rules made them, and why the rules were used."""

    statements: tuple[Statement, ...]
    by: Literal["model", "rules"] = "model"
    why: str = ""


class NotExtracted(Exception):
    """The model gave no statements; the message says why.

    `tries`: how many requests failed. `is_final`: trying again would not help. `is_down`: the server failed,
    not this passage.
    """

    def __init__(self, reason: str, *, tries: int = 0, is_final: bool = False, is_down: bool = False) -> None:
        super().__init__(reason)
        self.tries = tries
        self.is_final = is_final
        self.is_down = is_down


class OverBudget(NotExtracted):
    """The next request could exceed the budget."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, is_final=True)
