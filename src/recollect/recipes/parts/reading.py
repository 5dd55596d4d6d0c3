"""Reading: the question and each of the best candidates are read together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from .checked import Count, Part, Range, Weight


@dataclass(frozen=True, slots=True, kw_only=True)
class Read(Part):
    """score = 1 / (1 + exp(−(bias + answers × reader + ranked × score − place × … − newer × … − older × … − …))).

    `answers` is the reader's log-odds that the memory answers the question. All numbers are fitted together, so the new
    score is the probability that the memory answers.
    """

    reader: str = "recollect-reader"
    candidates: Count = 20
    """How many messages or memories are read: the best so far."""
    most_chars: Annotated[int, Range(40, 4000)] = 480
    """Of a longer text, the sentences that hold the most words of the question are read."""
    bias: Annotated[float, Range(-20, 20)] = 0.0
    answers: Weight = 1.0
    """Weight of what the reader says."""
    ranked: Weight = 1.0
    """Weight of the score before reading."""
    place: Weight = 0.0
    """Taken from a candidate, times the logarithm of its place before reading: a reader that is often wrong about a few
    of many memories should not lift one from far below."""
    newer: Weight = 0.0
    """Taken from a candidate if a newer one gives a value for what the question asks: times the reader's probability
    that it does, and times its probability that the question asks for the present state. Not for a question about the
    past."""
    newer_date: Annotated[float, Range(0, 1)] = 0.0
    """A question for a date or time ("when was the interview?") counts as one about the present at least as much."""
    older: Weight = 0.0
    """For a question about the past: taken from a candidate if an older one gives a value for what it asks."""
    alike: Weight = 0.0
    """Taken from a candidate if a newer one has its form and another value ("Ada prefers dark mode", "Ada prefers light
    mode"), whatever the reader says of them. For a question about the past: if an older one has."""
    not_meant: Weight = 0.0
    """Taken from a candidate if the question names what only another one of its form has ("the rear tyres")."""
    unread: Annotated[float, Range(-20, 20)] = -6.0
    """The log-odds of candidates that were not read."""
    earlier: Annotated[float, Range(0, 1)] = 0.5
    """From this probability on, a candidate and a newer one give values of the same thing, and the older one is marked
    as earlier, if the question asks for the present."""
