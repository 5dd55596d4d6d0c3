"""Routes: each searches the store in its own way and proposes candidates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypeAlias

from ...errors import InvalidRecipe
from ...types import FIELDS
from .checked import Count, Part, Range, Share, Weight

AUTOMATIC_LINK_KINDS = ("temporal", "extends", "similar")
"""Kinds of links that ingesting and maintenance make."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Depth(Part):
    """A number of candidates: `times` × the limit asked for, but at least `least`."""

    times: Count = 4
    least: Annotated[int, Range(0, 100_000)] = 0

    def of(self, limit: int) -> int:
        return max(self.times * limit, self.least)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexical(Part):
    """BM25 over the analysed words. `match` says whether a memory needs any content word of the question, or all.

    With another analyzer, the words of all memories are read into memory at the first search (see
    read/routes/fts5_index.py).
    """

    name: str = "lexical"
    fields: Mapping[str, Weight] = field(default_factory=lambda: dict.fromkeys(FIELDS, 1.0))
    analyzer: Literal["recollect", "porter unicode61", "unicode61"] = "recollect"
    """What a word is: our analyzer, or a tokenizer of SQLite's FTS5."""
    match: Literal["any", "all"] = "any"
    stopwords_match: bool = False
    """Whether stop-words are matched like other words."""
    stopword_weight: Share = 1.0
    """Multiplies the IDF of stop-words."""
    k1: Annotated[float, Range(0, 10)] = 1.2
    b: Share = 0.75
    depth: Depth = Depth()

    def __post_init__(self) -> None:
        Part.__post_init__(self)
        if unknown := set(self.fields) - set(FIELDS):
            raise InvalidRecipe(f"fields.{min(unknown)}: the fields are {', '.join(FIELDS)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Vector(Part):
    """Cosine between the question and one view of the memories. Memories below `floor` are not proposed."""

    name: str = "vector"
    view: str = "full"
    floor: Annotated[float, Range(-1, 1)] = -1.0
    depth: Depth = Depth()


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph(Part):
    """Memories that mention the question's entities, and memories within `hops` links of those."""

    name: str = "graph"
    hops: Annotated[int, Range(0, 4)] = 2
    excluded_link_kinds: tuple[str, ...] = ()
    """Kinds of links that are not followed."""
    depth: Depth = Depth()


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeWindow(Part):
    """Cosine, only over memories that happened in the time the question names, plus or minus `slack_days`.

    Proposes nothing if the question names no time, or only future times.
    """

    name: str = "time_window"
    view: str = "full"
    slack_days: Annotated[float, Range(0, 10_000)] = 7.0
    depth: Depth = Depth()


Route: TypeAlias = Lexical | Vector | Graph | TimeWindow
