"""Factors: what counts besides relevance, such as age, importance, status and speaker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypeAlias

from ...errors import InvalidRecipe
from .checked import Part, Range, Share, Weight


@dataclass(frozen=True, slots=True, kw_only=True)
class Relevance(Part):
    """The relevance after fusion and spreading, unchanged or divided by the best candidate's."""

    weight: Weight = 1.0
    scale: Literal["raw", "max"] = "raw"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored(Part):
    """A number that is stored with the memory."""

    field: Literal["importance", "confidence", "strength"]
    floor: Share = 0.0
    """The factor for a stored value of 0: floor + (1 - floor) * value."""
    weight: Weight = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Recency(Part):
    """exp(−rate × days) or 2^(−days / half-life), with the days counted from one of the memory's timestamps."""

    since: Literal["touched", "retrieved", "accessed", "created", "happened"]
    """touched: the later of accessed and retrieved. A missing timestamp falls back to created. The turns and facts of
    a conversation were created when they were said, not when they were imported."""
    rate_per_day: Annotated[float, Range(0, 1000)] | None = None
    half_life_days: Annotated[float, Range(1e-6, 1e6)] | None = None
    half_life_days_by_kind: Mapping[str, Annotated[float, Range(1e-6, 1e6)]] = field(default_factory=dict)
    """Replaces `half_life_days` for memories of one kind."""
    exempt_undated_documents: bool = False
    """Chunks of files that carry no date do not age."""
    weight: Weight = 1.0

    def __post_init__(self) -> None:
        Part.__post_init__(self)
        if (self.rate_per_day is None) == (self.half_life_days is None):
            raise InvalidRecipe("recency needs exactly one of rate_per_day and half_life_days")
        if self.half_life_days_by_kind and self.half_life_days is None:
            raise InvalidRecipe("half_life_days_by_kind needs half_life_days, for the other kinds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Frequency(Part):
    """min(1, ln(count + 1) / divisor) of the chosen count, or of the other one if that is 0."""

    count: Literal["retrieval", "access"] = "retrieval"
    divisor: Annotated[float, Range(1e-6, 1e6)] = 10.0
    weight: Weight = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusPenalty(Part):
    """A multiplier by status; 1 for a status that is not listed."""

    multipliers: Mapping[str, Weight]


@dataclass(frozen=True, slots=True, kw_only=True)
class TierPenalty(Part):
    """A multiplier by tier; 1 for a tier that is not listed."""

    multipliers: Mapping[str, Weight]


@dataclass(frozen=True, slots=True, kw_only=True)
class KindBoost(Part):
    """1 + a boost by kind of memory."""

    boosts: Mapping[str, Annotated[float, Range(-1, 10)]]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPenalty(Part):
    """A multiplier for a short text that ends with a question mark: it asks something and states little."""

    multiplier: Weight = 0.7
    shorter_than_chars: Annotated[int, Range(1, 100_000)] = 150
    """A longer text usually states something before it asks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FuturePenalty(Part):
    """A multiplier for a memory that was told more than `slack_days` after the caller's `at`."""

    multiplier: Weight = 0.5
    slack_days: Annotated[float, Range(0, 10_000)] = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Role(Part):
    """A multiplier by the role that said it.

    It does not apply if the question contains one of `unless_words` outside a request such as "can you …".
    """

    multipliers: Mapping[str, Weight]
    unless_words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeakerMatch(Part):
    """A multiplier for other speakers' turns if the question names a speaker: people mostly talk about themselves."""

    other_speakers: Weight = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeMatch(Part):
    """1 + boost for a memory that happened in the time the question names, plus or minus `slack_days`."""

    boost: Weight = 0.4
    slack_days: Annotated[float, Range(0, 10_000)] = 3.0


MemoryFactor: TypeAlias = Stored | Recency | Frequency | TierPenalty | KindBoost | QuestionPenalty | FuturePenalty
"""Depends on the memory and the time of the question only."""
QueryFactor: TypeAlias = Role | SpeakerMatch | TimeMatch | StatusPenalty
"""Depends on the words of the question too."""
Factor: TypeAlias = Relevance | MemoryFactor | QueryFactor


@dataclass(frozen=True, slots=True, kw_only=True)
class Factors(Part):
    """score = (Σ weight × added) × Π multiplied."""

    add: tuple[Factor, ...] = (Relevance(),)
    multiply: tuple[Factor, ...] = ()
