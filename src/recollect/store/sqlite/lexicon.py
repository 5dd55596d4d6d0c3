"""Writes a memory's terms: its document, the statistics of its corpus, and the posting lists.

A corpus is the memories of one tenant and granularity. `words.py` searches.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ...text.same_statement import statement_key
from ...types import FIELDS, Corpus, Memory, Statistics
from ..values import Document
from . import postings
from .connections import Database

_STATING = ("memory", "fact")
"""The granularities whose documents have the key of their statement."""


class _Held(NamedTuple):
    """A stored document."""

    seq: int
    corpus: int
    columns: tuple[str, ...]


_INSERT = f"INSERT INTO document (row, corpus, same, {postings.COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"


class _Tally:
    """The changes of a batch to one corpus: document counts by term, and lengths by field."""

    def __init__(self) -> None:
        self.terms: Counter[str] = Counter()
        self.sizes: Counter[str] = Counter()

    def add(self, columns: Sequence[str]) -> None:
        self.sizes["pending"] += postings.cost(self._measure(columns, 1))

    def remove(self, columns: Sequence[str], *, sealed: bool) -> None:
        pending = postings.cost(self._measure(columns, -1))
        self.sizes["pending"] -= 0 if sealed else pending
        self.sizes["removed"] += 1

    def _measure(self, columns: Sequence[str], sign: int) -> list[int]:
        split = [column.split() for column in columns]
        sizes = list(map(len, split))
        for name, size in zip(FIELDS, sizes, strict=True):
            self.sizes[name] += sign * size
        self.sizes["documents"] += sign
        terms = set().union(*split)
        self.terms.update(terms) if sign > 0 else self.terms.subtract(terms)
        return sizes


class Lexicon:
    """Writes documents, and sums the changes of a batch to the statistics and the segments. `flush` writes those."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._tallies: defaultdict[int, _Tally] = defaultdict(_Tally)
        self._numbers: dict[tuple[str, str], int] = {}
        self._sealed: dict[int, int] = {}
        self._removal = postings.Removal(db)

    def add(self, row: int, memory: Memory, document: Document) -> None:
        self._insert(row, memory, [" ".join(getattr(document, name)) for name in FIELDS])

    def remove(self, row: int) -> None:
        held = self._held(row)
        if held is not None:
            self._remove(held)

    def move(self, row: int, memory: Memory) -> None:
        """Moves a row to the corpus of its memory. Its terms stay the same."""
        held = self._held(row)
        if held is not None and held.corpus != self._corpus(memory):
            self._remove(held)
            self._insert(row, memory, held.columns)

    def _held(self, row: int) -> _Held | None:
        found = self._db.execute(
            f"SELECT seq, corpus, {postings.COLUMNS} FROM document WHERE row = ?", (row,)
        ).fetchone()
        return None if found is None else _Held(found[0], found[1], tuple(found[2:]))

    def _remove(self, held: _Held) -> None:
        self._db.execute("DELETE FROM document WHERE seq = ?", (held.seq,))
        sealed = held.seq <= self._sealed_to(held.corpus)
        self._tallies[held.corpus].remove(held.columns, sealed=sealed)
        if sealed:
            self._removal.add(held.corpus, held.seq, held.columns)

    def _insert(self, row: int, memory: Memory, columns: Sequence[str]) -> None:
        corpus, same = self._corpus(memory), key_of(memory.text, memory.granularity)
        self._db.execute(_INSERT, (row, corpus, same, *columns))
        self._tallies[corpus].add(columns)

    def flush(self) -> None:
        self._removal.flush()
        for corpus, tally in self._tallies.items():
            self._write(corpus, tally)
            postings.seal(self._db, corpus)
        self._tallies.clear()
        self._sealed.clear()

    def _write(self, corpus: int, tally: _Tally) -> None:
        more = ", ".join(f"{name} = {name} + ?" for name in tally.sizes)
        self._db.execute(f"UPDATE corpus SET {more} WHERE number = ?", (*tally.sizes.values(), corpus))
        changed = [(corpus, term, by) for term, by in tally.terms.items() if by]
        self._db.executemany(
            "INSERT INTO term VALUES (?, ?, ?) "
            "ON CONFLICT (corpus, term) DO UPDATE SET documents = documents + excluded.documents",
            changed,
        )
        gone = [(corpus, term) for _, term, by in changed if by < 0]
        self._db.executemany("DELETE FROM term WHERE corpus = ? AND term = ? AND documents = 0", gone)

    def _corpus(self, memory: Memory) -> int:
        pair = memory.tenant, memory.granularity
        if pair not in self._numbers:
            self._db.execute(
                "INSERT INTO corpus (tenant, granularity, documents, gist, text, entities, tags) "
                "VALUES (?, ?, 0, 0, 0, 0, 0) ON CONFLICT DO NOTHING",
                pair,
            )
            self._numbers[pair] = self._db.execute(
                "SELECT number FROM corpus WHERE tenant = ? AND granularity = ?", pair
            ).get
        return self._numbers[pair]

    def _sealed_to(self, corpus: int) -> int:
        """The sequence number up to which documents of the corpus are in segments."""
        if corpus not in self._sealed:
            self._sealed[corpus] = self._db.execute("SELECT sealed FROM corpus WHERE number = ?", (corpus,)).get
        return self._sealed[corpus]


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


def statistics(db: Database, tenants: Iterable[str], terms: Iterable[str]) -> Statistics:
    wanted = json.dumps(sorted(set(terms)))
    found: dict[tuple[str, str], Corpus] = {}
    for tenant in sorted(set(tenants)):
        rows = db.execute(
            "SELECT granularity, c.documents, gist, text, entities, tags, term, t.documents FROM corpus c "
            "LEFT JOIN term t ON t.corpus = c.number AND t.term IN (SELECT value FROM json_each(?)) WHERE tenant = ?",
            (wanted, tenant),
        )
        for granularity, documents, *lengths, term, containing in rows:
            corpus = found.setdefault(
                (tenant, granularity),
                Corpus(
                    documents=documents,
                    lengths=dict(zip(FIELDS, lengths, strict=True)),
                    document_frequencies={},
                ),
            )
            if term is not None:
                corpus.document_frequencies[term] = containing  # type: ignore[index]  # still being built
    return found
