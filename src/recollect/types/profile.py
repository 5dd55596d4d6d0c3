"""What holds now about people and things."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from .fence import FENCE_CLOSE, FENCE_OPEN, data_line, label_shown
from .plain import by_name, from_plain, readable


@readable
@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileSource:
    """The message or memory that a statement comes from."""

    id: str
    """The message's id. The statement's own id if it was stored by itself or its message is gone."""
    session_id: str | None = None
    """The conversation."""
    turn: int | None = None
    """The number of the message in it."""
    speaker: str | None = None
    """Who said or wrote it: `user`, a name, or the writer of a memory."""


@readable
@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """A statement that a newer one replaced."""

    id: str
    """The id of the statement."""
    text: str
    """What it said."""
    told_at: datetime
    """When it was said."""
    valid_to: datetime | None = None
    """Until when it held."""
    event: str | None = None
    """The event that replaced it. `undo` takes it back. Only the latest statement of a chain has one."""

    @property
    def period(self) -> str:
        """From when to when it held, in words."""
        until = "" if self.valid_to is None else f" to {self.valid_to:%Y-%m-%d}"
        return f"{self.told_at:%Y-%m-%d}{until}"


@readable
@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileStatement:
    """One statement that holds."""

    id: str
    """The id of the statement."""
    text: str
    """What it says."""
    kind: str
    """As `Memory.kind`."""
    namespace: str
    """Where it lies."""
    about: str | None = None
    """Subject and attribute, such as `user/live in`, if it gives something that has one value at a time."""
    told_at: datetime
    """When it was said."""
    occurred_at: datetime | None = None
    """When it happens or happened, if the statement names a date."""
    when: str = ""
    """The time it names, in words: "on 2026-10-03", "in 2026-10", "every Tue"."""
    source: ProfileSource
    """Where it comes from."""
    replaced: tuple[Replaced, ...] = ()
    """The statements it replaced, newest first."""
    pinned: bool = False
    """Whether every context contains it."""
    contradicts: tuple[str, ...] = ()
    """Ids of statements that hold too and say otherwise."""
    same: tuple[str, ...] = ()
    """Ids of statements that hold too and say the same. What corrects this one concerns them as well."""

    @property
    def facts(self) -> Iterator[str]:
        """When it was told, when it happens, and where it comes from, in words."""
        yield f"told {self.told_at:%Y-%m-%d}"
        if self.when:
            yield self.when
        if self.source.session_id is not None:
            yield f"session {self.source.session_id}" + (
                "" if self.source.turn is None else f", turn {self.source.turn}"
            )
        yield f"from {self.source.speaker}"


@readable
@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileGroup:
    """Statements under one heading, such as "Home"."""

    heading: str
    """What the statements are about."""
    statements: tuple[ProfileStatement, ...]
    """Those with one value at a time come first. Otherwise newest first."""
    more: int = 0
    """How many others are left out."""


@readable
@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileSubject:
    """What holds about one person or thing."""

    name: str
    """As it is written in the texts. `user` is the owner of the memory, who says "I"."""
    count: int
    """How many statements there are, with those left out."""
    groups: tuple[ProfileGroup, ...]
    """The statements under their headings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What holds at one moment about people and things, grouped, with sources and what each statement replaced."""

    namespace: str
    """It covers this namespace and those below it."""
    at: datetime
    """The moment it describes."""
    subjects: tuple[ProfileSubject, ...]
    """The owner first, then those with the most statements."""
    truncated: bool = False
    """Whether there are older statements that were not read."""

    @property
    def statements(self) -> Iterator[ProfileStatement]:
        """All statements, in order."""
        return (each for subject in self.subjects for group in subject.groups for each in group.statements)

    def context(self) -> str:
        """The profile as text for a prompt, fenced as data. Every statement has its id."""
        return "\n".join([FENCE_OPEN, *map(data_line, self._lines()), FENCE_CLOSE])

    def _lines(self) -> Iterator[str]:
        for subject in self.subjects:
            for group in subject.groups:
                yield f"{label_shown(subject.name)} · {group.heading}"
                for statement in group.statements:
                    yield f"- {statement.id} [{' · '.join(map(label_shown, statement.facts))}] {statement.text}"
                    yield from (f"- was {each.id} [{each.period}] {each.text}" for each in statement.replaced)

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        return by_name(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Profile:
        return from_plain(cls, data)
