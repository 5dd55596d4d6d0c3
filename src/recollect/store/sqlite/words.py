"""Search by words: the exact best by BM25, from posting lists."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...types import FIELDS, Block, Corpus, Postings, Statistics
from ...types.bm25 import Formula, idf
from ..sql.filters import Where
from ..sql.text_query import TextQuery
from ..top_k import TIE, Floats, Numbers, Pool, Search, Term, places, pooled
from ..values import Proposed
from .admitted import LOOKED_AT, Admitted, all_rows
from .connections import Database
from .dialect import SQLITE, compile_filter
from .frequencies import NewDocuments, statistics
from .lists import Coded, Documents, Sealed, TermCache, Unsealed, counted

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
        self._new = NewDocuments()
        self._corpora: OrderedDict[int, tuple[Sealed, Unsealed]] = OrderedDict()

    def clear(self) -> None:
        with self._lock:
            self._forget()

    def search(self, db: Database, asked: TextQuery) -> Proposed:
        """The caller holds a snapshot of the file."""
        with self._lock:
            tenants = sorted({path.partition("/")[0] for path in asked.filter.namespaces}) or _all_tenants(db)
            corpora = statistics(db, tenants, asked.terms, self._new)
            groups = list(self._matching(db, asked, corpora))
            corpora = _of_fields(groups, corpora, asked)
            searches = [_search(group, corpora[group.tenant, group.granularity], asked) for group in groups]
            found = self._best(db, asked, groups, searches) if groups else []
            postings = _postings(groups, found)
        within = {block.tenant for block in postings.blocks}
        return Proposed(postings, {key: held for key, held in corpora.items() if key[0] in within})

    def _matching(self, db: Database, asked: TextQuery, corpora: Statistics) -> Iterable[_Group]:
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
                for documents, find in ((in_segments, partial(in_segments.find, db)), (beside, beside.find)):
                    if (lists := _lists(find, held, asked)) is not None:
                        yield _Group(tenant, granularity, documents, lists)

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
            found = self._named(db, asked, where, groups, pool)
            if len(found) >= asked.limit or len(pool.documents) < count:
                return _first(found, enough)
            count *= 4
            if size <= LOOKED_AT:
                count = size + 1
            elif count > size // 8:
                few = all_rows(db, asked.filter, where)
        return _first(self._named(db, asked, where, groups, _pool(groups, searches, enough, few)), enough)

    def _named(
        self, db: Database, asked: TextQuery, where: Where, groups: Sequence[_Group], pool: Pool
    ) -> list[_Scored]:
        """Those that the filter admits."""
        at, ids = self._admitted.named(db, _rows(groups, pool), asked.filter, where)
        columns = (pool.scores, pool.searches, pool.documents)
        scores, searches, documents = (column[at].tolist() for column in columns)
        return list(map(_Scored, scores, ids, searches, documents))


def _lists(find: Callable[[str], Coded], held: Mapping[str, int], asked: TextQuery) -> dict[str, Coded] | None:
    """The lists of the terms. If all are required, the rarest are read first, and None says that no document has all of
    them: then the long lists are not read."""
    lists: dict[str, Coded] = {}
    if asked.match == "all" and asked.formula is None:  # a formula counts the documents of every list
        common: Numbers | None = None
        for term in sorted(asked.required, key=held.__getitem__):
            lists[term] = find(term)
            documents = lists[term].documents
            common = documents if common is None else common[places(documents, common)[0]]
            if not len(common):
                return None
    return {term: lists[term] if term in lists else find(term) for term in held}


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
    searched = tuple(weight > 0 for weight in weights)
    lengths = group.documents.lengths(searched)
    mean = sum(corpus.lengths[name] for name in asked.weights) / (corpus.documents or 1) or 1.0
    terms = [
        Term(
            weight=share * idf(corpus.documents, corpus.document_frequencies.get(term, 0)),
            required=term in asked.required,
            documents=group.lists[term].documents,
            counts=partial(group.lists[term].weighted, weights),
            most=group.lists[term].most(weights),
        )
        for term, share in asked.shares.items()
        if term in group.lists
    ]

    def room(documents: Numbers) -> Floats:
        found: Floats = formula.k1 * (1 - formula.b + formula.b * lengths[documents] / mean)
        return found

    least = formula.k1 * (1 - formula.b + formula.b * group.documents.shortest(searched) / mean)
    return Search(terms=terms, match=asked.match, k1=formula.k1, size=group.documents.size, room=room, least_room=least)


def _pool(groups: Sequence[_Group], searches: Sequence[Search], count: int, rows: NDArray[np.int64] | None) -> Pool:
    return pooled(searches, count, None if rows is None else [group.documents.numbers(rows) for group in groups])


def _rows(groups: Sequence[_Group], pool: Pool) -> NDArray[np.int64]:
    """The row of each document."""
    rows = np.empty(len(pool.documents), np.int64)
    for number, group in enumerate(groups):
        own = pool.searches == number
        rows[own] = group.documents.rows[pool.documents[own]]
    return rows


def _first(found: list[_Scored], limit: int) -> list[_Scored]:
    """The best, ties by id. Where scores differ by less than the error of a sum, all of them are kept."""
    if len(found) <= limit:
        return found
    found.sort(key=lambda one: (-one.score, one.memory_id))
    last = found[limit - 1].score
    tied = {one.score for one in found if abs(one.score - last) <= TIE}
    return found[:limit] if len(tied) == 1 else [one for one in found if one.score >= last - TIE]


def _postings(groups: Sequence[_Group], found: Sequence[_Scored]) -> Postings:
    ids: dict[int, dict[int, str]] = {}
    for one in found:
        ids.setdefault(one.group, {})[one.document] = one.memory_id
    return Postings([_block(groups[number], wanted) for number, wanted in ids.items()])


def _block(group: _Group, ids: dict[int, str]) -> Block:
    """The postings of some documents, with the counts of all terms."""
    numbers = np.array(sorted(ids), np.int32)
    counts = counted(list(group.lists.values()), numbers)
    return Block(
        tenant=group.tenant,
        granularity=group.granularity,
        ids=[ids[number] for number in numbers.tolist()],
        terms=list(group.lists),
        counts=counts,
        lengths=group.documents.sizes[numbers].T.astype(np.int64),
    )
