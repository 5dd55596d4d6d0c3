"""What a benchmark is made of, whatever file it came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any, Literal

Unit = Literal["session", "turn", "topic"]
"""What a question's gold names, and a hit is counted by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message. It holds what may be indexed and nothing else: no flag, no original id."""

    role: str
    text: str
    at: datetime | None = None

    def to_message(self) -> dict[str, Any]:
        return {"role": self.role, "content": self.text, **({"at": self.at} if self.at else {})}


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A conversation under an id of our own."""

    id: str
    at: datetime
    turns: tuple[Said, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A memory that is stored as it is."""

    key: str
    text: str
    topic: str
    kind: str = "fact"
    tags: tuple[str, ...] = ()
    importance: float = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Haystack:
    """What a question is asked of: conversations, or memories."""

    name: str
    pool: str
    """Haystacks of one pool are put together by the protocol `pooled`."""
    sessions: tuple[Session, ...] = ()
    records: tuple[Record, ...] = ()

    @property
    def size(self) -> int:
        """Turns and records."""
        return len(self.records) + sum(len(session.turns) for session in self.sessions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    id: str
    text: str
    type: str
    haystack: str
    at: datetime
    gold: frozenset[str]
    """Session ids, turns as `session/number`, or topics. Empty: the answer is not there."""

    @property
    def answerable(self) -> bool:
        return bool(self.gold)


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """A benchmark file, read."""

    name: str
    form: str
    """longmemeval, locomo, beam, memdaily or scenario."""
    unit: Unit
    digest: str
    """Of the file's content."""
    haystacks: tuple[Haystack, ...]
    questions: tuple[Question, ...]
    notes: tuple[str, ...] = field(default=())
    """What of the file could not be used."""

    @cached_property
    def by_name(self) -> Mapping[str, Haystack]:
        return {haystack.name: haystack for haystack in self.haystacks}

    @cached_property
    def topics(self) -> Mapping[str, str]:
        """Record key → topic."""
        return {record.key: record.topic for haystack in self.haystacks for record in haystack.records}

    def of(self, haystacks: Sequence[Haystack]) -> Dataset:
        """The part with these haystacks and what is asked of them."""
        held = {haystack.name for haystack in haystacks}
        return replace(
            self,
            haystacks=tuple(haystacks),
            questions=tuple(question for question in self.questions if question.haystack in held),
        )

    def sample(self, most: int | None) -> Dataset:
        """Evenly spread questions, with only the haystacks they need."""
        if most is None or most >= len(self.questions):
            return self
        kept = tuple(self.questions[n * len(self.questions) // most] for n in range(most))
        needed = {question.haystack for question in kept}
        return replace(
            self,
            haystacks=tuple(haystack for haystack in self.haystacks if haystack.name in needed),
            questions=kept,
            notes=(*self.notes, f"{most} of {len(self.questions)} questions, with only their haystacks"),
        )
