"""Lets extractors resolve words such as "yesterday" in the user's time zone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo

from ..text.moments import in_zone
from .dead_letters import Askable
from .passage import Passage
from .protocol import Extractor, Statement


def zoned(extractor: Extractor, zone: tzinfo) -> Extractor:
    """The extractor with its input times in this zone. The dates it returns are in UTC."""
    if zone is UTC:
        return extractor
    return AskableInZone(extractor, zone) if isinstance(extractor, Askable) else InZone(extractor, zone)


@dataclass(frozen=True, slots=True)
class InZone:
    extractor: Extractor
    zone: tzinfo

    @property
    def name(self) -> str:
        return self.extractor.name

    def extract(
        self, text: str, *, speaker: str | None = None, at: datetime | None = None, asked: str | None = None
    ) -> list[Statement]:
        local = None if at is None else in_zone(at, self.zone)
        return [*_in_utc(self.extractor.extract(text, speaker=speaker, at=local, asked=asked))]


@dataclass(frozen=True, slots=True)
class AskableInZone(InZone):
    """The wrapper for an extractor that asks a model. Maintenance (`tend`) can ask the model again."""

    def ask(self, passage: Passage) -> tuple[Statement, ...]:
        assert isinstance(self.extractor, Askable)
        local = passage if passage.at is None else replace(passage, at=in_zone(passage.at, self.zone))
        return tuple(_in_utc(self.extractor.ask(local)))


def _in_utc(statements: Iterable[Statement]) -> Iterable[Statement]:
    for statement in statements:
        when = statement.occurred_at
        yield statement if when is None else replace(statement, occurred_at=in_zone(when, UTC))
