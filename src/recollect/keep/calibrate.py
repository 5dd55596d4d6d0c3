"""Fits confidence to a store with questions made from its own memories.

Each question is asked twice on a copy of the store: with its memory, and without it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

from ..embedders.optional import OptionalEmbedder
from ..read import path as read_path
from ..read import question
from ..read.select import neighbours
from ..recipes.confidence import model_for
from ..recipes.fitted import SETTING, Fitted
from ..recipes.recipe import Recipe
from ..store import open_store
from ..store.protocol import Store
from ..store.settings import set_setting
from ..store.values import Batch
from ..text.analyze import analyze_query
from ..types import VISIBLE, Filter, Memory, Signals
from ..write.build.put import fields_only
from ..write.changes import revise
from ..write.stamp import Stamp
from .confidence_fit import Example, fitted, refuse_too_few

MOST_MEMORIES = 400
LEAST_WORDS = 3
"""The fewest content words of a memory that a question is made from."""
QUESTION_WORDS = 4
STRANGE_WORDS = 1
"""Words from other memories in each question. Real questions also use words that the memory does not contain."""
SEED = 20260301
_MOST_CHARS = 2000

Worded: TypeAlias = tuple[Memory, tuple[str, ...]]
"""A memory and its content words."""


def calibrate(store: Store, examples: Sequence[Example], fingerprint: str, *, preview: bool = False) -> Fitted:
    """Fits a model on the examples and stores it; with `preview` it is only returned."""
    found = fitted(examples, fingerprint)
    if not preview:
        set_setting(store, SETTING, found.dumps())
    return found


def clear(store: Store) -> None:
    """Removes the fitted model; the built-in one is used again."""
    set_setting(store, SETTING, "null")


def ungated(recipe: Recipe) -> Recipe:
    """The recipe without its gate. The effect of a gate can be computed from the signals afterwards."""
    return replace(recipe, reject=None, name=f"{recipe.name} ungated")


def from_store(
    store: Store,
    embedder: OptionalEmbedder,
    recipe: Recipe,
    namespace: str,
    stamp: Stamp,
    advance: Callable[[int], None] = lambda n: None,
) -> list[Example]:
    """Examples from leave-one-out questions on a copy of the store. The store itself is only read."""
    usable = _usable(store, namespace)
    refuse_too_few(len(usable), f"memories of at least {LEAST_WORDS} content words in {namespace}")
    chosen = _sampled(usable)
    with TemporaryDirectory(prefix="recollect-calibrate-") as folder:
        path = Path(folder) / "copy.db"
        store.backup(path)
        copy = open_store(str(path))
        try:
            asking = _Asking(copy, embedder, ungated(recipe), stamp)
            questions = zip(chosen, _questions(chosen, usable), strict=True)
            return [e for n, pair in enumerate(questions) for e in asking.pair(n, pair[0][0], pair[1], advance)]
        finally:
            copy.close()


def _usable(store: Store, namespace: str) -> list[Worded]:
    held = store.scan(Filter(namespaces=(namespace,), statuses=("active",)), order="id")
    worded = [(memory, _words(memory.text)) for memory in held]
    return [(memory, words) for memory, words in worded if len(words) >= LEAST_WORDS]


def _words(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(analyze_query(text[:_MOST_CHARS]).content))


def _sampled(usable: Sequence[Worded]) -> list[Worded]:
    picked = random.Random(SEED).sample(range(len(usable)), min(len(usable), MOST_MEMORIES))
    return [usable[n] for n in sorted(picked)]


def _questions(chosen: Sequence[Worded], usable: Sequence[Worded]) -> Iterator[str]:
    """One question per memory: its gist, or its rarest words and one word from another memory."""
    counts: dict[str, int] = {}
    for _, words in usable:
        for word in words:
            counts[word] = counts.get(word, 0) + 1
    chance, vocabulary = random.Random(SEED), sorted(counts)
    for memory, words in chosen:
        rarest = sorted(words, key=lambda word: (counts[word], word))[:QUESTION_WORDS]
        yield memory.gist or " ".join([*rarest, *chance.sample(vocabulary, STRANGE_WORDS)])


@dataclass(frozen=True, slots=True)
class _Asking:
    """Asks questions of the copy."""

    store: Store
    embedder: OptionalEmbedder
    recipe: Recipe
    stamp: Stamp

    def pair(self, n: int, memory: Memory, asked: str, advance: Callable[[int], None]) -> list[Example]:
        """The examples of one question: with its memory, and with the memory forgotten. Restores the memory."""
        with_it = Example(self._signals(asked, memory.namespace), True, n)
        alike = self._same(memory)
        revise.change(self.store, alike, "forget", self.stamp, status="forgotten")
        without = Example(self._signals(asked, memory.namespace), False, n)
        self.store.write(Batch(puts=[fields_only(other) for other in alike]))
        advance(1)
        return [with_it, without]

    def _signals(self, asked: str, namespace: str) -> Signals:
        query = question.query(
            asked,
            recipe=self.recipe,
            filter=question.filter_from(namespaces=(namespace,)),
            at=self.stamp.at,
            limit=5,
            budget_tokens=None,
            include=None,
        )
        return read_path.recall(self.store, self.embedder, self.recipe, query, id="", model=model_for).signals

    def _same(self, memory: Memory) -> list[Memory]:
        """The memory, its duplicates (linked by `same_as`), and the memories of the same turn."""
        found = [memory, *(other for link, other in neighbours(self.store, memory.id) if link.kind == "same_as")]
        if memory.session_id is not None and memory.turn is not None:
            within = Filter(namespaces=(memory.namespace,), statuses=VISIBLE, session_id=memory.session_id)
            found += [other for other in self.store.scan(within) if other.turn == memory.turn]
        return list({other.id: other for other in found}.values())
