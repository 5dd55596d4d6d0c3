"""A store of 100,000 memories in five namespaces, and how much of it a call reads."""

import random
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass

import apsw
from factories import days_ago, memory

from recollect import Recollect
from recollect.embedders.hashing import Hashing
from recollect.ids import digest
from recollect.store.settings import set_embedder
from recollect.store.values import Batch, Document, Embedded, Put
from recollect.text.analyze import analyze
from recollect.types import Link

NAMESPACES = tuple(f"team{n}/ada" for n in range(5))
SMALL = "team0/ada/small"
"""A namespace of a few memories, for calls that change a whole one."""
MEMORIES, LINKS, PAGE, FEW_MEMORIES = 100_000, 30_000, 10_000, 20
_EVERY = 100_000
"""After so many steps SQLite asks whether to go on."""
_SYLLABLES = ("ba", "ko", "lu", "mi", "re", "su", "ta", "vo", "ne", "gi")
_WORDS = ["".join(_SYLLABLES[int(digit)] for digit in f"{n:04d}") for n in range(3_000)]
_OFTEN = [1 / (n + 1) for n in range(len(_WORDS))]
"""Some words are in most texts, as in real ones."""
_TERMS = {word: tuple(analyze(word)) for word in _WORDS}
QUESTION = f"{_WORDS[1]} {_WORDS[7]} {_WORDS[1_234]}"


def build(path):
    """Writes the memories in large batches."""
    chance = random.Random(3)
    with open_large(path) as mind:
        set_embedder(mind.store, Hashing.name, Hashing.fingerprint)
        for start in range(0, MEMORIES, PAGE):
            numbers = range(start, start + PAGE)
            mind.store.write(Batch(puts=_puts(numbers, chance, [NAMESPACES[n % len(NAMESPACES)] for n in numbers])))
        extra = range(MEMORIES, MEMORIES + FEW_MEMORIES)
        mind.store.write(Batch(puts=_puts(extra, chance, [SMALL] * FEW_MEMORIES)))
        mind.store.write(
            Batch(links=[Link(a=id_of(n), b=id_of(n + 5), kind="related", weight=0.5) for n in range(LINKS)])
        )


def _puts(numbers, chance, places):
    said = [chance.choices(_WORDS, _OFTEN, k=12) for _ in numbers]
    texts = [" ".join(words) for words in said]
    vectors = Hashing().embed(texts)
    made = zip(numbers, places, said, texts, vectors, strict=True)
    return [_put(number, place, words, text, vector) for number, place, words, text, vector in made]


def _put(number, place, words, text, vector):
    terms = tuple(term for word in words for term in _TERMS[word])
    return Put(
        memory=memory(id_of(number), text, namespace=place, created_at=days_ago(number % 700)),
        document=Document(text=terms),
        digest=digest(text),
        vectors={"full": Embedded(hash=digest(f"{number}"), vector=vector)},
    )


def id_of(number):
    return f"{number:026d}"


def open_large(path):
    return Recollect(path, embedder="hashing", namespace=NAMESPACES[0])


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
