"""What a model is asked about, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from recollect.extractors.protocol import Statement

# What a statement says in place of "I" and of "yesterday" where the passage has no more than that.
UNNAMED = "the user"
_ISO_DATE_LENGTH = len("2023-05-20")


@dataclass(frozen=True, slots=True)
class Passage:
    """Something said, with who said it, when, and in answer to what."""

    text: str
    speaker: str | None = None
    at: datetime | None = None
    asked: str | None = None

    @property
    def characters(self) -> int:
        """The length of all that a statement about it may draw on."""
        date = _ISO_DATE_LENGTH if self.at else 0
        return len(self.text) + len(self.speaker or UNNAMED) + len(self.asked or "") + date


@dataclass(frozen=True, slots=True)
class Extraction:
    """Statements, whether the model or the rules made them, and why it was the rules."""

    statements: tuple[Statement, ...]
    by: Literal["model", "rules"] = "model"
    why: str = ""


class NotExtracted(Exception):
    """The model gave no statements; the message says why.

    `tries` requests were made in vain. Where `is_final`, another time would go no better. `is_down` is
    about the server rather than about this passage.
    """

    def __init__(self, reason: str, *, tries: int = 0, is_final: bool = False, is_down: bool = False) -> None:
        super().__init__(reason)
        self.tries = tries
        self.is_final = is_final
        self.is_down = is_down


class OverBudget(NotExtracted):
    """The next request could cost more than is left."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, is_final=True)
