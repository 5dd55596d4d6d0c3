"""StateBench (Parslee 2025): timelines of turns, writes and queries, one JSON object per line.

Only the conversation turns are stored. Writes, supersessions and the initial state are labels and are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from ...errors import InvalidInput
from ..data import Asked, Message, Session
from .reading import Part, read_lines

TRACKS = ("supersession_detection", "repair_propagation", "supersession", "hallucination_resistance")
"""The tracks that retrieval alone can be measured on. The others test permissions, scopes and plans."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StateQuery(Asked):
    must: tuple[str, ...]
    """Phrases that the answer must mention and that some turn before the query contains."""
    must_not: tuple[str, ...]
    said: tuple[str, ...]
    """The turns before the query."""

    def clean(self, texts: Sequence[str]) -> bool:
        """Whether the texts contain nothing that must not be mentioned."""
        return not any(mentions(texts, phrase) for phrase in self.must_not)

    def some(self, texts: Sequence[str]) -> bool:
        """Whether the texts contain a phrase that must be mentioned."""
        return any(mentions(texts, phrase) for phrase in self.must)

    def every(self, texts: Sequence[str]) -> bool:
        """Whether the texts contain all phrases that must be mentioned."""
        return all(mentions(texts, phrase) for phrase in self.must)


Timeline: TypeAlias = tuple[Session | StateQuery, ...]
"""A session before a query holds all turns so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StateBench:
    timelines: tuple[Timeline, ...]
    left_out: int
    """Timelines of other tracks."""


def load(path: str | Path) -> StateBench:
    """Loads an official file of StateBench; may be gzipped."""
    found = list(read_lines(Path(path)))
    tracks = Counter(timeline["track"].text for timeline in found)
    used = [tuple(_steps(each)) for each in found if each["track"].value in TRACKS]
    if not used:
        seen = f"only {', '.join(sorted(tracks))}" if tracks else "no timeline"
        raise InvalidInput(f"{path}: it has {seen}; known tracks: {', '.join(TRACKS)}")
    return StateBench(timelines=tuple(used), left_out=len(found) - len(used))


def _steps(given: Part) -> Iterator[Session | StateQuery]:
    said: list[Message] = []
    for number, event in enumerate(given["events"]):
        kind = event["type"].text
        if kind == "conversation_turn":
            said.append(_message(event))
        elif kind == "query":
            if not said:
                event.refuse("is a query before the first conversation_turn")
            yield _session(said)
            yield _query(event, f"{given['id'].text}/{number}", given["track"].text, [one.text for one in said])


def _message(event: Part) -> Message:
    return Message(role=event["speaker"].text, text=event["text"].text, at=event["ts"].iso_moment)


def _session(said: Sequence[Message]) -> Session:
    first = said[0].at
    assert first is not None
    return Session(id="conversation", at=first, turns=tuple(said))


def _query(event: Part, id: str, track: str, said: Sequence[str]) -> StateQuery:
    truth = event["ground_truth"]
    must, must_not = (
        tuple(phrase.text for phrase in truth.get(name) or ()) for name in ("must_mention", "must_not_mention")
    )
    return StateQuery(
        id=id,
        type=track,
        text=event["prompt"].text,
        at=event["ts"].iso_moment,
        must=tuple(phrase for phrase in must if mentions(said, phrase)),
        must_not=must_not,
        said=tuple(said),
    )


def mentions(texts: Sequence[str], phrase: str) -> bool:
    """Whether some text contains the phrase, in upper or lower case. A `|` separates alternatives, as in StateBench."""
    wordings = [wording.strip() for wording in phrase.casefold().split("|")]
    return any(wording in text.casefold() for text in texts for wording in wordings)
