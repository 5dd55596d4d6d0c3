"""Dead letters: passages that the model failed to extract, and when they are tried again.

Nothing is lost: the rules extracted statements from them. A later try may give better ones.
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
        """Whether its text, or the question it answers, has that digest."""
        return any(digest_of(text) == digest for text in (self.text, self.asked) if text)


def dead_letter(passage: Passage, failure: NotExtracted, now: datetime) -> DeadLetter:
    return DeadLetter(
        passage.text, passage.speaker, passage.at, passage.asked, str(failure), attempts=failure.tries, last_tried=now
    )


class DeadLetters(Protocol):
    """A list with at most one letter per passage; thread-safe."""

    def add(self, letter: DeadLetter) -> None:
        """Adds a letter. It replaces an earlier one about the same passage."""

    def settle(self, passage: Passage) -> None:
        """Removes the passage's letter."""

    def all(self) -> list[DeadLetter]:
        """All letters, in the order they were added."""

    def drop(self, digest: bytes) -> int:
        """Permanently removes every letter with a text of that digest (`recollect.ids.digest`); returns how many."""


class DeadLetterList:
    """Dead letters in memory."""

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
    """What `retry` needs from an extractor."""

    def ask(self, passage: Passage) -> tuple[Statement, ...]:
        """The model's statements. Raises NotExtracted instead of falling back to the rules."""


@dataclass(frozen=True, slots=True)
class Recovered:
    letter: DeadLetter
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Retried:
    recovered: tuple[Recovered, ...]
    dead: tuple[DeadLetter, ...]
    """All letters that remain, due or not."""


def retry(
    extractor: Askable,
    letters: DeadLetters,
    *,
    at: datetime | None = None,
    keep: Callable[[Recovered], object] | None = None,
) -> Retried:
    """Asks the model again about every letter that is due.

    `keep` is called with each recovered letter before the letter is removed, so a caller that stores it there
    loses nothing if the process is killed.
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
        if failure.tries:  # no tries: the model was not asked, for example because the budget is used up
            attempts = letter.attempts + failure.tries
            letters.add(replace(letter, reason=str(failure), attempts=attempts, last_tried=now))
        return None
    if keep:
        keep(found)
    letters.settle(letter.passage)
    return found
