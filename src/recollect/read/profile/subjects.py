"""Whom or what is a statement about? By its subject and attribute where it has them, else by the names in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from ...text.names import find_names
from ...text.names_chinese import find_chinese_names
from ...text.words import fold
from ...types import NAMELESS, Memory

USER = "user"
"""The owner of the memory, who says "I"."""
KEPT = 4_096
"""Statements whose analysis is kept: moving through time shows the same ones again and again."""
_MEANS_USER = frozenset(("i", "me", "myself", "owner", "the user", USER))
_FIRST_PERSON = re.compile(r"\b(?:I|me|my|mine|myself|we|us|our|ours)\b|^(?:My|Our|We)\b|^[Uu]ser\b|[我咱]")
# The date that the extractor adds to words such as "yesterday".
_DATE_ADDED = re.compile(r" \(\d{4}-\d\d-\d\d\)$")
# Agents and models write so about the owner.
_THE_USER = re.compile(r"^[Tt]he user\b")
_MY = re.compile(r"^(?:my|our|the) ")

Relation: TypeAlias = Literal["self", "relative", "thing"]
"""Whether a statement tells something about its subject, about somebody close to the subject ("my sister lives in …")
or about something without a name of its own ("the rate limit is …")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """The subject of a statement."""

    subject: str
    """As written; `user` for the owner."""
    relation: Relation = "self"
    key: str | None = None
    """Subject and attribute, if the statement gives something that has one value at a time: `user/live in`."""
    value: str | None = None
    """The value, if it has a key."""
    attribute: str | None = None
    """The attribute, unless it is "is", which does not say what the statement is about."""
    names: Mapping[str, str]
    """Everybody and everything it mentions: in lower case and without accents → as written."""

    def concerns(self, wanted: str) -> bool:
        """Whether it is about the one asked for, or mentions them. "Costa" also means "Ana Costa"."""
        return any(f" {wanted} " in f" {name} " for name in self.names)


@dataclass(frozen=True, slots=True)
class _Said:
    """The words of a statement without its speaker and date, and the names in them."""

    words: str
    speaker: str
    leading: str | None
    """The name that the words begin with."""
    mentioned: Sequence[str]


def asked_for(subject: str) -> str:
    """The name to look for. "me" and "I" mean the owner, "my sister" the owner's sister."""
    name = " ".join(fold(subject).split())
    return USER if name in _MEANS_USER else _MY.sub("", name)


def about(memory: Memory) -> About:
    """Whom or what a memory is about, from its text, its speaker and its entities."""
    return _about(memory.text, memory.role, memory.entities, memory.granularity == "memory")


@lru_cache(maxsize=KEPT)
def _about(text: str, role: str | None, entities: tuple[str, ...], alone: bool) -> About:
    said = _said(text, role, entities)
    return _by_key(said) or _by_name(said, entities[0] if alone and entities else None)


def _said(text: str, role: str | None, entities: tuple[str, ...]) -> _Said:
    speaker = USER if role is None or role in NAMELESS else role
    words = _THE_USER.sub("User", _DATE_ADDED.sub("", text.removeprefix(f"{speaker}: ")))
    found = sorted((*find_names(words), *find_chinese_names(words)))
    named = [(position, name) for position, name in found if fold(name) != USER]
    mentioned = [*(name for _, name in named), *entities]
    if _FIRST_PERSON.search(words):
        mentioned.append(speaker)
    return _Said(words, speaker, named[0][1] if named and named[0][0] == 0 else None, mentioned)


def _by_key(said: _Said) -> About | None:
    from ...extractors.rules import triple  # its patterns take time to compile

    stated = triple(said.words, None if said.speaker == USER else said.speaker)
    if stated is None:
        return None
    subject, relation = _whose(stated.subject, stated.attribute, said)
    return About(
        subject=subject,
        relation=relation,
        key=f"{stated.subject}/{stated.attribute}",
        value=stated.value,
        attribute=None if stated.attribute == "is" else stated.attribute,
        names=_folded([stated.subject, subject, *said.mentioned]),
    )


def _whose(subject: str, attribute: str, said: _Said) -> tuple[str, Relation]:
    """The subject of a key as written. Relatives and things belong to the speaker."""
    me = said.speaker.lower()
    if subject == me:
        return said.speaker, "self"
    if subject.startswith(f"{me}'s "):
        return said.speaker, "relative"
    named = next((name for name in said.mentioned if name.lower() == subject), None)
    if named is None and attribute == "is":
        return said.speaker, "thing"
    return named or subject.title(), "self"


def _by_name(said: _Said, given: str | None) -> About:
    """The name that the sentence begins with, the first entity that the writer gave, or the speaker."""
    mine = said.speaker if said.speaker in said.mentioned else None
    subject = said.leading or mine or given or said.speaker
    return About(subject=subject, names=_folded([subject, *said.mentioned]))


def _folded(names: Iterable[str]) -> dict[str, str]:
    return {fold(name): name for name in names}
