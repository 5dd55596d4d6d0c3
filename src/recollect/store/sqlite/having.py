"""The memories that have all of some words, if they are few.

This is asked for new memories, to find what they may deny. Mostly only the new one has all of the words. So nothing is
prepared for searches that may never come: the documents without a segment are kept as text, and of the posting lists
only those of the rarest words are read, until no document is left.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ...types import FIELDS, Posting, Statistics
from ..sql.text_query import TextQuery
from ..values import Proposed
from .admitted import named
from .connections import Database
from .dialect import SQLITE, compile_filter
from .frequencies import NewDocuments, statistics
from .postings import AS_TEXT, MASKS, SHIFTS, row_of

_MOST_CORPORA = 8
_SPARE = 32
"""So many memories more than are asked for are still few."""
_FIELD = "text"
_IN_TEXT = np.uint32(MASKS[FIELDS.index(_FIELD)] << SHIFTS[FIELDS.index(_FIELD)])
"""The bits of the count in the text."""


class Having:
    """Documents without a segment that this process has read, as text. Some may be outdated."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._forget()

    def _forget(self) -> None:
        self._new = NewDocuments()
        self._held: OrderedDict[int, _Texts] = OrderedDict()

    def clear(self) -> None:
        with self._lock:
            self._forget()

    def search(self, db: Database, asked: TextQuery) -> Proposed | None:
        """All memories with all of the words in their text; None if they are not few. The caller holds a snapshot."""
        tenants = {path.partition("/")[0] for path in asked.filter.namespaces}
        if not tenants or set(asked.weights) != {_FIELD}:
            return None
        with self._lock:
            corpora = statistics(db, tenants, asked.terms, self._new)
            rows: list[int] = []
            for number, sealed, required in _matching(db, asked, corpora):
                rows += self._texts(number).having(db, number, sealed, required)
                rows += _in_segments(db, number, required)
        if len(set(rows)) > asked.limit + _SPARE:
            return None
        listed = np.array(sorted(set(rows)), np.int64)
        found = named(db, listed, compile_filter(asked.filter))
        ids = dict(zip(listed[found.at].tolist(), found.ids, strict=True))
        return Proposed(list(_postings(db, ids, asked, corpora)), corpora)

    def _texts(self, corpus: int) -> _Texts:
        found = self._held.pop(corpus, None) or _Texts()
        self._held[corpus] = found
        if len(self._held) > _MOST_CORPORA:
            self._held.popitem(last=False)
        return found


def _matching(db: Database, asked: TextQuery, corpora: Statistics) -> Iterator[tuple[int, int, list[str]]]:
    """The corpora that have all of the words: number, last document in a segment, and the words, rarest first."""
    among = SQLITE.among("tenant", sorted({tenant for tenant, _ in corpora}))
    sql = f"SELECT number, tenant, granularity, sealed FROM corpus WHERE {among.sql} ORDER BY number"
    for number, tenant, granularity, sealed in db.execute(sql, among.values).fetchall():
        held = corpora[tenant, granularity].document_frequencies
        wanted = not asked.filter.granularities or granularity in asked.filter.granularities
        if wanted and all(term in held for term in asked.required):
            yield number, sealed, sorted(asked.required, key=held.__getitem__)


class _Texts:
    """The documents of a corpus that no segment holds."""

    def __init__(self) -> None:
        self._read_anew(0)

    def _read_anew(self, sealed: int) -> None:
        self._start = self._last = sealed
        self._rows: list[int] = []
        self._texts: list[str] = []

    def having(self, db: Database, corpus: int, sealed: int, required: Sequence[str]) -> list[int]:
        """The rows of those that have all of the words, and maybe of some that had them."""
        if sealed != self._start:
            self._read_anew(sealed)
        sql = "SELECT seq, row, text FROM document WHERE corpus = ? AND seq > ? ORDER BY seq"
        for seq, row, text in db.execute(sql, (corpus, self._last)).fetchall():
            self._last = seq
            self._rows.append(row)
            self._texts.append(f" {text} ")
        first, *others = (f" {term} " for term in required)
        found = [n for n, text in enumerate(self._texts) if first in text]
        return [self._rows[n] for n in found if all(term in self._texts[n] for term in others)]


def _in_segments(db: Database, corpus: int, required: Sequence[str]) -> list[int]:
    """The rows of the documents in segments that have all of the words."""
    segments = [number for (number,) in db.execute("SELECT number FROM segment WHERE corpus = ?", (corpus,))]
    found: dict[int, NDArray[np.uint32]] | None = None
    for term in required:
        lists = dict(_lists(db, segments if found is None else list(found), term))
        if found is not None:
            lists = {segment: np.intersect1d(found[segment], held, True) for segment, held in lists.items()}
        found = {segment: documents for segment, documents in lists.items() if len(documents)}
        if not found:
            return []
    return [row_of(db, segment, n) for segment, held in (found or {}).items() for n in held.tolist()]


def _lists(db: Database, segments: Sequence[int], term: str) -> Iterator[tuple[int, NDArray[np.uint32]]]:
    """For each of the segments that have the term in a text: the numbers of these documents."""
    sql = "SELECT p.segment, p.data FROM json_each(?) j CROSS JOIN posting p ON p.segment = j.value AND p.term = ?"
    for segment, data in db.execute(sql, (json.dumps(segments), term)):
        packed = np.frombuffer(data, np.uint32)
        yield segment, packed[packed & _IN_TEXT > 0] >> np.uint32(16)


def _postings(db: Database, ids: dict[int, str], asked: TextQuery, corpora: Statistics) -> Iterator[Posting]:
    sql = (
        f"SELECT row, tenant, granularity, {AS_TEXT} FROM json_each(?) j CROSS JOIN document ON row = j.value "
        "CROSS JOIN corpus ON number = document.corpus"
    )
    for row, tenant, granularity, *columns in db.execute(sql, (json.dumps(list(ids)),)):
        held = dict(zip(FIELDS, (column.split() for column in columns), strict=True))
        if (tenant, granularity) in corpora and set(asked.required).issubset(held[_FIELD]):
            counts = {name: {term: words.count(term) for term in asked.terms} for name, words in held.items()}
            yield Posting(
                memory_id=ids[row],
                tenant=tenant,
                granularity=granularity,
                frequencies={name: kept for name, each in counts.items() if (kept := _counted(each))},
                lengths={name: len(words) for name, words in held.items() if words},
            )


def _counted(counts: dict[str, int]) -> dict[str, int]:
    return {term: count for term, count in counts.items() if count}
