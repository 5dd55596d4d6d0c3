"""Writes a memory's terms: its document, the sizes of its corpus, and the posting lists.

A corpus is the memories of one tenant and granularity. `words.py` searches.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from ...text.same_statement import statement_key
from ...types import FIELDS, Memory
from ..values import Document
from . import frequencies, postings
from .connections import Database

_fields = attrgetter(*FIELDS)
_STATING = ("memory", "fact")
"""The granularities whose documents have the key of their statement."""


class _Held(NamedTuple):
    """A stored document."""

    seq: int
    corpus: int
    columns: tuple[str, ...]


_CORPUS = "SELECT number FROM corpus WHERE tenant = ? AND granularity = ?"
_INSERT = f"INSERT INTO document (row, corpus, same, {postings.COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"
SIZES = (*FIELDS, "documents", "pending", "removed", "uncounted")
_CHANGE = (
    f"UPDATE corpus SET {', '.join(f'{name} = {name} + ?' for name in SIZES)} WHERE number = ? "
    "RETURNING pending, sealed, uncounted, counted"
)

_Parts: TypeAlias = Sequence[Sequence[str]]
"""The terms of a document, by field."""


class _Tally:
    """The changes of a batch to one corpus. `removed` tells other processes that documents are gone."""

    def __init__(self) -> None:
        self.sizes = dict.fromkeys(SIZES, 0)
        """Column of the corpus → its change."""
        self.gone: Counter[str] = Counter()
        """Terms of removed documents that `term` counts."""

    def add(self, lengths: Sequence[int]) -> None:
        self._change(lengths, 1)
        self.sizes["pending"] += postings.cost(lengths)
        self.sizes["uncounted"] += 1

    def remove(self, parts: _Parts, *, sealed: bool, counted: bool) -> None:
        lengths = list(map(len, parts))
        self._change(lengths, -1)
        self.sizes["removed"] += 1
        self.sizes["pending"] -= 0 if sealed else postings.cost(lengths)
        if counted:
            self.gone.update(set().union(*parts))
        else:
            self.sizes["uncounted"] -= 1

    def _change(self, lengths: Sequence[int], sign: int) -> None:
        sizes = self.sizes
        for name, length in zip(FIELDS, lengths, strict=True):
            sizes[name] += sign * length
        sizes["documents"] += sign


class Lexicon:
    """Writes documents, and sums the changes of a batch to the statistics and the segments. `flush` writes those."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._tallies: defaultdict[int, _Tally] = defaultdict(_Tally)
        self._numbers: dict[tuple[str, str], int] = {}
        self._last: dict[int, tuple[int, int]] = {}
        self._removal = postings.Removal(db)

    def add(self, documents: Iterable[tuple[int, Memory, Document]]) -> None:
        """Adds documents with the rows of their memories."""
        self._insert([(row, memory, _fields(held)) for row, memory, held in documents])

    def remove(self, row: int) -> None:
        held = self._held(row)
        if held is not None:
            self._remove(held)

    def move(self, row: int, memory: Memory) -> None:
        """Moves a row to the corpus of its memory. Its terms stay the same."""
        held = self._held(row)
        if held is not None and held.corpus != self._corpus(memory):
            self._remove(held)
            self._insert([(row, memory, [column.split() for column in held.columns])])

    def _held(self, row: int) -> _Held | None:
        found = self._db.execute(
            f"SELECT seq, corpus, {postings.AS_TEXT} FROM document WHERE row = ?", (row,)
        ).fetchone()
        return None if found is None else _Held(found[0], found[1], tuple(found[2:]))

    def _remove(self, held: _Held) -> None:
        self._db.execute("DELETE FROM document WHERE seq = ?", (held.seq,))
        sealed, counted = (held.seq <= last for last in self._bounds(held.corpus))
        parts = [column.split() for column in held.columns]
        self._tallies[held.corpus].remove(parts, sealed=sealed, counted=counted)
        if sealed:
            self._removal.add(held.corpus, held.seq, held.columns)

    def _insert(self, documents: Sequence[tuple[int, Memory, _Parts]]) -> None:
        rows = []
        for row, memory, parts in documents:
            corpus = self._corpus(memory)
            rows.append((row, corpus, key_of(memory.text, memory.granularity), *map(" ".join, parts)))
            self._tallies[corpus].add(list(map(len, parts)))
        self._db.executemany(_INSERT, rows)

    def flush(self) -> None:
        self._removal.flush()
        for corpus, tally in self._tallies.items():
            pending, sealed, uncounted, counted = self._write(corpus, tally)
            frequencies.count(self._db, corpus, uncounted, counted)
            postings.seal(self._db, corpus, pending, sealed)
        self._tallies.clear()
        self._last.clear()

    def _write(self, corpus: int, tally: _Tally) -> tuple[int, int, int, int]:
        """Returns what the corpus says then of documents without a segment, and of those that no count has."""
        frequencies.take_out(self._db, corpus, tally.gone)
        found: tuple[int, int, int, int] = self._db.execute(_CHANGE, (*tally.sizes.values(), corpus)).fetchone()
        return found

    def _corpus(self, memory: Memory) -> int:
        pair = memory.tenant, memory.granularity
        number = self._numbers.get(pair)
        if number is None:
            number = self._db.execute(_CORPUS, pair).get or self._new_corpus(pair)
            self._numbers[pair] = number
        return number

    def _new_corpus(self, pair: tuple[str, str]) -> int:
        self._db.execute(
            "INSERT INTO corpus (tenant, granularity, documents, gist, text, entities, tags) "
            "VALUES (?, ?, 0, 0, 0, 0, 0)",
            pair,
        )
        return self._db.last_insert_rowid()

    def _bounds(self, corpus: int) -> tuple[int, int]:
        """The sequence numbers up to which documents of the corpus are in segments, and are counted."""
        if corpus not in self._last:
            sql = "SELECT sealed, counted FROM corpus WHERE number = ?"
            self._last[corpus] = self._db.execute(sql, (corpus,)).fetchone()
        return self._last[corpus]


def key_of(text: str, granularity: str) -> int | None:
    """The key of what a memory states. A turn or a chunk holds several statements and has none."""
    return statement_key(text) if granularity in _STATING else None


def fill_keys(db: Database) -> None:
    """Makes the keys of all statements again."""
    last, sql = -1, "SELECT row, text, granularity FROM memory WHERE row > ? ORDER BY row LIMIT 4096"
    while page := db.execute(sql, (last,)).fetchall():
        last = page[-1][0]
        keys = [(key_of(text, granularity), row) for row, text, granularity in page]
        db.executemany("UPDATE document SET same = ? WHERE row = ?", keys)
