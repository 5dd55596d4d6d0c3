"""Which passages did the model not manage, and when are they tried again?

The rules have made statements of them already, so nothing is lost; a later try may make better ones.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Protocol, runtime_checkable

from recollect.extractors.passage import NotExtracted, Passage
from recollect.extractors.protocol import Statement

from ..ids import digest as digest_of

MAX_BACKOFF_SECONDS = 300.0


def backoff_seconds(failures: int) -> float:
    """min(300, 2^n): how long to wait after that many failures."""
    return MAX_BACKOFF_SECONDS if failures > 8 else min(MAX_BACKOFF_SECONDS, 2.0**failures)


@dataclass(frozen=True, slots=True)
class DeadLetter:
    text: str
    speaker: str | None
    at: datetime | None
    asked: str | None
    reason: str
    attempts: int
    last_tried: datetime

    @property
    def passage(self) -> Passage:
        return Passage(self.text, self.speaker, self.at, self.asked)

    @property
    def due_at(self) -> datetime:
        return self.last_tried + timedelta(seconds=backoff_seconds(self.attempts))

    def holds(self, digest: bytes) -> bool:
        """Whether the text with that digest is in it, said or asked."""
        return any(digest_of(text) == digest for text in (self.text, self.asked) if text)


def dead_letter(passage: Passage, failure: NotExtracted, now: datetime) -> DeadLetter:
    return DeadLetter(
        passage.text, passage.speaker, passage.at, passage.asked, str(failure), attempts=failure.tries, last_tried=now
    )


class DeadLetters(Protocol):
    """A list with at most one letter for each passage; safe to share between threads."""

    def add(self, letter: DeadLetter) -> None:
        """In place of an earlier one about the same passage."""

    def settle(self, passage: Passage) -> None:
        """Takes the passage's letter off the list."""

    def all(self) -> list[DeadLetter]:
        """In the order they came."""

    def drop(self, digest: bytes) -> int:
        """Removes for good every letter with the text of that digest (`recollect.identity.digest`); how many."""


class DeadLetterList:
    """In memory."""

    def __init__(self) -> None:
        self._letters: dict[Passage, DeadLetter] = {}
        self._lock = threading.Lock()

    def add(self, letter: DeadLetter) -> None:
        with self._lock:
            self._letters[letter.passage] = letter

    def settle(self, passage: Passage) -> None:
        with self._lock:
            self._letters.pop(passage, None)

    def all(self) -> list[DeadLetter]:
        with self._lock:
            return list(self._letters.values())

    def drop(self, digest: bytes) -> int:
        with self._lock:
            doomed = [passage for passage, letter in self._letters.items() if letter.holds(digest)]
            for passage in doomed:
                del self._letters[passage]
        return len(doomed)


@runtime_checkable
class Askable(Protocol):
    """What `retry` needs of an extractor."""

    def ask(self, passage: Passage) -> tuple[Statement, ...]:
        """The model's statements, or NotExtracted: no rules in between."""


@dataclass(frozen=True, slots=True)
class Recovered:
    letter: DeadLetter
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Retried:
    recovered: tuple[Recovered, ...]
    dead: tuple[DeadLetter, ...]
    """All that is still on the list, due or not."""


def retry(
    extractor: Askable,
    letters: DeadLetters,
    *,
    at: datetime | None = None,
    keep: Callable[[Recovered], object] | None = None,
) -> Retried:
    """Asks again about every letter that is due.

    `keep` gets each recovered letter before it leaves the list: a caller that stores there loses nothing
    when it is killed halfway.
    """
    now = at or datetime.now(UTC)
    due = [letter for letter in letters.all() if letter.due_at <= now]
    recovered = [found for letter in due if (found := _asked_again(extractor, letters, letter, now, keep))]
    return Retried(tuple(recovered), tuple(letters.all()))


def _asked_again(
    extractor: Askable,
    letters: DeadLetters,
    letter: DeadLetter,
    now: datetime,
    keep: Callable[[Recovered], object] | None,
) -> Recovered | None:
    try:
        found = Recovered(letter, extractor.ask(letter.passage))
    except NotExtracted as failure:
        if failure.tries:  # else it was not asked at all, as when the budget is used up
            attempts = letter.attempts + failure.tries
            letters.add(replace(letter, reason=str(failure), attempts=attempts, last_tried=now))
        return None
    if keep:
        keep(found)
    letters.settle(letter.passage)
    return found
