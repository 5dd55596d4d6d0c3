"""The lexical index. FTS5 finds candidates and their term counts; the shared BM25 ranks them.

The FTS5 table is not contentless: it stores the analysed terms. So the term counts of a candidate are exact without
analysing it again, removal is exact even if another version of the analyser wrote the row, and FTS5's own
integrity-check and rebuild work.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from hashlib import blake2s
from typing import Any

from ...types import FIELDS, Corpus, Filter, Memory, Posting, Statistics
from ..sql.text_query import TextQuery
from ..values import Document, Proposed
from .connections import Database
from .dialect import compile_filter

_SPARE = 32
"""Extra candidates. FTS5 ranks with statistics of the whole file, so its order differs a little from ours."""
_EVERYWHERE = 10
"""A stop-word in more than a tenth of the memories is left out of the search. BM25 still counts it."""
_NARROW_FROM, _NARROW_UP_TO = 2_500, 5_000
"""Namespaces between these sizes become a term of the query (if they are at most a quarter of the file)."""


def scope(namespace: str) -> list[str]:
    """A term for the namespace and each of its ancestors."""
    parts = namespace.split("/")
    return [_scope_term("/".join(parts[: n + 1])) for n in range(len(parts))]


def _scope_term(path: str) -> str:
    # Only narrows the search. The namespace itself is compared too, so a hash collision does no harm.
    return "@" + blake2s(path.encode(), digest_size=5).hexdigest()


class _Tally:
    """The changes of a batch to one corpus: document counts by term, and lengths by field."""

    def __init__(self) -> None:
        self.terms: Counter[str] = Counter()
        self.sizes: Counter[str] = Counter()

    def add(self, columns: Sequence[str]) -> None:
        self.terms.update(self._measure(columns, 1))

    def remove(self, columns: Sequence[str]) -> None:
        self.terms.subtract(self._measure(columns, -1))

    def _measure(self, columns: Sequence[str], sign: int) -> set[str]:
        split = [column.split() for column in columns]
        for name, terms in zip(FIELDS, split, strict=True):
            self.sizes[name] += sign * len(terms)
        self.sizes["documents"] += sign
        return set().union(*split)


class Lexicon:
    """Sums the changes of a batch to the corpus statistics and writes them once."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._tallies: defaultdict[tuple[str, str], _Tally] = defaultdict(_Tally)

    def add(self, row: int, memory: Memory, document: Document) -> None:
        self._insert(row, memory, [" ".join(getattr(document, name)) for name in FIELDS])

    def remove(self, row: int, namespace: str, granularity: str) -> list[str]:
        """Removes a row and returns its columns."""
        columns = self._db.execute("SELECT c0, c1, c2, c3 FROM lexicon_content WHERE id = ?", (row,)).fetchone()
        if columns is None:
            return [""] * len(FIELDS)
        self._db.execute("DELETE FROM lexicon WHERE rowid = ?", (row,))
        self._tallies[namespace.partition("/")[0], granularity].remove(columns)
        return list(columns)

    def move(self, row: int, namespace: str, granularity: str, memory: Memory) -> None:
        """Moves a row to another namespace or corpus. Its terms stay the same."""
        self._insert(row, memory, self.remove(row, namespace, granularity))

    def _insert(self, row: int, memory: Memory, columns: Sequence[str]) -> None:
        self._db.execute(
            "INSERT INTO lexicon (rowid, gist, text, entities, tags, scope) VALUES (?, ?, ?, ?, ?, ?)",
            (row, *columns, " ".join(scope(memory.namespace))),
        )
        self._tallies[memory.tenant, memory.granularity].add(columns)

    def flush(self) -> None:
        for (tenant, granularity), tally in self._tallies.items():
            self._write(self._corpus(tenant, granularity), tally)
        self._tallies.clear()

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

    def _corpus(self, tenant: str, granularity: str) -> int:
        self._db.execute(
            "INSERT INTO corpus (tenant, granularity, documents, gist, text, entities, tags) "
            "VALUES (?, ?, 0, 0, 0, 0, 0) ON CONFLICT DO NOTHING",
            (tenant, granularity),
        )
        number = self._db.execute(
            "SELECT number FROM corpus WHERE tenant = ? AND granularity = ?", (tenant, granularity)
        ).get
        return int(number)


def search(db: Database, asked: TextQuery) -> Proposed:
    helping = _rare(db, asked.stop) if asked.content and asked.match == "any" else asked.stop
    expression = _expression(asked, helping, _narrowing(db, asked.filter))
    if not expression:
        return Proposed()
    where = compile_filter(asked.filter)
    weights = ", ".join(str(float(asked.fields.get(name, 0))) for name in FIELDS)
    rows = db.execute(
        f"""
        WITH best AS MATERIALIZED (
            SELECT m.row, m.id, m.tenant, m.granularity, bm25(lexicon, {weights}, 0) AS s
            FROM lexicon CROSS JOIN memory m ON m.row = lexicon.rowid
            WHERE lexicon MATCH ? AND {where.sql} ORDER BY s LIMIT ?
        )
        SELECT best.id, tenant, granularity, c0, c1, c2, c3
        FROM best JOIN lexicon_content c ON c.id = best.row
        """,
        (expression, *where.values, asked.limit + max(asked.limit // 2, _SPARE)),
    )
    postings = [_posting(row, asked.terms) for row in rows]
    return Proposed(postings, statistics(db, {posting.tenant for posting in postings}, asked.terms))


def _posting(row: Sequence[Any], wanted: Sequence[str]) -> Posting:
    memory_id, tenant, granularity, *columns = row
    frequencies: dict[str, dict[str, int]] = {}
    lengths: dict[str, int] = {}
    for name, column in zip(FIELDS, columns, strict=True):
        if not column:
            continue
        lengths[name] = column.count(" ") + 1
        # each term gets its own two blanks: str.count on the text is faster than splitting it
        spaced = f" {column.replace(' ', '  ')} "
        if found := {term: count for term in wanted if (count := spaced.count(f" {term} "))}:
            frequencies[name] = found
    return Posting(
        memory_id=memory_id,
        tenant=tenant,
        granularity=granularity,
        frequencies=frequencies,
        lengths=lengths,
    )


def _expression(asked: TextQuery, stop: Sequence[str], narrowing: str) -> str:
    """The FTS5 query. A content word must occur (or all of them); stop-words only affect the rank."""
    required = list(asked.content or stop)
    if not required or not asked.weights:
        return ""
    glue = " AND " if asked.match == "all" else " OR "
    expression = f"({glue.join(map(_quoted, required))})"
    if asked.match == "any" and asked.content and stop:
        expression += f" AND ({' OR '.join(map(_quoted, (*asked.content, *stop)))})"
    expression = f"{{{' '.join(asked.weights)}}} : ({expression})"
    return f"{expression} AND {narrowing}" if narrowing else expression


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'


def _narrowing(db: Database, filter: Filter) -> str:
    """The namespaces as index terms, if they exclude most of a large file. Otherwise they would only cost time."""
    if not filter.namespaces:
        return ""
    most = min(int(db.execute("SELECT coalesce(max(row), 0) / 4 FROM memory").get), _NARROW_UP_TO)
    if most < _NARROW_FROM:
        return ""
    for path in filter.namespaces:
        held = db.execute(
            "SELECT count(*) FROM (SELECT 1 FROM memory WHERE namespace = ?1 "
            "OR (namespace >= ?1 || '/' AND namespace < ?1 || '0') LIMIT ?2)",
            (path, most + 1),
        ).get
        if held > most:
            return ""
    return f"{{scope}} : ({' OR '.join(_quoted(_scope_term(path)) for path in filter.namespaces)})"


def _rare(db: Database, stop: Sequence[str]) -> list[str]:
    """The stop-words that few memories contain. Frequent ones would only cost time."""
    if not stop:
        return []
    counted = db.execute(
        "SELECT term, t.documents FROM json_each(?) CROSS JOIN corpus c CROSS JOIN term t "
        "ON t.corpus = c.number AND t.term = value",
        (json.dumps(stop),),
    )
    found: dict[str, int] = {}
    for term, documents in counted:
        found[term] = found.get(term, 0) + documents
    most = int(db.execute("SELECT coalesce(sum(documents), 0) FROM corpus").get) / _EVERYWHERE
    return [term for term, documents in found.items() if documents < most]


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
