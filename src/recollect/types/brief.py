"""What a session told and changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from .fence import FENCE_CLOSE, FENCE_OPEN, data_line
from .memory import Status
from .plain import by_name, from_plain, readable


@readable
@dataclass(frozen=True, slots=True, kw_only=True)
class BriefStatement:
    """One statement, with what became of it."""

    id: str
    text: str
    told_at: datetime
    when: str = ""
    """The time it names, in words: "on 2026-10-03", "every Tue"."""
    status: Status = "active"
    """`superseded` if a later statement replaced it."""

    @property
    def line(self) -> str:
        marks = [mark for mark in (self.when, "" if self.status == "active" else self.status) if mark]
        return f"{self.text} ({', '.join(marks)})" if marks else self.text


@readable
@dataclass(frozen=True, slots=True, kw_only=True)
class BriefChange:
    """Two statements that give different values of the same thing."""

    old: BriefStatement
    new: BriefStatement


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What a session told, what that replaced or contradicts, and what is still to come."""

    session_id: str
    namespace: str
    begun_at: datetime
    ended_at: datetime
    turns: int
    """How many messages are stored; rounds, if only those are."""
    told: tuple[BriefStatement, ...] = ()
    """In the order in which they were told."""
    replaced: tuple[BriefChange, ...] = ()
    contradicted: tuple[BriefChange, ...] = ()
    """Pairs that can't both be true, of which the session told at least one."""
    plans: tuple[BriefStatement, ...] = ()
    """Statements of the session about a time that has not passed."""
    summary: str = ""
    """Two or three sentences by a model; empty without one."""
    summary_failed: str = ""
    """Why the model gave no summary."""
    truncated: bool = False
    """Whether the session has more memories than were read."""

    @property
    def text(self) -> str:
        """The brief as plain text."""
        return "\n".join(self._lines())

    def context(self) -> str:
        """The brief as text for a prompt, fenced as data."""
        return "\n".join([FENCE_OPEN, *map(data_line, self._lines()), FENCE_CLOSE])

    def _lines(self) -> Iterator[str]:
        first, last = f"{self.begun_at:%Y-%m-%d}", f"{self.ended_at:%Y-%m-%d}"
        days = first if first == last else f"{first} to {last}"
        yield f"Session {self.session_id} · {days} · {self.turns} {'turn' if self.turns == 1 else 'turns'}"
        if self.summary:
            yield self.summary
        if self.summary_failed:
            yield f"No summary: {self.summary_failed}"
        yield from _section("Told", (each.line for each in self.told))
        yield from _section("Replaced", (f"{each.old.text} → {each.new.text}" for each in self.replaced))
        yield from _section("Contradicted", (f"{each.old.text} ↔ {each.new.text}" for each in self.contradicted))
        yield from _section("To come", (each.line for each in self.plans))
        if self.truncated:
            yield "The session is longer: not all of it was read."

    def to_dict(self) -> dict[str, Any]:
        return by_name(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Brief:
        return from_plain(cls, data)


def _section(heading: str, lines: Iterator[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        if number == 0:
            yield f"{heading}:"
        yield f"- {line}"
