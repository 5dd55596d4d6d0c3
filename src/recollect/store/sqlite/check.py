"""Checks that the file's tables agree with each other."""

from __future__ import annotations

from collections import Counter

import apsw

from ...types import FIELDS
from ..values import Finding
from .connections import Database

_REINDEX = "run `recollect export` and `recollect import` into a new file, or restore a backup"

_ORPHANS = {
    "memories without a lexical row": ("SELECT count(*) FROM memory WHERE row NOT IN (SELECT id FROM lexicon_content)"),
    "lexical rows without a memory": ("SELECT count(*) FROM lexicon_content WHERE id NOT IN (SELECT row FROM memory)"),
    "vector views without a memory": "SELECT count(*) FROM view WHERE row NOT IN (SELECT row FROM memory)",
    "vector views without a vector": "SELECT count(*) FROM view WHERE vector NOT IN (SELECT number FROM vector)",
    "vectors that no memory uses": "SELECT count(*) FROM vector WHERE number NOT IN (SELECT vector FROM view)",
    "links to a missing memory": (
        "SELECT count(*) FROM link WHERE a NOT IN (SELECT id FROM memory) OR b NOT IN (SELECT id FROM memory)"
    ),
}


def check(db: Database) -> list[Finding]:
    db.execute("SELECT rowid FROM lexicon LIMIT 1").fetchall()  # otherwise FTS5 checks an outdated state
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
    return findings


def check_lexicon(db: Database) -> list[Finding]:
    """Runs FTS5's own integrity check of index and content. It needs a connection that may write."""
    try:
        db.execute("INSERT INTO lexicon (lexicon, rank) VALUES ('integrity-check', 1)")
    except apsw.CorruptError:
        return [Finding(what="the lexical index disagrees with its rows", count=1, mend=_REINDEX)]
    return []


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
        "SELECT m.tenant, m.granularity, c0, c1, c2, c3 FROM lexicon_content c JOIN memory m ON m.row = c.id"
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
