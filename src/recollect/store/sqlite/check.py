"""Checks that the file's tables agree with each other."""

from __future__ import annotations

from collections import Counter

from ...types import FIELDS
from ..values import Finding
from . import postings
from .connections import Database

_REINDEX = "run `recollect export` and `recollect import` into a new file, or restore a backup"

_ORPHANS = {
    "memories without a lexical row": ("SELECT count(*) FROM memory WHERE row NOT IN (SELECT row FROM document)"),
    "lexical rows without a memory": ("SELECT count(*) FROM document WHERE row NOT IN (SELECT row FROM memory)"),
    "vector views without a memory": "SELECT count(*) FROM view WHERE row NOT IN (SELECT row FROM memory)",
    "vector views without a vector": "SELECT count(*) FROM view WHERE vector NOT IN (SELECT number FROM vector)",
    "vectors that no memory uses": "SELECT count(*) FROM vector WHERE number NOT IN (SELECT vector FROM view)",
    "links to a missing memory": (
        "SELECT count(*) FROM link WHERE a NOT IN (SELECT id FROM memory) OR b NOT IN (SELECT id FROM memory)"
    ),
}


def check(db: Database) -> list[Finding]:
    findings = [
        Finding(what=f"SQLite: {message}", count=1, mend="restore a backup")
        for (message,) in db.execute("PRAGMA integrity_check(10)")
        if message != "ok"
    ]
    for what, sql in _ORPHANS.items():
        if count := db.execute(sql).get:
            findings.append(Finding(what=what, count=count, mend=_REINDEX))
    findings += _uneven_vectors(db)
    findings += _statistics(db)
    findings += _segments(db)
    return findings


def _uneven_vectors(db: Database) -> list[Finding]:
    sizes = db.execute("SELECT count(DISTINCT length(data)) FROM vector").get
    if sizes <= 1:
        return []
    return [Finding(what="vectors of different lengths", count=sizes, mend="run `recollect reembed`")]


def _statistics(db: Database) -> list[Finding]:
    """Compares the statistics with a new count of all terms."""
    terms: Counter[tuple[str, str, str]] = Counter()
    sizes: Counter[tuple[str, str, str]] = Counter()
    rows = db.execute(
        "SELECT m.tenant, m.granularity, d.gist, d.text, d.entities, d.tags FROM document d JOIN memory m USING (row)"
    )
    for tenant, granularity, *columns in rows:
        split = [column.split() for column in columns]
        terms.update((tenant, granularity, term) for term in {t for column in split for t in column})
        sizes[tenant, granularity, "documents"] += 1
        for name, column in zip(FIELDS, split, strict=True):
            sizes[tenant, granularity, name] += len(column)
    wrong = sum(
        count != terms.pop((tenant, granularity, term), 0)
        for tenant, granularity, term, count in db.execute(
            "SELECT tenant, granularity, term, t.documents FROM term t JOIN corpus c ON c.number = t.corpus"
        )
    )
    wrong += len(terms)
    for tenant, granularity, *held in db.execute(
        "SELECT tenant, granularity, documents, gist, text, entities, tags FROM corpus"
    ):
        counted = [sizes[tenant, granularity, name] for name in ("documents", *FIELDS)]
        wrong += counted != list(held)
    return [Finding(what="term statistics that do not add up", count=wrong, mend=_REINDEX)] if wrong else []


def _segments(db: Database) -> list[Finding]:
    """Compares the posting lists with lists made anew from the documents."""
    wrong = sum(_differs(db, segment, corpus) for segment, corpus in db.execute("SELECT number, corpus FROM segment"))
    wrong += db.execute("SELECT count(*) FROM posting WHERE segment NOT IN (SELECT number FROM segment)").get
    wrong += _not_pending(db)
    return [Finding(what="the lexical index disagrees with its rows", count=wrong, mend=_REINDEX)] if wrong else []


def _differs(db: Database, segment: int, corpus: int) -> bool:
    lists = postings.Lists()
    for number, seq in enumerate(postings.sequence(db, segment)):
        sql = f"SELECT {postings.COLUMNS} FROM document WHERE seq = ? AND corpus = ?"
        columns = db.execute(sql, (seq, corpus)).fetchone()
        if columns is not None:
            lists.add(number, columns)
    held = db.execute("SELECT term, data, large FROM posting WHERE segment = ? AND term <> ?", (segment, postings.HEAD))
    return sorted(held) != sorted(lists.rows())


def _not_pending(db: Database) -> int:
    """The number of corpora whose documents without a segment are not as many as they say."""
    wrong = 0
    for corpus, sealed, pending in db.execute("SELECT number, sealed, pending FROM corpus"):
        last = db.execute("SELECT coalesce(max(last), 0) FROM segment WHERE corpus = ?", (corpus,)).get
        rows = postings.unsealed(db, corpus, sealed)
        wrong += sealed != last or pending != sum(postings.cost(postings.lengths(columns)) for _, _, *columns in rows)
    return wrong
