"""Fits confidence to a store, and uses the fitted model only if it is better than the built-in one.

Questions come from the recall log, or are made from memories. Each is asked on a copy of the store: with the memories
that answer it, and without them. For a made question, a similar one without an answer is asked as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from ..embedders.optional import OptionalEmbedder
from ..progress import progress as bar
from ..read import path as read_path
from ..read import question
from ..read.reject import judge
from ..read.select import neighbours
from ..recipes import load
from ..recipes.confidence import model_for
from ..recipes.fitted import SETTING
from ..recipes.recipe import Gate, Recipe
from ..store import open_store
from ..store.protocol import Store
from ..store.settings import set_setting
from ..store.values import Batch
from ..types import VISIBLE, Filter, Memory, Signals
from ..write.build.put import fields_only
from ..write.changes import revise
from ..write.stamp import Stamp
from .calibration_questions import LEAST_WORDS, Asked, from_log, from_memories
from .confidence_fit import LEAST_EXAMPLES, Example, fitted, refuse_too_few
from .model_choice import Calibration, choose

LOGGED, MADE, GIVEN = "from the recall log", "made from memories", "given"


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """Examples, and where their questions come from."""

    examples: Sequence[Example]
    sources: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def given(cls, examples: Sequence[Example]) -> Questions:
        return cls(examples=examples, sources={GIVEN: len({example.group for example in examples})})


def calibrate(
    store: Store, embedder: OptionalEmbedder, recipe: Recipe, asked: Questions, *, preview: bool = False
) -> Calibration:
    """Fits a model. If it is better than the built-in one, it is stored; otherwise the built-in one is used from now
    on. With `preview` nothing is stored."""
    read = [example for example in asked.examples if example.signals.read is not None]
    examples = read or asked.examples  # questions that were not read are judged by another model
    name = judge(embedder.name, recipe, Signals(top_similarity=0.0, read=0.0 if read else None)) or ""
    found = fitted(examples, embedder.embedder.fingerprint, name)
    chosen = choose(examples, found, _gate(recipe), asked.sources)
    if not preview:
        set_setting(store, SETTING, found.dumps() if chosen.better else "null")
    return chosen


def clear(store: Store) -> None:
    """Removes the fitted model; the built-in one is used again."""
    set_setting(store, SETTING, "null")


def ungated(recipe: Recipe) -> Recipe:
    """The recipe without its gate. The effect of a gate can be computed from the signals afterwards."""
    return replace(recipe, reject=None, name=f"{recipe.name} ungated")


def _gate(recipe: Recipe) -> Gate:
    """The recipe's gate; that of `default` if it does not refuse by confidence."""
    own = recipe.reject
    if own is not None and own.rule == "confidence":
        return own
    known = load("default").reject
    assert known is not None
    return known


def questions(
    examples: Sequence[Example] | None,
    store: Store,
    embedder: OptionalEmbedder,
    recipe: Recipe,
    namespace: str,
    stamp: Stamp,
    *,
    show: bool = False,
) -> Questions:
    """The given examples, or those of the store."""
    if examples is not None:
        return Questions.given(examples)
    return from_store(store, embedder, recipe, namespace, stamp, show=show)


def from_store(
    store: Store,
    embedder: OptionalEmbedder,
    recipe: Recipe,
    namespace: str,
    stamp: Stamp,
    *,
    show: bool = False,
) -> Questions:
    """Examples from the recall log, or from the memories if the log has too few. The store itself is only read. `show`:
    with a progress bar."""
    logged = from_log(store, namespace)
    made = [] if len(logged) >= LEAST_EXAMPLES else from_memories(store, namespace)
    refuse_too_few(
        len(logged) + len(made),
        f"questions for {namespace}: {len(logged)} of its recalls have feedback with a used memory, and {len(made)} "
        f"of its memories have a sentence of at least {LEAST_WORDS} content words",
    )
    with bar("asking", None, show) as advance, TemporaryDirectory(prefix="recollect-calibrate-") as folder:
        path = Path(folder) / "copy.db"
        store.backup(path)
        copy = open_store(str(path))
        try:
            asking = _Asking(copy, embedder, ungated(recipe), stamp)
            examples = [e for n, each in enumerate([*logged, *made]) for e in asking.examples(n, each, advance)]
        finally:
            copy.close()
    return Questions(examples=examples, sources={LOGGED: len(logged), MADE: len(made)})


@dataclass(frozen=True, slots=True)
class _Asking:
    """Asks questions of the copy."""

    store: Store
    embedder: OptionalEmbedder
    recipe: Recipe
    stamp: Stamp

    def examples(self, n: int, asked: Asked, advance: Callable[[int], None]) -> list[Example]:
        """With the memories that answer, and without them; and the question whose answer is absent."""
        at = asked.at or self.stamp.at
        found = [Example(self._signals(asked.text, asked.namespace, at), True, n, asked.text)]
        if asked.absent is not None:
            found.append(Example(self._signals(asked.absent, asked.namespace, at), False, n, asked.absent))
        alike = list(self._same(asked.memories))
        revise.change(self.store, alike, "forget", self.stamp, status="forgotten")
        found.append(Example(self._signals(asked.text, asked.namespace, at), False, n, asked.text))
        self.store.write(Batch(puts=[fields_only(memory) for memory in alike]))
        advance(1)
        return found

    def _signals(self, text: str, namespace: str, at: datetime) -> Signals:
        query = question.query(
            text,
            recipe=self.recipe,
            filter=question.filter_from(namespaces=(namespace,)),
            at=at,
            limit=5,
            budget_tokens=None,
            include=None,
        )
        return read_path.recall(self.store, self.embedder, self.recipe, query, id="", model=model_for).signals

    def _same(self, memories: Sequence[Memory]) -> Iterator[Memory]:
        """The memories, their duplicates (linked by `same_as`), and the memories of the same turns. Each once."""
        found = {other.id: other for memory in memories for other in self._same_as(memory)}
        return iter(found.values())

    def _same_as(self, memory: Memory) -> Iterator[Memory]:
        yield memory
        yield from (other for link, other in neighbours(self.store, memory.id) if link.kind == "same_as")
        if memory.session_id is not None and memory.turn is not None:
            within = Filter(namespaces=(memory.namespace,), statuses=VISIBLE, session_id=memory.session_id)
            yield from (other for other in self.store.scan(within) if other.turn == memory.turn)
