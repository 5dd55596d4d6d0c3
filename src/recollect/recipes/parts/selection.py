"""Selection: from scored candidates to the hits that are returned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypeAlias

from .checked import Count, Part, Range, Share


@dataclass(frozen=True, slots=True, kw_only=True)
class ZScoreSigmoid(Part):
    """1 / (1 + exp(−(s − mean) / deviation)); skipped if the deviation is below `least_deviation`."""

    least_deviation: Annotated[float, Range(0, 1)] = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction(Part):
    """If two candidates contradict each other, the one with less strength × confidence × recency is multiplied."""

    multiplier: Share = 0.3
    rate_per_day: Annotated[float, Range(0, 1000)] = 0.05
    superseded_multiplier: Share = 1.0
    """For an active candidate that another candidate supersedes, such as a turn that also says something else, and for
    what was taken from the same message."""
    superseded_relevance: Share = 0.35
    """Applies `superseded_multiplier` only if the newer candidate has at least this share of the older one's score.
    Below it, the question is about something else that the older one says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate(Part):
    """When to return nothing. R1–R5 are the rules of the MemX paper, Table 10."""

    rule: Literal["R1", "R2", "R3", "R4", "R5", "confidence"]
    tau: Annotated[float, Range(-1, 1)] = 0.5
    by_embedder: Mapping[str, Annotated[float, Range(-1, 1)]] = field(default_factory=dict)
    """Replaces tau for one embedder, or for a reader if something was read."""
    refuse_unknown_codes: bool = False
    """For the rule `confidence`: whether a question is refused that names a code, such as an order number, which no
    memory contains."""
    show_nearest: bool = False
    """Whether a refused question still returns what comes nearest, as `Recall.nearest`."""

    def threshold(self, embedder: str | None) -> float:
        name = embedder or ""
        return self.by_embedder.get(name, self.by_embedder.get(name.partition("+")[2], self.tau))


@dataclass(frozen=True, slots=True, kw_only=True)
class SameText(Part):
    """Of memories with the same text, only the best is returned. Spaces at the ends do not count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TagSignature(Part):
    """Returns at most one memory per kind and set of tags."""

    exempt_untagged: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SameMeaning(Part):
    """Leaves out a memory with this cosine or more to a better one that holds all that it states, word for word."""

    similarity: Annotated[float, Range(-1, 1)] = 0.97
    in_groups: bool = True
    """Whether this also applies if hits are grouped into rounds or sessions. There, a copy is further evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SameStatement(Part):
    """Leaves out a memory if a better one holds all that it states, word for word. Fillers do not count."""

    in_groups: bool = True
    """Whether this also applies if hits are grouped into rounds or sessions. There, a copy is further evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OnePerMessage(Part):
    """A message and the facts taken from it are one hit, the best of them. Does not apply to grouped hits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MaximalMarginalRelevance(Part):
    """λ × score − (1 − λ) × redundancy, with redundancy = max(cosine, tag_share × Jaccard of tags)."""

    lambda_: Share = 0.7
    duplicate: Annotated[float, Range(-1, 2)] = 2.0
    """Candidates with this redundancy or more are left out; 2 leaves out none."""
    tag_share: Share = 0.0
    scale: bool = False
    """Repair: scale scores and redundancies to [0, 1] first."""


Diversify: TypeAlias = SameText | TagSignature | SameMeaning | SameStatement | OnePerMessage | MaximalMarginalRelevance


@dataclass(frozen=True, slots=True, kw_only=True)
class Group(Part):
    """The score of a round or session: its best part, plus `decay` × the second, `decay`² × the third …"""

    parts: Count = 3
    decay: Share = 0.5
    depth_multiplier: Count = 1
    """The routes search this many times as deep, because one session takes several places with its turns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack(Part):
    """Best first until the limit or the token budget is reached. The first hit is returned whatever its length."""

    budget_tokens: Count | None = None
    chars_per_token: Annotated[float, Range(0.1, 100)] = 4.0
    whole_tokens: bool = True
    """Whether the tokens of a text are rounded up. If not, five characters are 1.25 tokens."""
    neighbours: Annotated[int, Range(0, 5)] = 0
    """How many turns before and after a hit are returned with it, if no whole session was found."""
    above: Annotated[float, Range(-1000, 1000)] | None = None
    """Only candidates with a higher score are returned. None returns every score."""
