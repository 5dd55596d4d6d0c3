"""What travels along the read path, and its answer."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from ..explanation import Explanation
from .fence import fence
from .memory import Link, Memory
from .plain import by_name, from_plain, plain, readable

if TYPE_CHECKING:
    from . import Vector


class Sighting(NamedTuple):
    """One route found one memory, at this rank (from 1), with this raw score (higher is better)."""

    memory_id: str
    route: str
    rank: int
    raw: Explanation


class Candidate(NamedTuple):
    """A memory in the read path, with its score so far. A recall makes hundreds; a dataclass would take four times as
    long to make."""

    memory: Memory
    sightings: Sequence[Sighting]
    score: Explanation
    parts: tuple[Candidate, ...] = ()
    """The parts of a round or session, best first."""
    standing: float = 1.0
    """The product of all multiplying factors except stored ones: speaker, role, time, status …"""
    earlier_than: str | None = None
    """The id of a newer candidate that gives another value of the same thing."""
    is_corrected: bool = False
    """Whether it is a fact that was corrected, so that it says otherwise than its message."""

    @property
    def message(self) -> str | None:
        """Names what it was told in. A corrected fact stands for itself."""
        return None if self.is_corrected else self.memory.message

    def scored(self, score: Explanation) -> Candidate:
        return self._replace(score=score)


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """Data that the read path fetched beforehand for its pure stages."""

    links: tuple[Link, ...] = ()
    memories: Mapping[str, Memory] = field(default_factory=dict)
    """Linked memories that the query may see."""
    vectors: Mapping[str, Vector] = field(default_factory=dict)
    beside: Mapping[str, Sequence[Memory]] = field(default_factory=dict)
    """Turn → the turns just before and after it."""
    sessions: tuple[Memory, ...] = ()
    """Session records that no route found, of sessions of which a part was found."""


@readable
@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """Signals of the routes about whether the answer is in memory."""

    top_similarity: float | None = None
    """Best cosine of all vector routes; None if no vector route ran."""
    keyword_match: bool = False
    """Some memory contains all content words of the question."""
    coverage: float = 0.0
    """The largest IDF-weighted share of the question's content words that one memory contains."""
    agreement: float = 0.0
    """Overlap of the first ten of each route: 0 to 1."""
    margin: float = 0.0
    """How far the best of a route is above the mean of the others in its first ten, as a share of its own score."""
    background: float | None = None
    """Mean cosine of the memories after the nearest ten; None if there are fewer than ten of them."""
    evidence: float | None = None
    """The best evidence in one of the twenty best candidates: its cosine, plus a bonus for the question's words it
    contains, minus a penalty for its multiplying factors. For a comparison, the evidence of the weakest side."""
    read: float | None = None
    """The reader's best log-odds that one memory answers the question; None if nothing was read. Less for a memory
    whose multiplying factors are low."""
    read_mean: float = 0.0
    """The log of the mean odds of all that was read."""
    read_among: float = 0.0
    """The reader's log-odds that one of the memories it read answers, from comparing them."""
    read_count: int = 0
    """How many memories were read."""
    read_first: float = 0.0
    """The log-odds of the memory that was first before reading."""
    read_speaker: float | None = None
    """If the question names one speaker: by how many log-odds the best of what they said is surer to answer than the
    best of what others said, at most 4. Less than 0 means that somebody else's statement answers better."""
    known: float = 1.0
    """The share of the question's content words that occur in some memory."""
    unknown_codes: tuple[str, ...] = ()
    """The codes that the question names, such as an order number, and that no memory contains. As written."""

    @property
    def unknown_code(self) -> bool:
        """Whether there is such a code."""
        return bool(self.unknown_codes)


@readable
@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One stage of a recall: how many went in, how many came out, and a note."""

    stage: str
    """The stage's name."""
    into: int
    """How many memories went in."""
    out: int
    """How many came out."""
    note: str = ""
    """What it did, in words."""
    ms: float = 0.0
    """How long it took."""


@readable
@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A recalled memory. Its score is the value of its explanation."""

    memory: Memory
    """The memory itself; of a round or session, one with all of its text."""
    explanation: Explanation
    """How the score was computed, as a tree of formulas."""
    routes: Mapping[str, int]
    """Route → the memory's rank in it, from 1."""
    neighbours: tuple[Memory, ...] = ()
    """The turns before and after it, if the recipe returns them."""
    parts: tuple[Hit, ...] = ()
    """The parts of a round or session, best first."""
    earlier_than: str | None = None
    """The id of a newer memory that gives another value of the same thing. None if there is none among the hits'
    candidates, or if the question asks about the past."""

    @property
    def score(self) -> float:
        """Higher is better. With `default`: the probability that the memory answers."""
        return self.explanation.value

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        return {
            "memory": self.memory.to_dict(),
            "score": self.score,
            "routes": dict(self.routes),
            "neighbours": [memory.to_dict() for memory in self.neighbours],
            "parts": [part.to_dict() for part in self.parts],
            "earlier_than": self.earlier_than,
            "explanation": self.explanation.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Hit:
        return from_plain(cls, data)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """The answer to one question."""

    id: str
    """Names it in `feedback` and in the log."""
    query: str
    """The question."""
    recipe: str
    """The name of the recipe."""
    at: datetime
    """The moment that was taken as now."""
    hits: tuple[Hit, ...]
    """What was found, best first."""
    rejected: str | None
    """Why nothing is returned, or None."""
    confidence: float
    """0–1: how likely the answer is in memory."""
    signals: Signals
    """What the confidence rests on."""
    trace: tuple[Step, ...]
    """The stages, in order."""
    nearest: tuple[Hit, ...] = ()
    """If the question was refused: what comes nearest. It probably does not answer the question."""
    past_moment: datetime | None = None
    """The end of the past time that the question names, if it asks what was so then. `as_of` gives what held then."""

    def context(self) -> str:
        """The hits as text for a prompt, fenced as data. If the question was refused: what comes nearest, under a
        heading that says so."""
        shown = self.hits or self.nearest
        earlier = [hit.memory.id for hit in shown if hit.earlier_than]
        hits = {hit.memory.id for hit in shown}
        lines = {memory.id: memory for hit in shown for memory in _with_neighbours(hit, hits)}
        beside = lines.keys() - hits
        return fence(list(lines.values()), earlier=earlier, nearest=bool(self.nearest), beside=beside)

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        return {
            "id": self.id,
            "query": self.query,
            "recipe": self.recipe,
            "at": plain(self.at),
            "rejected": self.rejected,
            "confidence": self.confidence,
            "hits": [hit.to_dict() for hit in self.hits],
            "nearest": [hit.to_dict() for hit in self.nearest],
            "past_moment": None if self.past_moment is None else plain(self.past_moment),
            "signals": by_name(self.signals),
            "trace": [by_name(step) for step in self.trace],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Recall:
        return from_plain(cls, data)


def _with_neighbours(hit: Hit, hits: Collection[str]) -> list[Memory]:
    """A hit between its neighbours, in the order they were said. Neighbours that are hits themselves are left out."""
    others = [memory for memory in hit.neighbours if memory.id not in hits]
    own = (hit.parts[0].memory if hit.parts else hit.memory).turn or 0
    before = [memory for memory in others if (memory.turn or 0) < own]
    return [*before, hit.memory, *(memory for memory in others if (memory.turn or 0) >= own)]


@readable
@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One part of an assembled context."""

    name: str
    """Such as `pinned`, `team`, `recent` or `recalled`."""
    text: str
    """With its fence; empty if nothing fits."""
    memories: tuple[Memory, ...]
    """The memories in it."""
    tokens: int
    """How long the text is, estimated."""
    truncated: bool
    """Whether something was cut or left out. The text then ends with a line that says so."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        return by_name(self) | {"memories": [memory.to_dict() for memory in self.memories]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The context for an agent's prompt, in layers."""

    text: str
    """All layers as one text, fenced as data."""
    layers: tuple[Layer, ...]
    """The parts, in the order of the text."""
    tokens: int
    """At most the budget asked for."""
    recalls: tuple[str, ...]
    """The ids of the recalls it was made from, for `feedback`."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        return by_name(self) | {"layers": [layer.to_dict() for layer in self.layers]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Context:
        return from_plain(cls, data)
