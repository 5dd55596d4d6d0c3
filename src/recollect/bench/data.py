"""The data types of a benchmark, for all file formats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any, Literal

Unit = Literal["session", "turn", "topic"]
"""What gold refers to, and what counts as one hit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message. It holds only what may be indexed: no labels and no original ids."""

    role: str
    text: str
    at: datetime | None = None
    name: str | None = None
    """The speaker, in a conversation of several people."""

    def to_message(self) -> dict[str, Any]:
        more = {"at": self.at, "name": self.name}
        return {"role": self.role, "content": self.text, **{key: value for key, value in more.items() if value}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A conversation. Its id is ours, not the file's."""

    id: str
    at: datetime
    turns: tuple[Message, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A single memory to store."""

    key: str
    text: str
    topic: str
    kind: str = "fact"
    tags: tuple[str, ...] = ()
    importance: float = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Haystack:
    """The conversations or memories that a question is asked about."""

    name: str
    pool: str
    """The protocol `pooled` stores all haystacks of one pool together."""
    sessions: tuple[Session, ...] = ()
    records: tuple[Record, ...] = ()

    @property
    def size(self) -> int:
        """The number of turns and records."""
        return len(self.records) + sum(len(session.turns) for session in self.sessions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question and the moment when it is asked."""

    id: str
    text: str
    type: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(Asked):
    """A question about a haystack."""

    haystack: str
    gold: frozenset[str]
    """Session ids, turns as `session/number`, or topics. Empty if the question has no answer."""
    named: frozenset[str] = frozenset()
    """Sessions that the file names for a question without an answer. Only the MemX paper counts them as gold."""

    @property
    def answerable(self) -> bool:
        return bool(self.gold)


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """The content of a benchmark file."""

    name: str
    form: str
    """longmemeval, locomo, beam, memdaily or scenario."""
    unit: Unit
    digest: str
    """A digest of the file's content."""
    haystacks: tuple[Haystack, ...]
    questions: tuple[Question, ...]
    notes: tuple[str, ...] = field(default=())
    """What could not be used."""

    @cached_property
    def by_name(self) -> Mapping[str, Haystack]:
        return {haystack.name: haystack for haystack in self.haystacks}

    @cached_property
    def topics(self) -> Mapping[str, str]:
        """Record key → topic."""
        return {record.key: record.topic for haystack in self.haystacks for record in haystack.records}

    def of(self, haystacks: Sequence[Haystack]) -> Dataset:
        """The part with these haystacks and their questions."""
        held = {haystack.name for haystack in haystacks}
        return replace(
            self,
            haystacks=tuple(haystacks),
            questions=tuple(question for question in self.questions if question.haystack in held),
        )

    def sample(self, most: int | None) -> Dataset:
        """At most so many questions, evenly spread, with only the haystacks they need."""
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
