"""What every extractor offers: statements from what somebody said."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, TypeAlias

Facet: TypeAlias = Literal["personal_info", "preferences", "events"]
FACETS: tuple[Facet, ...] = ("personal_info", "preferences", "events")


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that was said, with enough context to stand alone.

    Subject, attribute and value are set where the statement says what something is, so that a later
    one with another value can replace it: "I live in Oslo" is user / live in / Oslo.
    """

    text: str
    facets: tuple[Facet, ...] = ()
    entities: tuple[str, ...] = ()
    occurred_at: datetime | None = None
    subject: str | None = None
    attribute: str | None = None
    value: str | None = None


class Extractor(Protocol):
    """Text to statements; deterministic for the same text and moment where no model is asked."""

    @property
    def name(self) -> str:
        """What users call it: `rules`, `openai:MODEL@URL`."""

    def extract(
        self, text: str, *, speaker: str | None = None, at: datetime | None = None, asked: str | None = None
    ) -> list[Statement]:
        """What `text` states, in order; nothing for questions, requests and small talk.

        `speaker` is who "I" is, `at` when it was said (aware), `asked` the question it answers.
        """
