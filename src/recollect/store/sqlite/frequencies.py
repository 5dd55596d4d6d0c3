"""In how many documents of a corpus is each term?

To write that for each new document would change a page for almost each of its words. So it is written for some hundred
documents at a time, in the transaction of the last of them. Readers count the others themselves.
"""

from __future__ import annotations

import json
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ...types import FIELDS, Corpus, Statistics
from .connections import Database
from .postings import AS_TEXT

AT_ONCE = 512
"""So many new documents are counted together."""
_MOST_CORPORA = 64
"""The counts of new documents are kept in memory for this many corpora."""
_MORE = (
    "INSERT INTO term VALUES (?, ?, ?) "
    "ON CONFLICT (corpus, term) DO UPDATE SET documents = documents + excluded.documents"
)
_LESS = "UPDATE term SET documents = documents - ? WHERE corpus = ? AND term = ?"
_NONE_LEFT = "DELETE FROM term WHERE corpus = ? AND term = ? AND documents = 0"


def count(db: Database, corpus: int, uncounted: int, counted: int) -> None:
    """Counts the documents after this one, if they are enough."""
    if uncounted < AT_ONCE:
        return
    found, last = _counted(db, corpus, counted)
    db.executemany(_MORE, [(corpus, *pair) for pair in sorted(found.items())])
    db.execute("UPDATE corpus SET counted = ?, uncounted = 0 WHERE number = ?", (last, corpus))


def take_out(db: Database, corpus: int, gone: Mapping[str, int]) -> None:
    """`gone`: term → in how many counted documents it was that are no longer there."""
    db.executemany(_LESS, [(by, corpus, term) for term, by in sorted(gone.items())])
    db.executemany(_NONE_LEFT, [(corpus, term) for term in sorted(gone)])


def _counted(db: Database, corpus: int, after: int) -> tuple[Counter[str], int]:
    """Term → number of documents after this one that have it; the last of these."""
    found: Counter[str] = Counter()
    for seq, terms in _terms(db, corpus, after):
        found.update(terms)
        after = seq
    return found, after


def _terms(db: Database, corpus: int, after: int) -> Iterator[tuple[int, set[str]]]:
    """The documents after this one, in order, each with its terms."""
    sql = f"SELECT seq, {AS_TEXT} FROM document WHERE corpus = ? AND seq > ? ORDER BY seq"
    for seq, *columns in db.execute(sql, (corpus, after)):
        yield seq, set(" ".join(columns).split())


# Reading ------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Followed:
    """New documents of a corpus, as far as this process has read them."""

    after: int
    removed: int
    last: int
    documents: int = 0
    terms: Counter[str] = field(default_factory=Counter)


class NewDocuments:
    """The terms of the documents that `term` does not count, read once and then followed."""

    def __init__(self) -> None:
        self._held: OrderedDict[int, _Followed] = OrderedDict()

    def counts(self, db: Database, corpus: int, after: int, uncounted: int, removed: int) -> Mapping[str, int]:
        """Term → number of the corpus's documents after this one that have it."""
        if not uncounted:
            return {}
        held = self._held.pop(corpus, None)
        if held is None or (held.after, held.removed) != (after, removed):
            held = _Followed(after, removed, after)
        if held.documents > uncounted:  # another thread sees more
            self._held[corpus] = held
            return _counted(db, corpus, after)[0]
        if held.documents < uncounted:
            for seq, terms in _terms(db, corpus, held.last):
                held.terms.update(terms)
                held.last, held.documents = seq, held.documents + 1
        self._held[corpus] = held
        if len(self._held) > _MOST_CORPORA:
            self._held.popitem(last=False)
        return held.terms


def statistics(db: Database, tenants: Iterable[str], terms: Iterable[str], new: NewDocuments) -> Statistics:
    """The statistics of the tenants' corpora. Document frequencies are those of the given terms."""
    wanted, found = sorted(set(terms)), dict[tuple[str, str], Corpus]()
    for tenant in sorted(set(tenants)):
        for number, *values in db.execute(_CORPORA, (tenant,)).fetchall():
            granularity, documents, *lengths = values[: 2 + len(FIELDS)]
            counted = _frequencies(db, number, wanted, new.counts(db, number, *values[2 + len(FIELDS) :]))
            found[tenant, granularity] = Corpus(
                documents=documents,
                lengths=dict(zip(FIELDS, lengths, strict=True)),
                document_frequencies=counted,
            )
    return found


_CORPORA = (
    f"SELECT number, granularity, documents, {', '.join(FIELDS)}, counted, uncounted, removed FROM corpus "
    "WHERE tenant = ?"
)


def _frequencies(db: Database, corpus: int, terms: list[str], new: Mapping[str, int]) -> dict[str, int]:
    """Term → number of documents, for those that are in any, ordered by term."""
    sql = "SELECT t.term, t.documents FROM json_each(?) j CROSS JOIN term t ON t.corpus = ? AND t.term = j.value"
    held = dict(db.execute(sql, (json.dumps(terms), corpus)).fetchall())
    return {term: documents for term in terms if (documents := held.get(term, 0) + new.get(term, 0))}
