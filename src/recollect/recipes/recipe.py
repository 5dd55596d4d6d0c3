"""A recipe: which stages a memory system uses, with which numbers.

Every part is a frozen dataclass of constants, defined in `parts/`. The stage that uses it is in `read/` or `write/`,
under the field's name. Parts hold no logic beyond checking their own ranges.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ..errors import InvalidRecipe
from ..types import Status
from .parts.checked import Count, Part, Range, Share, Weight, hints, type_name
from .parts.factors import (
    Factor,
    Factors,
    Frequency,
    FuturePenalty,
    KindBoost,
    MemoryFactor,
    QueryFactor,
    QuestionPenalty,
    Recency,
    Relevance,
    Role,
    SpeakerMatch,
    StatusPenalty,
    Stored,
    TierPenalty,
    TimeMatch,
)
from .parts.fusion import Fuse, ReciprocalRank, Scaled, ScoreSum
from .parts.reading import Read
from .parts.routes import AUTOMATIC_LINK_KINDS, Depth, Graph, Lexical, Route, TimeWindow, Vector
from .parts.selection import (
    Contradiction,
    Diversify,
    Gate,
    Group,
    MaximalMarginalRelevance,
    OnePerMessage,
    Pack,
    SameMeaning,
    SameStatement,
    SameText,
    TagSignature,
    ZScoreSigmoid,
)
from .parts.spreading import Activation, SessionFirst, SessionPrior, Spread, TurnNeighbours

__all__ = [
    "AUTOMATIC_LINK_KINDS",
    "STORED_AS_GIVEN",
    "Activation",
    "Contradiction",
    "Count",
    "Depth",
    "Diversify",
    "Factor",
    "Factors",
    "Frequency",
    "Fuse",
    "FuturePenalty",
    "Gate",
    "Graph",
    "Group",
    "KindBoost",
    "Lexical",
    "MaximalMarginalRelevance",
    "MemoryFactor",
    "Pack",
    "Part",
    "QueryFactor",
    "QuestionPenalty",
    "Range",
    "Read",
    "Recency",
    "Recipe",
    "ReciprocalRank",
    "Record",
    "Relevance",
    "Role",
    "Route",
    "OnePerMessage",
    "SameMeaning",
    "SameStatement",
    "SameText",
    "Scaled",
    "ScoreSum",
    "SessionFirst",
    "SessionPrior",
    "Share",
    "SpeakerMatch",
    "Spread",
    "StatusPenalty",
    "Stored",
    "TagSignature",
    "TierPenalty",
    "TimeMatch",
    "TimeWindow",
    "TurnNeighbours",
    "Vector",
    "Weight",
    "WriteRules",
    "ZScoreSigmoid",
    "hints",
    "type_name",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(Part):
    """Which count and timestamp a recall updates on the memories it returns."""

    counts: Literal["retrieval", "access"] = "retrieval"


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRules(Part):
    """Constants for storing and for maintenance."""

    duplicate: Share = 0.92
    """The cosine from which a new memory may be a duplicate."""
    duplicate_by_embedder: Mapping[str, Share] = field(default_factory=dict)
    """Replaces `duplicate` for one embedder."""
    near_duplicates: Literal["same_statement", "cosine", "keep"] = "same_statement"
    """What else makes a duplicate. same_statement: both state the same · cosine: nothing else · keep: similar texts are
    never merged, only equal ones."""
    duplicate_gain: Share = 0.1
    """Added to a memory's importance when it is stored again."""
    cluster: Share = 0.80
    """The cosine from which memories may be consolidated."""
    cluster_by_embedder: Mapping[str, Share] = field(default_factory=dict)
    """Replaces `cluster` for one embedder."""
    clusters: Literal["same_statement", "cosine", "keep"] = "same_statement"
    """What else makes a cluster. same_statement: of every two members, one adds nothing to the other · cosine: nothing
    else · keep: nothing is consolidated."""
    recognise_updates: bool = True
    """Whether a new statement supersedes or contradicts stored ones automatically."""
    reinforcement: Share = 0.1
    decay_per_day: Share = 0.01

    def duplicate_threshold(self, embedder: str) -> float:
        return self.duplicate_by_embedder.get(embedder, self.duplicate)

    def cluster_threshold(self, embedder: str) -> float:
        return self.cluster_by_embedder.get(embedder, self.cluster)


STORED_AS_GIVEN = WriteRules(near_duplicates="keep", clusters="keep", recognise_updates=False)
"""For systems whose documents describe no merging, no summaries and no updates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe(Part):
    """A memory system as data."""

    name: str
    cite: str
    statuses: tuple[Status, ...] = ("active",)
    search_archived: bool = False
    """Whether archived memories are searched with the others."""
    second_look: bool = False
    """Whether archived memories are searched if nothing else is found."""
    past_questions: bool = False
    """Whether a question about the past ("where did I live before?") also finds what was superseded since."""
    split_comparisons: bool = False
    """Whether each side of a comparison ("which came first, … or …?") is also searched on its own."""
    split_topics: bool = False
    """Whether each topic of a question ("my diet, my allergies and …") is also searched on its own."""
    routes: tuple[Route, ...]
    fuse: Fuse
    spread: tuple[Spread, ...] = ()
    factors: Factors = Factors()
    normalise: ZScoreSigmoid | None = None
    conflicts: Contradiction | None = None
    read: Read | None = None
    reject: Gate | None = None
    diversify: tuple[Diversify, ...] = ()
    group: Group = Group()
    """How hits are grouped if the caller asks for rounds or sessions."""
    pack: Pack = Pack()
    record: Record = Record()
    write: WriteRules = WriteRules()

    def __post_init__(self) -> None:
        Part.__post_init__(self)
        names = [route.name for route in self.routes]
        if not names or len(names) != len(set(names)):
            raise InvalidRecipe("routes: a recipe needs at least one route, and no two may have the same name")
        fused = self.fuse.routes if isinstance(self.fuse, ScoreSum) else self.fuse.weights
        if unknown := set(fused) - set(names):
            raise InvalidRecipe(f"fuse names a route {min(unknown)!r} that the recipe does not have")

    @property
    def needs_dates(self) -> bool:
        """Whether a route or a factor uses the time that a question names."""
        parts = (*self.routes, *self.factors.add, *self.factors.multiply)
        return any(isinstance(part, TimeWindow | TimeMatch) for part in parts)

    @property
    def vector_routes(self) -> tuple[Vector, ...]:
        return tuple(route for route in self.routes if isinstance(route, Vector))
