"""Retries passages that a model failed to extract. Its statements replace those of the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..embedders.optional import OptionalEmbedder
from ..extractors.dead_letters import Askable, DeadLetter, DeadLetters, Recovered, retry
from ..extractors.passage import Passage
from ..ids import digest
from ..recipes.recipe import WriteRules
from ..store.protocol import Store
from ..types import Filter, Memory
from ..write.conversations.restate import restate
from ..write.stamp import Stamp

WHY = "the model extracted the turn in a later try"


@dataclass(frozen=True, slots=True)
class DeadLetterQueue:
    """A model, and the passages that it failed to extract."""

    extractor: Askable
    letters: DeadLetters


def queue_of(extractor: object, letters: DeadLetters) -> DeadLetterQueue | None:
    """The extractor with its dead letters; None if it asks no model."""
    return DeadLetterQueue(extractor, letters) if isinstance(extractor, Askable) else None


def retry_letters(
    store: Store, embedder: OptionalEmbedder, queue: DeadLetterQueue, namespace: str, *, rules: WriteRules, stamp: Stamp
) -> int:
    """Retries the due letters of this namespace and those below it. Returns how many were recovered."""
    inside = [path for path in store.namespaces() if f"{path}/".startswith(f"{namespace}/")]
    ours = _Ours(queue.letters, store, inside)

    def keep(found: Recovered) -> None:
        for turn in ours.turns(found.letter):
            restate(store, embedder, turn, found.statements, why=WHY, rules=rules, stamp=stamp)

    return len(retry(queue.extractor, ours, at=stamp.at, keep=keep).recovered)


@dataclass(frozen=True, slots=True)
class _Ours:
    """Only the letters whose turns are stored in these namespaces."""

    letters: DeadLetters
    store: Store
    namespaces: Sequence[str]

    def add(self, letter: DeadLetter) -> None:
        self.letters.add(letter)

    def settle(self, passage: Passage) -> None:
        self.letters.settle(passage)

    def drop(self, digest: bytes) -> int:
        return self.letters.drop(digest)

    def all(self) -> list[DeadLetter]:
        return [letter for letter in self.letters.all() if self.turns(letter)]

    def turns(self, letter: DeadLetter) -> list[Memory]:
        shown = digest(letter.text if letter.speaker is None else f"{letter.speaker}: {letter.text}")
        found: list[Memory] = []
        for path in self.namespaces:
            within = Filter(namespaces=(path,), exact=True, statuses=("active", "superseded"), granularities=("turn",))
            found += self.store.find_same([shown], within).values()
        return [turn for turn in found if letter.at in (None, turn.occurred_at)]
