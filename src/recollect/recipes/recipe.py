"""A recipe: which stages a memory system uses, with which numbers.

Every part is a frozen dataclass of constants. The stage that uses it lives in `read/` or `write/`
under the field's name; parts hold no logic beyond checking their own ranges.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

from ..errors import InvalidRecipe
from ..types import FIELDS, Status


@dataclass(frozen=True, slots=True)
class Range:
    """The closed interval a number must lie in."""

    least: float = -math.inf
    most: float = math.inf


Share: TypeAlias = Annotated[float, Range(0, 1)]
Weight: TypeAlias = Annotated[float, Range(0, 1000)]
Count: TypeAlias = Annotated[int, Range(1, 100_000)]


class Part:
    """Checks every field's declared range and choice when a part is made."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for name, hint in hints(type(self)).items():
            _check(name, getattr(self, name), hint)


_HINTS: dict[type, dict[str, Any]] = {}


def hints(part: type) -> dict[str, Any]:
    """A part's field types, resolved once."""
    if part not in _HINTS:
        _HINTS[part] = get_type_hints(part, include_extras=True)
    return _HINTS[part]


def _check(name: str, value: Any, hint: Any) -> None:  # noqa: ANN401 - walks any annotation
    origin = get_origin(hint)
    if origin is Annotated:
        _check_range(name, value, hint.__metadata__[0])
    elif origin is Literal and value not in get_args(hint):
        raise InvalidRecipe(f"{name} must be one of {', '.join(map(str, get_args(hint)))}, not {value!r}")
    elif origin in (Mapping, dict) or getattr(origin, "__name__", "") == "Mapping":
        for key, item in value.items():
            _check(f"{name}.{key}", item, get_args(hint)[1])


def _check_range(name: str, value: Any, allowed: Any) -> None:  # noqa: ANN401
    if value is None or not isinstance(allowed, Range):
        return
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise InvalidRecipe(f"{name} must be a number, not {value!r}")
    if not allowed.least <= value <= allowed.most:
        raise InvalidRecipe(f"{name} must be between {allowed.least:g} and {allowed.most:g}, not {value!r}")


# Routes: who proposes candidates ------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Depth(Part):
    """How many candidates: `times` × the limit asked for, but at least `least`."""

    times: Count = 4
    least: Annotated[int, Range(0, 100_000)] = 0

    def of(self, limit: int) -> int:
        return max(self.times * limit, self.least)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexical(Part):
    """BM25 over the analysed words. `match` says which memories count: any content word, or all of them."""

    name: str = "lexical"
    fields: Mapping[str, Weight] = field(default_factory=lambda: dict.fromkeys(FIELDS, 1.0))
    match: Literal["any", "all"] = "any"
    stop_weight: Share = 1.0
    """How much of a stop-word's own weight counts."""
    k1: Annotated[float, Range(0, 10)] = 1.2
    b: Share = 0.75
    depth: Depth = Depth()

    def __post_init__(self) -> None:
        Part.__post_init__(self)
        if unknown := set(self.fields) - set(FIELDS):
            raise InvalidRecipe(f"fields.{min(unknown)}: the fields are {', '.join(FIELDS)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Vector(Part):
    """Cosine to one named view of the memories; below `floor` nothing is seen."""

    name: str = "vector"
    view: str = "full"
    floor: Annotated[float, Range(-1, 1)] = -1.0
    depth: Depth = Depth()


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph(Part):
    """Memories that mention the question's entities, and what they link to within `hops`."""

    name: str = "graph"
    hops: Annotated[int, Range(0, 4)] = 2
    depth: Depth = Depth()


@dataclass(frozen=True, slots=True, kw_only=True)
class Then(Part):
    """Cosine, among what happened in the time the question names, give or take some days; sees nothing where it names
    none, or one to come."""

    name: str = "then"
    view: str = "full"
    slack_days: Annotated[float, Range(0, 10_000)] = 7.0
    depth: Depth = Depth()


Route: TypeAlias = Lexical | Vector | Graph | Then


# Fusion: many routes, one number ------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ReciprocalRank(Part):
    """Σ weight / (k + rank) over the routes (Cormack et al. 2009)."""

    k: Annotated[float, Range(0, 10_000)] = 60.0
    weights: Mapping[str, Weight] = field(default_factory=dict)
    keep: Depth | None = None
    """How many candidates go on; without it all do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaled(Part):
    """One route's share in a sum: its weight, and what its raw values are brought to first.

    raw: as they are · max: divided by the best · minmax: worst 0, best 1 · saturate: r / (1 + r)
    """

    weight: Weight = 1.0
    scale: Literal["raw", "max", "minmax", "saturate"] = "minmax"
    doubt: Share = 0.0
    """The weight is multiplied by coverage ** doubt: a lexical route whose best holds few of the question's words
    says little."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSum(Part):
    """Σ weight × scaled raw value over the routes; candidates under `floor` are dropped."""

    routes: Mapping[str, Scaled]
    floor: Annotated[float, Range(-1000, 1000)] | None = None
    spare_keyword_only: bool = False
    """Repair: the floor does not apply to candidates that no vector route saw."""
    keep: Depth | None = None
    by_embedder: Mapping[str, Mapping[str, Weight]] = field(default_factory=dict)
    """Weights that replace those above for one embedder: its name → route → weight."""
    flat: Mapping[str, Share] = field(default_factory=dict)
    """Embedder → a difference of cosines. Where all that a vector route sees lie within it, distances say little:
    the routes then count by rank, weight × (1 + k) / (rank + k)."""
    k: Annotated[float, Range(0, 1000)] = 15.0

    def weight(self, route: str, embedder: str | None) -> float:
        return self.by_embedder.get(embedder or "", {}).get(route, self.routes[route].weight)


Fuse: TypeAlias = ReciprocalRank | ScoreSum


# Spreading: evidence moves along links ------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Activation(Part):
    """neighbour = source × link weight × decay per hop, both directions, the highest path wins."""

    hops: Annotated[int, Range(0, 4)] = 2
    decay: Share = 0.5
    passing: tuple[str, ...] = ()
    """Kinds of links that it does not follow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnNeighbours(Part):
    """A turn also receives `share` of the scores of the turns just before and after it."""

    share: Share = 0.2
    between_people: Share | None = None
    """The share where speakers have names: people answer each other, a user's next question is often another one."""
    among: Count = 50
    """Only the best so many share; what lies beside a weak candidate is weaker still."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPrior(Part):
    """What was said in a session that answers well counts more: + `share` of the session's best."""

    share: Share = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFirst(Part):
    """Where whole-session records were found, turns only support their session: + min(cap, factor × best turn)."""

    cap: Annotated[float, Range(0, 100)] = 0.12
    factor: Annotated[float, Range(0, 100)] = 0.6


Spread: TypeAlias = Activation | TurnNeighbours | SessionPrior | SessionFirst


# Factors: what besides relevance counts -----------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Relevance(Part):
    """The fused (and spread) score, as it is or divided by the best candidate's."""

    weight: Weight = 1.0
    scale: Literal["raw", "max"] = "raw"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored(Part):
    """A number the memory carries."""

    field: Literal["importance", "confidence", "strength"]
    floor: Share = 0.0
    """What a value of 0 counts: floor + (1 - floor) * value."""
    weight: Weight = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Recency(Part):
    """exp(−rate × days) or 2^(−days / half-life), counted from one of the memory's moments."""

    since: Literal["touched", "retrieved", "accessed", "created", "happened"]
    """touched: the later of accessed and retrieved. What never happened falls back to created."""
    rate_per_day: Annotated[float, Range(0, 1000)] | None = None
    half_life_days: Annotated[float, Range(1e-6, 1e6)] | None = None
    spare_undated_documents: bool = False
    """Chunks of files that carry no date do not age."""
    weight: Weight = 1.0

    def __post_init__(self) -> None:
        Part.__post_init__(self)
        if (self.rate_per_day is None) == (self.half_life_days is None):
            raise InvalidRecipe("recency needs exactly one of rate_per_day and half_life_days")


@dataclass(frozen=True, slots=True, kw_only=True)
class Frequency(Part):
    """min(1, ln(count + 1) / divisor) of the retrievals, else of the accesses."""

    count: Literal["retrieval", "access"] = "retrieval"
    divisor: Annotated[float, Range(1e-6, 1e6)] = 10.0
    weight: Weight = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusPenalty(Part):
    """A multiplier by status; what is not named counts in full."""

    multipliers: Mapping[str, Weight]


@dataclass(frozen=True, slots=True, kw_only=True)
class KindBoost(Part):
    """1 + a boost by kind of memory."""

    boosts: Mapping[str, Annotated[float, Range(-1, 10)]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Role(Part):
    """A multiplier by who said it, unless the question is about them (holds one of these words, requests apart)."""

    multipliers: Mapping[str, Weight]
    unless: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker(Part):
    """For what others said when the question names one who speaks: what concerns people they mostly tell themselves."""

    others: Weight = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Asks(Part):
    """A multiplier for a short text that ends with a question: it asks for something rather than states it."""

    multiplier: Weight = 0.7
    shorter_than: Annotated[int, Range(1, 100_000)] = 150
    """Characters. A longer one has told something before it asks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class When(Part):
    """1 + boost for what happened in the time the question names, give or take some days."""

    boost: Weight = 0.4
    slack_days: Annotated[float, Range(0, 10_000)] = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Later(Part):
    """For what was told after the caller's now: a question asked then can't have meant it."""

    multiplier: Weight = 0.5
    slack_days: Annotated[float, Range(0, 10_000)] = 1.0


Standing: TypeAlias = Stored | Recency | Frequency | StatusPenalty | KindBoost
"""What a memory is worth whatever is asked."""
Telling: TypeAlias = Role | Speaker | Asks | When | Later
"""Who told it, how and when, in the light of the question."""
Factor: TypeAlias = Relevance | Standing | Telling


@dataclass(frozen=True, slots=True, kw_only=True)
class Factors(Part):
    """score = (Σ weight × added) × Π multiplied."""

    add: tuple[Factor, ...] = (Relevance(),)
    multiply: tuple[Factor, ...] = ()


# What happens to the scored column ----------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ZScoreSigmoid(Part):
    """1 / (1 + exp(−(s − mean) / deviation)); skipped when the deviation is below `least_deviation`."""

    least_deviation: Annotated[float, Range(0, 1)] = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction(Part):
    """Of two candidates joined by a contradicts link the one with less strength × confidence × recency loses."""

    multiplier: Share = 0.3
    rate_per_day: Annotated[float, Range(0, 1000)] = 0.05
    outdated: Share = 1.0
    """For a candidate that another candidate supersedes: a turn that says more than what was replaced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate(Part):
    """When to return nothing at all. R1–R5 are the rules of the MemX paper, Table 10."""

    rule: Literal["R1", "R2", "R3", "R4", "R5", "confidence"]
    tau: Annotated[float, Range(-1, 1)] = 0.5
    by_embedder: Mapping[str, Annotated[float, Range(-1, 1)]] = field(default_factory=dict)

    def threshold(self, embedder: str | None) -> float:
        return self.by_embedder.get(embedder or "", self.tau)


@dataclass(frozen=True, slots=True, kw_only=True)
class SameText(Part):
    """Of memories with the same trimmed text only the best stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TagSignature(Part):
    """At most one memory per kind and tag set."""

    exempt_untagged: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SameMeaning(Part):
    """Of memories whose vectors are this close, and whose names and numbers are the same, only the best stays."""

    similarity: Annotated[float, Range(-1, 1)] = 0.97
    in_groups: bool = True
    """Whether also of what is put together into rounds and sessions, where a copy is one more piece of evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MaximalMarginalRelevance(Part):
    """λ × score − (1 − λ) × redundancy, redundancy = max(cosine, tag_share × Jaccard of tags)."""

    lambda_: Share = 0.7
    duplicate: Annotated[float, Range(-1, 2)] = 2.0
    """A candidate at least this redundant is left out; 2 means never."""
    tag_share: Share = 0.0
    scale: bool = False
    """Repair: bring scores and redundancies to [0, 1] first."""


Diversify: TypeAlias = SameText | TagSignature | SameMeaning | MaximalMarginalRelevance


@dataclass(frozen=True, slots=True, kw_only=True)
class Group(Part):
    """A round or session is worth its best part, plus `decay` of the second, `decay`² of the third …"""

    parts: Count = 3
    decay: Share = 0.5
    deeper: Count = 1
    """The routes look so many times as deep: a session fills several places with its turns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack(Part):
    """Best first until the limit or the token budget is reached; the first hit always fits."""

    budget_tokens: Count | None = None
    chars_per_token: Annotated[float, Range(0.1, 100)] = 4.0
    neighbours: Annotated[int, Range(0, 5)] = 0
    """Turns before and after a hit that come along when no whole session was found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(Part):
    """Which counter a recall moves."""

    counts: Literal["retrieval", "access"] = "retrieval"


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRules(Part):
    """Constants for storing and tending."""

    duplicate: Share = 0.92
    duplicate_by_embedder: Mapping[str, Share] = field(default_factory=lambda: {"recollect-30m": 0.90})
    duplicate_gain: Share = 0.1
    """Importance that a repeated memory gains."""
    cluster: Share = 0.80
    cluster_by_embedder: Mapping[str, Share] = field(default_factory=lambda: {"granite": 0.88, "recollect-30m": 0.86})
    """0.80 was said of embedders that give unrelated texts about 0.15; docs/lab/maintenance.md has the measurements."""
    reinforcement: Share = 0.1
    decay_per_day: Share = 0.01

    def duplicate_threshold(self, embedder: str) -> float:
        return self.duplicate_by_embedder.get(embedder, self.duplicate)

    def cluster_threshold(self, embedder: str) -> float:
        return self.cluster_by_embedder.get(embedder, self.cluster)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe(Part):
    """A memory system as data."""

    name: str
    cite: str
    statuses: tuple[Status, ...] = ("active",)
    compares: bool = False
    """Whether a question that compares ("which came first, … or …?") is asked for each of its sides too."""
    routes: tuple[Route, ...]
    fuse: Fuse
    spread: tuple[Spread, ...] = ()
    factors: Factors = Factors()
    normalise: ZScoreSigmoid | None = None
    conflicts: Contradiction | None = None
    reject: Gate | None = None
    diversify: tuple[Diversify, ...] = ()
    group: Group = Group()
    """How rounds and sessions are made of what was found, when they are asked for."""
    pack: Pack = Pack()
    record: Record = Record()
    write: WriteRules = WriteRules()

    def __post_init__(self) -> None:
        Part.__post_init__(self)
        names = [route.name for route in self.routes]
        if not names or len(names) != len(set(names)):
            raise InvalidRecipe("routes: at least one, each with a name of its own")
        fused = self.fuse.routes if isinstance(self.fuse, ScoreSum) else self.fuse.weights
        if unknown := set(fused) - set(names):
            raise InvalidRecipe(f"fuse names a route {min(unknown)!r} that the recipe does not have")

    @property
    def names_time(self) -> bool:
        """Whether the time a question names matters."""
        return any(isinstance(part, Then | When) for part in (*self.routes, *self.factors.add, *self.factors.multiply))

    @property
    def vector_routes(self) -> tuple[Vector, ...]:
        return tuple(route for route in self.routes if isinstance(route, Vector))
