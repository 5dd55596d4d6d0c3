"""Finds damage: reads every row, computes the checksums again, and compares the tables with each other.

No part stops the next one. What SQLite can't read is a finding too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import apsw

from ...types import FIELDS
from ..checksums import vector_checksum
from ..sql import chain
from ..sql.rows import COLUMNS
from ..values import Finding
from . import postings
from .connections import Database
from .covered import COVERED, is_covered, sums_agree
from .dialect import SQLITE, decoded
from .lexicon import key_of
from .schema import expected_schema, schema_of

RECOVER = "save what is whole with `recollect recover`, or restore a backup"
REPAIR = "run `recollect check --repair`"
_OF_AN_INDEX = (
    " missing from index ",
    "wrong # of entries in index ",
    "non-unique entry in index ",
    "non-TEXT value in document.",
)
"""In messages of SQLite about an index or words only. They are made again from the rows."""
_UNREADABLE = (apsw.Error, UnicodeDecodeError, ValueError, TypeError, OverflowError)

LAST = {
    table: f"(SELECT coalesce(max({key}), 0) FROM {table})"
    for table, key in {"view": "seq", "event": "seq", "document": "seq", "segment": "number"}.items()
}
"""Table whose rows SQLite numbers → SQL for the last number."""
_NO_TEXT = " OR ".join(f"typeof({name}) <> 'text'" for name in FIELDS)
_ORPHANS = {
    "lexical rows with something else than text": f"SELECT count(*) FROM document WHERE {_NO_TEXT}",
    "memories without a lexical row": "SELECT count(*) FROM memory WHERE row NOT IN (SELECT row FROM document)",
    "lexical rows without a memory": "SELECT count(*) FROM document WHERE row NOT IN (SELECT row FROM memory)",
    "vector views without a memory": "SELECT count(*) FROM view WHERE row NOT IN (SELECT row FROM memory)",
    "vector views without a vector": "SELECT count(*) FROM view WHERE vector NOT IN (SELECT number FROM vector)",
    "vectors that no memory uses": "SELECT count(*) FROM vector WHERE number NOT IN (SELECT vector FROM view)",
    "links to a missing memory": (
        "SELECT count(*) FROM link WHERE a NOT IN (SELECT id FROM memory) OR b NOT IN (SELECT id FROM memory)"
    ),
    "memories whose tenant is not that of their namespace": (
        "SELECT count(*) FROM memory WHERE tenant <> substr(namespace, 1, instr(namespace || '/', '/') - 1)"
    ),
    "numbering of rows that is wrong": (
        "SELECT count(*) FROM sqlite_sequence WHERE seq > 1 << 53 OR seq < "
        "CASE name " + " ".join(f"WHEN '{table}' THEN {last}" for table, last in LAST.items()) + " END"
    ),
}
"""What `repair` mends → the query that counts it."""
_LOST = {
    "changes without their event": "SELECT count(*) FROM revision WHERE event NOT IN (SELECT seq FROM event)",
    "hits without their recall": "SELECT count(*) FROM recalled WHERE recall NOT IN (SELECT id FROM recall)",
    "feedback without its recall": "SELECT count(*) FROM feedback WHERE recall NOT IN (SELECT id FROM recall)",
}
"""What shows that rows of the log are gone → the query that counts it."""


def check(db: Database, chain_head: str | None = None) -> list[Finding]:
    parts: list[tuple[str, Callable[[], Iterable[Finding]]]] = [
        ("the file", partial(_structure, db)),
        ("the schema", partial(_schema, db)),
        *((f"the table {table}", partial(_rows, db, table)) for table in COVERED),
        ("the memories", partial(_memories, db)),
        ("the vectors", partial(_vectors, db)),
        *((what, partial(_counted, db, what, sql, REPAIR)) for what, sql in _ORPHANS.items()),
        *((what, partial(_counted, db, what, sql, RECOVER)) for what, sql in _LOST.items()),
        ("the term statistics", partial(_statistics, db)),
        ("the posting lists", partial(_segments, db)),
        ("the sketches", partial(_sketches, db)),
        ("the keys of statements", partial(_keys, db)),
        ("the chain of events", partial(chain.verify, db, SQLITE, chain_head)),
    ]
    return [finding for what, part in parts for finding in _tolerant(db, what, part)]


def _tolerant(db: Database, what: str, part: Callable[[], Iterable[Finding]]) -> list[Finding]:
    found: list[Finding] = []
    try:
        for finding in part():
            found.append(finding)
    except _UNREADABLE as error:
        found.append(Finding(what=f"{what} can't be read completely ({error})", count=1, mend=RECOVER))
        if not db.in_transaction:  # SQLite ends it after an error of the disk; the caller's commit would fail
            db.execute("BEGIN")
    return found


def counted(db: Database) -> dict[str, int]:
    """Table → number of its rows."""
    return {table: db.execute(f"SELECT count(*) FROM {table}").get for table in ("vector", "view", *COVERED)}


def _structure(db: Database) -> Iterator[Finding]:
    for (message,) in db.execute("PRAGMA integrity_check(10)"):
        if message == "ok":
            continue
        derived = _is_derived(message)
        yield Finding(what=f"SQLite: {message}", count=1, mend=REPAIR if derived else RECOVER, derived=derived)


def _is_derived(message: str) -> bool:
    return any(part in message for part in _OF_AN_INDEX)


def _schema(db: Database) -> Iterator[Finding]:
    wrong = len(expected_schema() ^ schema_of(db))
    if wrong:
        yield Finding(what="tables or indexes that are not those of this version", count=wrong, mend=RECOVER)


def _rows(db: Database, table: str) -> Iterator[Finding]:
    """Text is read as bytes, because one that is not UTF-8 would end the query."""
    names = ", ".join(f"iif(typeof({n}) = 'text', CAST({n} AS BLOB), {n}), typeof({n})" for n in COVERED[table])
    wrong = 0
    for *held, checksum in db.execute(f"SELECT {names}, checksum FROM {table}"):
        values = [_value(*pair) for pair in zip(held[::2], held[1::2], strict=True)]
        wrong += is_covered(table, values[0]) and not sums_agree(values, checksum)
    if wrong:
        yield Finding(what=f"rows of the table {table} with a wrong checksum", count=wrong, mend=RECOVER)


def _value(held: Any, kind: str) -> Any:  # noqa: ANN401 - what a column holds
    return held.decode("utf-8", "surrogateescape") if kind == "text" else held


def _memories(db: Database) -> Iterator[Finding]:
    """Counters have no checksum. They must be numbers and moments that can be read."""
    wrong = sum(not _is_readable(row) for row in db.execute(f"SELECT {', '.join(COLUMNS)} FROM memory"))
    wrong += db.execute("SELECT count(*) FROM memory WHERE access_count < 0 OR retrieval_count < 0").get
    if wrong:
        yield Finding(what="memories that can't be read", count=wrong, mend=RECOVER)


def _is_readable(row: tuple[Any, ...]) -> bool:
    try:
        decoded(list(row))
    except (ValueError, TypeError, OverflowError):
        return False
    return True


def _vectors(db: Database) -> Iterator[Finding]:
    sizes: Counter[int] = Counter()
    wrong = 0
    for data, checksum in db.execute("SELECT data, checksum FROM vector"):
        sizes[len(data)] += 1
        wrong += vector_checksum(data) != checksum
    if wrong:
        yield Finding(what="vectors with a wrong checksum", count=wrong, mend=REPAIR, derived=True)
    if len(sizes) > 1:
        yield Finding(what="vectors of different lengths", count=len(sizes), mend=REPAIR, derived=True)


def _counted(db: Database, what: str, sql: str, mend: str) -> Iterator[Finding]:
    if count := db.execute(sql).get:
        yield Finding(what=what, count=count, mend=mend, derived=mend == REPAIR)


def _statistics(db: Database) -> Iterator[Finding]:
    """Compares the statistics with a new count of all terms."""
    terms: Counter[tuple[str, str, str]] = Counter()
    sizes: Counter[tuple[str, str, str]] = Counter()
    rows = db.execute(
        f"SELECT m.tenant, m.granularity, seq <= counted, {postings.AS_TEXT} FROM document "
        "JOIN memory m USING (row) LEFT JOIN corpus c ON c.number = document.corpus"
    )
    for tenant, granularity, counts, *columns in rows:
        split = [column.split() for column in columns]
        if counts:
            terms.update((tenant, granularity, term) for term in {t for column in split for t in column})
        sizes[tenant, granularity, "uncounted"] += not counts
        sizes[tenant, granularity, "documents"] += 1
        for name, column in zip(FIELDS, split, strict=True):
            sizes[tenant, granularity, name] += len(column)
    if wrong := _wrong_terms(db, terms) + _wrong_sizes(db, sizes):
        yield Finding(what="term statistics that do not add up", count=wrong, mend=REPAIR, derived=True)


def _wrong_terms(db: Database, counted: Counter[tuple[str, str, str]]) -> int:
    held = db.execute(
        "SELECT tenant, granularity, term, t.documents FROM term t LEFT JOIN corpus c ON c.number = corpus"
    )
    wrong = sum(int(count != counted.pop(tuple(key), 0)) for *key, count in held)
    return wrong + len(counted)


def _wrong_sizes(db: Database, counted: Counter[tuple[str, str, str]]) -> int:
    names = ("documents", "uncounted", *FIELDS)
    wrong = 0
    for tenant, granularity, *held in db.execute(f"SELECT tenant, granularity, {', '.join(names)} FROM corpus"):
        wrong += held != [counted.pop((tenant, granularity, name), 0) for name in names]
    return wrong + len(counted)


def _segments(db: Database) -> Iterator[Finding]:
    """Compares the posting lists with lists made anew from the documents."""
    wrong = sum(_differs(db, segment, corpus) for segment, corpus in db.execute("SELECT number, corpus FROM segment"))
    wrong += db.execute("SELECT count(*) FROM posting WHERE segment NOT IN (SELECT number FROM segment)").get
    wrong += _not_pending(db)
    if wrong:
        yield Finding(what="the lexical index disagrees with its rows", count=wrong, mend=REPAIR, derived=True)


def _differs(db: Database, segment: int, corpus: int) -> bool:
    lists, wrong = postings.Lists(), False
    try:
        documents = postings.documents(db, segment)
    except (TypeError, ValueError):  # there is none, or it is cut off
        return True
    sql = f"SELECT row, {postings.AS_TEXT} FROM document WHERE seq = ? AND corpus = ?"
    for number, (seq, *head) in enumerate(documents):
        if (found := db.execute(sql, (seq, corpus)).fetchone()) is not None:
            row, *columns = found
            wrong |= head != [row, *postings.lengths(columns)]
            lists.add(number, columns)
    held = db.execute("SELECT term, data, large FROM posting WHERE segment = ? AND term <> ?", (segment, postings.HEAD))
    return wrong or sorted(held) != sorted(lists.rows())


def _not_pending(db: Database) -> int:
    """The number of corpora whose documents without a segment are not as many as they say."""
    wrong = 0
    for corpus, sealed, pending in db.execute("SELECT number, sealed, pending FROM corpus"):
        last = db.execute("SELECT coalesce(max(last), 0) FROM segment WHERE corpus = ?", (corpus,)).get
        rows = postings.unsealed(db, corpus, sealed)
        wrong += sealed != last or pending != sum(postings.cost(postings.lengths(columns)) for _, _, *columns in rows)
    return wrong


def _keys(db: Database) -> Iterator[Finding]:
    held = db.execute("SELECT d.same, m.text, m.granularity FROM document d JOIN memory m USING (row)")
    wrong = sum(same != key_of(text, granularity) for same, text, granularity in held)
    if wrong:
        yield Finding(what="keys of statements that are wrong", count=wrong, mend=REPAIR, derived=True)


def _sketches(db: Database) -> Iterator[Finding]:
    from . import stored_sketches  # imports numpy

    if wrong := stored_sketches.wrong(db):
        yield Finding(what="sketches that are not those of their vectors", count=wrong, mend=REPAIR, derived=True)
