"""Passages that a model did not manage, tried again: its statements take the place of the rules'."""

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

WHY = "the model read the turn after all"


@dataclass(frozen=True, slots=True)
class Unread:
    """A model, and the list of what it did not manage."""

    extractor: Askable
    letters: DeadLetters


def unread(extractor: object, letters: DeadLetters) -> Unread | None:
    """The extractor with its dead letters; None for one that asks no model."""
    return Unread(extractor, letters) if isinstance(extractor, Askable) else None


def retry_letters(
    store: Store, embedder: OptionalEmbedder, failed: Unread, namespace: str, *, rules: WriteRules, stamp: Stamp
) -> int:
    """Asks again about what is due of this namespace and all below it; says how many passages it got."""
    inside = [path for path in store.namespaces() if f"{path}/".startswith(f"{namespace}/")]
    ours = _Ours(failed.letters, store, inside)

    def keep(found: Recovered) -> None:
        for turn in ours.turns(found.letter):
            restate(store, embedder, turn, found.statements, why=WHY, rules=rules, stamp=stamp)

    return len(retry(failed.extractor, ours, at=stamp.at, keep=keep).recovered)


@dataclass(frozen=True, slots=True)
class _Ours:
    """Only the letters about turns that are stored in some namespaces."""

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
