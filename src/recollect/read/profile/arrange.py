"""Which statements are shown, of whom, under which heading and in which order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from ...text.analyze import analyze_query
from ...text.words import fold
from ...types import Memory, ProfileGroup, ProfileSource, ProfileStatement, ProfileSubject, Replaced
from .subjects import KEPT, USER, About, about
from .topics import HEADINGS, heading, is_dated, is_lasting, named_time

MOST_SUBJECTS = 10
"""The most subjects that are shown if none is asked for."""
MOST_OF_ALL, MOST_OF_ONE = 5, 25
"""The most statements under a heading: if no subject is asked for, and of the subject asked for."""
_LEAST_WORDS = 2
"""The fewest content words of a statement that was cut from a message. "I've enrolled" says too little alone."""

_PASSING = 1
"""The weight of a statement that was made in passing."""
_PRONOUN_FIRST = re.compile(r"(?:he|she|it|they|this|that|these|those|there)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Entry:
    """A statement that holds, with its place in the profile."""

    memory: Memory
    about: About
    heading: str


@dataclass(frozen=True, slots=True)
class Section:
    """The statements about one subject, by heading. Each list is in the order in which it is shown."""

    name: str
    entries: Mapping[str, Sequence[Entry]]
    most: int
    """The most that are shown under a heading."""

    @property
    def count(self) -> int:
        return sum(map(len, self.entries.values()))

    @property
    def shown(self) -> Iterator[Memory]:
        return (entry.memory for listed in self.entries.values() for entry in listed[: self.most])


def sections(memories: Iterable[Memory], wanted: str | None, at: datetime) -> list[Section]:
    """One section for the subject asked for, or those of the subjects with the most statements, the owner first."""
    entries = list(_entries(memories, at))
    if wanted is not None:
        chosen = [entry for entry in entries if entry.about.concerns(wanted)]
        return [_section(chosen, wanted, MOST_OF_ONE)] if chosen else []
    by_subject: dict[str, list[Entry]] = {}
    for entry in entries:
        by_subject.setdefault(fold(entry.about.subject), []).append(entry)
    known = [name for name, listed in by_subject.items() if name == USER or _is_known(listed)]
    ranked = sorted(known, key=lambda name: (name != USER, -len(by_subject[name]), name))
    return [_section(by_subject[name], name, MOST_OF_ALL) for name in ranked[:MOST_SUBJECTS]]


def _is_known(entries: Sequence[Entry]) -> bool:
    """Whether more is known than one thing said in passing, such as "Friday flew by"."""
    return len(entries) > 1 or _weight(entries[0]) > _PASSING


@dataclass(frozen=True, slots=True)
class Around:
    """What was fetched around the statements, each by statement."""

    sources: Mapping[str, str]
    """The message it was taken from."""
    replaced: Mapping[str, tuple[Replaced, ...]]
    """What it replaced."""
    contradicts: Mapping[str, tuple[str, ...]]
    """What holds too and says otherwise."""
    same: Mapping[str, tuple[str, ...]]
    """What holds too and says the same."""


def subject(section: Section, around: Around) -> ProfileSubject:
    """A section as it is returned."""
    groups = [
        ProfileGroup(
            heading=each,
            statements=tuple(_statement(entry, around) for entry in listed[: section.most]),
            more=max(len(listed) - section.most, 0),
        )
        for each, listed in section.entries.items()
    ]
    return ProfileSubject(name=section.name, count=section.count, groups=tuple(groups))


def _entries(memories: Iterable[Memory], at: datetime) -> Iterator[Entry]:
    for memory in memories:
        known = about(memory)
        if not _is_hollow(memory, known):
            yield Entry(memory, known, heading(memory, known, at))


def _is_hollow(memory: Memory, known: About) -> bool:
    """Whether the statement says nothing on its own. One that gives a value always says something."""
    least = _LEAST_WORDS if memory.granularity == "fact" else 1
    return known.key is None and _content_words(memory.text.removeprefix(f"{memory.role}: ")) < least


@lru_cache(maxsize=KEPT)
def _content_words(text: str) -> int:
    return len(analyze_query(text).content)


def _section(entries: Sequence[Entry], name: str, most: int) -> Section:
    ordered = sorted(entries, key=_rank, reverse=True)
    by_heading = {each: [entry for entry in ordered if entry.heading == each] for each in HEADINGS}
    return Section(_written(entries, name), {each: listed for each, listed in by_heading.items() if listed}, most)


def _rank(entry: Entry) -> tuple[int, datetime, str]:
    return _weight(entry), entry.memory.learned_at, entry.memory.id


def _weight(entry: Entry) -> int:
    """How much a statement tells: pinned ones come first, those about "her" or "it" last."""
    if entry.memory.tier == "pinned":
        return 4
    if entry.about.key is not None:
        return 3
    if _PRONOUN_FIRST.match(entry.memory.text.removeprefix(f"{entry.memory.role}: ")):
        return 0
    return 2 if is_lasting(entry.memory) else _PASSING


def _written(entries: Iterable[Entry], name: str) -> str:
    """The name as the texts write it most often."""
    written = Counter(entry.about.names[name] for entry in entries if name in entry.about.names)
    return written.most_common(1)[0][0] if written else name


def _statement(entry: Entry, around: Around) -> ProfileStatement:
    memory = entry.memory
    return ProfileStatement(
        id=memory.id,
        text=memory.text,
        kind=memory.kind,
        namespace=memory.namespace,
        about=entry.about.key,
        told_at=memory.learned_at,
        occurred_at=memory.occurred_at if is_dated(memory) else None,
        when=named_time(memory),
        source=ProfileSource(
            id=around.sources.get(memory.id, memory.id),
            session_id=memory.session_id,
            turn=memory.turn,
            speaker=memory.role or memory.origin,
        ),
        replaced=around.replaced.get(memory.id, ()),
        pinned=memory.tier == "pinned",
        contradicts=around.contradicts.get(memory.id, ()),
        same=around.same.get(memory.id, ()),
    )
