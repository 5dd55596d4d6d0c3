"""The interface of every extractor: it gives the statements of a text."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, TypeAlias

from ..types import When

Facet: TypeAlias = Literal["personal_info", "preferences", "events"]
FACETS: tuple[Facet, ...] = ("personal_info", "preferences", "events")


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement, with enough context to be understood alone.

    The text has the speaker's own words. The time that they name is in `when`, and its first moment in
    `occurred_at`.

    Subject, attribute and value are set if the statement gives something that has one value at a time, so
    that a later statement with another value can replace it: "I live in Oslo" is user / live in / Oslo.
    """

    text: str
    facets: tuple[Facet, ...] = ()
    entities: tuple[str, ...] = ()
    occurred_at: datetime | None = None
    subject: str | None = None
    attribute: str | None = None
    value: str | None = None
    when: When | None = None
    corrects: str | None = None
    """The digest of the sentence that it corrects or retracts."""
    retracts: bool = False
    """Whether it only says that this sentence is wrong."""


class Extractor(Protocol):
    """Gives the statements of a text. Without a model, the same text and time always give the same statements."""

    @property
    def name(self) -> str:
        """The name that users give: `rules`, `openai:MODEL@URL`."""

    def extract(
        self, text: str, *, speaker: str | None = None, at: datetime | None = None, asked: str | None = None
    ) -> list[Statement]:
        """The statements of `text`, in order; none for questions, requests and small talk.

        `speaker`: who says "I". `at`: when it was said, with a time zone. `asked`: the question it answers.
        """
