"""Spreading: candidates raise the relevance of linked memories, neighbouring turns and their session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypeAlias

from .checked import Count, Part, Range, Share


@dataclass(frozen=True, slots=True, kw_only=True)
class Activation(Part):
    """neighbour = source × link weight × decay, per hop, in both directions. The highest path wins."""

    hops: Annotated[int, Range(0, 4)] = 2
    decay: Share = 0.5
    excluded_link_kinds: tuple[str, ...] = ()
    """Kinds of links that are not followed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnNeighbours(Part):
    """A turn also receives `share` of the relevance of the turns just before and after it."""

    share: Share = 0.2
    named_speaker_share: Share | None = None
    """Replaces `share` for turns of named speakers. People answer each other; a user's next question is often about
    something else."""
    top_candidates: Count = 50
    """Only this many of the best candidates share their relevance. Neighbours of weaker ones would gain little."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPrior(Part):
    """Every turn of a session receives `share` of the best relevance in that session."""

    share: Share = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFirst(Part):
    """If whole-session records were found, only they stay, each + min(cap, factor × its best turn)."""

    cap: Annotated[float, Range(0, 100)] = 0.12
    factor: Annotated[float, Range(0, 100)] = 0.6


Spread: TypeAlias = Activation | TurnNeighbours | SessionPrior | SessionFirst
