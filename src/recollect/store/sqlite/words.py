"""Search by words: the exact best by BM25, from posting lists."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...types import FIELDS, Corpus, Posting, Statistics
from ...types.bm25 import Formula, idf
from ..sql.filters import Where
from ..sql.text_query import TextQuery
from ..top_k import TIE, Floats, Numbers, Pool, Search, Term, places, pooled
from ..values import Proposed
from .admitted import LOOKED_AT, Admitted, all_rows, named
from .connections import Database
from .dialect import SQLITE, compile_filter
from .lexicon import statistics
from .lists import Coded, Documents, Sealed, TermCache, Unsealed

_MOST_CORPORA = 64
"""Documents without a segment are kept in memory for this many corpora."""
_SPARE = 32
"""Extra memories. The confidence also asks for the words of memories that other routes found."""


class _Group(NamedTuple):
    """The documents of a corpus in its segments or beside them, with the lists of a search's terms."""

    tenant: str
    granularity: str
    documents: Documents
    lists: dict[str, Coded]


class _Scored(NamedTuple):
    score: float
    memory_id: str
    group: int
    document: int


class WordIndex:
    """The posting lists of a file that this process has read."""

    def __init__(self, admitted: Admitted) -> None:
        self._admitted = admitted
        self._lock = threading.Lock()
        self._forget()

    def _forget(self) -> None:
        self._cache = TermCache()
        self._corpora: OrderedDict[int, tuple[Sealed, Unsealed]] = OrderedDict()

    def clear(self) -> None:
        with self._lock:
            self._forget()

    def search(self, db: Database, asked: TextQuery) -> Proposed:
        """The caller holds a snapshot of the file."""
        with self._lock:
            tenants = sorted({path.partition("/")[0] for path in asked.filter.namespaces}) or _all_tenants(db)
            corpora = statistics(db, tenants, asked.terms)
            groups = [group for found in self._matching(db, asked, corpora) for group in found]
            corpora = _of_fields(groups, corpora, asked)
            searches = [_search(group, corpora[group.tenant, group.granularity], asked) for group in groups]
            found = self._best(db, asked, groups, searches) if groups else []
            postings = _postings(groups, found)
        return Proposed(
            postings, {key: held for key, held in corpora.items() if key[0] in {p.tenant for p in postings}}
        )

    def _matching(self, db: Database, asked: TextQuery, corpora: Statistics) -> Iterable[tuple[_Group, _Group]]:
        """The groups of the corpora that have any (or all) of the required terms."""
        enough = all if asked.match == "all" else any
        among = SQLITE.among("tenant", sorted({tenant for tenant, _ in corpora}))
        sql = f"SELECT number, tenant, granularity, sealed, removed FROM corpus WHERE {among.sql} ORDER BY number"
        for number, tenant, granularity, sealed, removed in db.execute(sql, among.values).fetchall():
            held = corpora[tenant, granularity].document_frequencies
            wanted = not asked.filter.granularities or granularity in asked.filter.granularities
            if wanted and enough(term in held for term in asked.required):
                in_segments, beside = self._documents(number)
                in_segments.follow(db, number)
                beside.follow(db, number, sealed, removed)
                yield (
                    _Group(tenant, granularity, in_segments, {term: in_segments.find(db, term) for term in held}),
                    _Group(tenant, granularity, beside, {term: beside.find(term) for term in held}),
                )

    def _documents(self, corpus: int) -> tuple[Sealed, Unsealed]:
        found = self._corpora.pop(corpus, None) or (Sealed(self._cache), Unsealed())
        self._corpora[corpus] = found
        if len(self._corpora) > _MOST_CORPORA:
            self._corpora.popitem(last=False)
        return found

    def _best(
        self, db: Database, asked: TextQuery, groups: Sequence[_Group], searches: Sequence[Search]
    ) -> list[_Scored]:
        """The best that the filter admits. Looks at more and more of them until it has admitted enough."""
        where = compile_filter(asked.filter)
        few = self._admitted.few(db, asked.filter, where)
        size, enough = sum(search.size for search in searches), asked.limit + max(asked.limit // 2, _SPARE)
        count = enough
        while few is None:
            pool = _pool(groups, searches, count, None)
            found = _named(db, groups, pool, where)
            if len(found) >= asked.limit or len(pool.documents) < count:
                return _first(found, enough)
            count *= 4
            if size <= LOOKED_AT:
                count = size + 1
            elif count > size // 8:
                few = all_rows(db, where)
        return _first(_named(db, groups, _pool(groups, searches, enough, few), where), enough)


def _all_tenants(db: Database) -> list[str]:
    return [tenant for (tenant,) in db.execute("SELECT DISTINCT tenant FROM corpus")]


# Statistics ---------------------------------------------------------------------------------------


def _of_fields(groups: Sequence[_Group], corpora: Statistics, asked: TextQuery) -> Statistics:
    """The statistics, with document frequencies of the searched fields."""
    if asked.formula is None:
        return corpora
    found = dict(corpora)
    for key in {(group.tenant, group.granularity) for group in groups}:
        if any(corpora[key].lengths[name] for name in FIELDS if name not in asked.weights):
            found[key] = _counted(corpora[key], [group for group in groups if group[:2] == key], asked)
    return found


def _counted(corpus: Corpus, groups: Sequence[_Group], asked: TextQuery) -> Corpus:
    weights, held = _weights(asked), dict.fromkeys(corpus.document_frequencies, 0)
    for group in groups:
        for term, coded in group.lists.items():
            held[term] += int(np.count_nonzero(coded.weighted(weights, slice(None))))
    return replace(corpus, document_frequencies={term: documents for term, documents in held.items() if documents})


def _weights(asked: TextQuery) -> tuple[float, ...]:
    return tuple(asked.weights.get(name, 0.0) for name in FIELDS)


# Ranking ------------------------------------------------------------------------------------------


def _search(group: _Group, corpus: Corpus, asked: TextQuery) -> Search:
    formula, weights = asked.formula or Formula(), _weights(asked)
    lengths = group.documents.lengths(tuple(weight > 0 for weight in weights))
    mean = sum(corpus.lengths[name] for name in asked.weights) / (corpus.documents or 1) or 1.0
    terms = [
        Term(
            weight=share * idf(corpus.documents, corpus.document_frequencies.get(term, 0)),
            required=term in asked.required,
            documents=group.lists[term].documents,
            counts=partial(group.lists[term].weighted, weights),
        )
        for term, share in asked.shares.items()
        if term in group.lists
    ]

    def room(documents: Numbers) -> Floats:
        found: Floats = formula.k1 * (1 - formula.b + formula.b * lengths[documents] / mean)
        return found

    return Search(terms=terms, match=asked.match, k1=formula.k1, size=group.documents.size, room=room)


def _pool(groups: Sequence[_Group], searches: Sequence[Search], count: int, rows: NDArray[np.int64] | None) -> Pool:
    return pooled(searches, count, None if rows is None else [group.documents.numbers(rows) for group in groups])


def _named(db: Database, groups: Sequence[_Group], pool: Pool, where: Where) -> list[_Scored]:
    """Those that the filter admits."""
    found = zip(pool.searches.tolist(), pool.documents.tolist(), pool.scores.tolist(), strict=True)
    rows = _rows(groups, pool)
    ids = dict(named(db, rows, where))
    return [_Scored(score, ids[row], *at) for row, (*at, score) in zip(rows, found, strict=True) if row in ids]


def _rows(groups: Sequence[_Group], pool: Pool) -> list[int]:
    """The row of each document."""
    rows = np.empty(len(pool.documents), np.int64)
    for number, group in enumerate(groups):
        own = pool.searches == number
        rows[own] = group.documents.rows[pool.documents[own]]
    found: list[int] = rows.tolist()
    return found


def _first(found: list[_Scored], limit: int) -> list[_Scored]:
    """The best, ties by id. Where scores differ by less than the error of a sum, all of them are kept."""
    if len(found) <= limit:
        return found
    found.sort(key=lambda one: (-one.score, one.memory_id))
    last = found[limit - 1].score
    tied = {one.score for one in found if abs(one.score - last) <= TIE}
    return found[:limit] if len(tied) == 1 else [one for one in found if one.score >= last - TIE]


def _postings(groups: Sequence[_Group], found: Sequence[_Scored]) -> list[Posting]:
    ids: dict[int, dict[int, str]] = {}
    for one in found:
        ids.setdefault(one.group, {})[one.document] = one.memory_id
    return [posting for number, wanted in ids.items() for posting in _of_group(groups[number], wanted)]


def _of_group(group: _Group, ids: dict[int, str]) -> list[Posting]:
    """The postings of some documents, with the counts of all terms."""
    numbers = np.array(sorted(ids), np.int32)
    counts: list[dict[str, dict[str, int]]] = [{} for _ in numbers]
    for term, coded in group.lists.items():
        here, at = places(coded.documents, numbers)
        for n, own in zip(here.tolist(), coded.counts(at), strict=True):
            for name, count in own:
                counts[n].setdefault(name, {})[term] = count
    sizes = group.documents.sizes[numbers].tolist()
    return [
        Posting(
            memory_id=ids[number],
            tenant=group.tenant,
            granularity=group.granularity,
            frequencies=frequencies,
            lengths={name: size for name, size in zip(FIELDS, own, strict=True) if size},
        )
        for number, frequencies, own in zip(numbers.tolist(), counts, sizes, strict=True)
    ]
