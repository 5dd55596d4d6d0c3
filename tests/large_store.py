"""A store of 100,000 memories in five namespaces, and how much of it a call reads."""

import random
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass

import apsw
import numpy as np
from factories import days_ago, memory
from given_vectors import put

from recollect import Recollect
from recollect.ids import digest
from recollect.store.settings import set_embedder
from recollect.store.values import Batch
from recollect.types import Link

NAMESPACES = tuple(f"team{n}/ada" for n in range(5))
MEMORIES, LINKS, PAGE, DIM = 100_000, 30_000, 10_000, 64
_EVERY = 100_000
"""After so many steps SQLite asks whether to go on."""
_WORDS = [f"word{n}" for n in range(3_000)]
_OFTEN = [1 / (n + 1) for n in range(len(_WORDS))]
"""Some words are in most texts, as in real ones."""


class AnyText:
    """An embedder that gives every text a vector of its own, without a model."""

    name, fingerprint, dim = "any-text", "any-text/1", DIM

    def embed(self, texts):
        made = [np.random.default_rng(int.from_bytes(digest(text)[:8])).normal(size=DIM) for text in texts]
        return np.stack([vector / np.linalg.norm(vector) for vector in made]).astype(np.float32)


def build(path):
    """Writes the memories in large batches."""
    chance, vectors = random.Random(3), np.random.default_rng(3).normal(size=(MEMORIES, DIM)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    with open_large(path) as mind:
        set_embedder(mind.store, AnyText.name, AnyText.fingerprint)
        for start in range(0, MEMORIES, PAGE):
            mind.store.write(Batch(puts=[_put(n, chance, vectors[n]) for n in range(start, start + PAGE)]))
        mind.store.write(
            Batch(links=[Link(a=id_of(n), b=id_of(n + 5), kind="related", weight=0.5) for n in range(LINKS)])
        )


def _put(number, chance, vector):
    text = " ".join(chance.choices(_WORDS, _OFTEN, k=12))
    made = memory(
        id_of(number),
        f"{text} item{number}",
        namespace=NAMESPACES[number % len(NAMESPACES)],
        created_at=days_ago(number % 700),
    )
    return put(made, full=vector)


def id_of(number):
    return f"{number:026d}"


def open_large(path):
    return Recollect(path, embedder=AnyText(), namespace=NAMESPACES[0])


@dataclass
class Read:
    """What SQLite did in a block."""

    statements: int = 0
    steps: int = 0
    """Steps of SQLite's virtual machine. One row takes about ten."""
    scanned: int = 0
    """Rows that were read without an index."""

    def __post_init__(self):
        self.by_statement = Counter()
        """Statement → its steps, to see which one reads too much."""

    def add(self, event):
        status = event["stmt_status"]
        self.statements += 1
        self.steps += status["SQLITE_STMTSTATUS_VM_STEP"]
        self.scanned += status["SQLITE_STMTSTATUS_FULLSCAN_STEP"]
        self.by_statement[event["sql"]] += status["SQLITE_STMTSTATUS_VM_STEP"]


class Counting:
    """Counts what all connections of this process do, by SQLite's own counters."""

    def __init__(self):
        self._now, self._left = None, 0

    def attach(self, connection):
        connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, self._add)
        connection.set_progress_handler(self._too_much, _EVERY)  # a product would run for minutes

    def _add(self, event):
        if self._now is not None:
            self._now.add(event)

    def _too_much(self):
        self._left -= _EVERY
        return self._now is not None and self._left < 0

    @contextmanager
    def read(self, most):
        """Stops a statement with an error when the block takes about twice as many steps."""
        self._now, self._left = Read(), 2 * most + _EVERY
        try:
            yield self._now
        finally:
            self._now = None
