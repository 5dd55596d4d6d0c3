"""The lexical index. A tsvector finds candidates, and the shared BM25 ranks them by their stored terms.

The tsvector is built here from the analyser's terms (`to_tsvector` would split identifiers). Its weights stand for the
fields. Its positions number the occurrences of a term: ranking needs no more, and real positions are limited in a long
text. A memory's namespace and its ancestors are terms as well, so that a search reads only the namespaces it needs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2s
from itertools import chain
from operator import attrgetter
from struct import Struct
from typing import Any

from ...types import FIELDS, Corpus, Filter, Posting, Statistics
from ...types.bm25 import idf
from ..sql.text_query import TextQuery
from ..values import Document, Proposed
from . import copy_format
from .connections import Database
from .dialect import compile_filter

_SPARE = 32
"""Extra candidates. The order in SQL is close to BM25's, but not the same."""
_LABELS = {"gist": "A", "entities": "B", "tags": "C", "text": "D"}
_WEIGHTS = {"gist": 3 << 14, "entities": 2 << 14, "tags": 1 << 14, "text": 0}
_MOST_PER_FIELD = 60
"""The most occurrences of a term that are stored per field. A tsvector takes at most 255 per term."""
_PART_BYTES = 900_000
_IN_PARTS = "@parts"
_RANKED_TERMS = 24
"""Only this many of a question's rarest terms are used for ranking. All of them are used for matching."""
_K1, _B = 1.2, 0.75
_PER_OCCURRENCE = 0.63
"""ts_rank of n occurrences is about n / (n + 0.63). With this constant, n is computed from the rank."""

_COLUMNS: Mapping[str, str] = {
    "tenant": "text",
    "id": "text",
    "part": "int4",
    **dict.fromkeys(FIELDS, "text"),
    **{f"{name}_length": "int4" for name in FIELDS},
    "words": "bytea",
}
_FEW_TERMS = 256
_fields = attrgetter(*FIELDS)
_short = Struct(">H").pack
_long = Struct(">i").pack


@lru_cache(maxsize=4096)
def _scope(namespace: str) -> tuple[bytes, ...]:
    """A lexeme for the namespace and each of its ancestors."""
    parts = namespace.split("/")
    return tuple(_lexeme(_scope_term("/".join(parts[: n + 1])), ()) for n in range(len(parts)))


def _scope_term(path: str) -> str:
    # Only narrows the search. The namespace itself is compared too, so a hash collision does no harm.
    return "@" + blake2s(path.encode(), digest_size=5).hexdigest()


# Writing ------------------------------------------------------------------------------------------


class _Tally:
    """The changes of a batch to one corpus. Added and removed terms are listed first and counted once, at the end."""

    def __init__(self) -> None:
        self.terms: tuple[list[str], list[str]] = [], []
        self.lengths: tuple[list[Sequence[int]], list[Sequence[int]]] = [], []

    def count(self, lengths: Sequence[int], terms: Iterable[str], *, gone: bool = False) -> None:
        """Adds or removes one document, with the lengths of its fields and its terms."""
        self.terms[gone].extend(terms)
        self.lengths[gone].append((1, *lengths))

    def sizes(self) -> list[int]:
        """The changes of the number of documents and of the fields' lengths."""
        came, went = ([sum(column) for column in zip(*rows, strict=True)] or [0] * 5 for rows in self.lengths)
        return [more - less for more, less in zip(came, went, strict=True)]

    def changes(self) -> list[tuple[str, int]]:
        """(term, change of its document count), ordered by term."""
        came, went = map(Counter, self.terms)
        came.subtract(went)
        return sorted((term, by) for term, by in came.items() if by)


class Lexicon:
    """Collects the changes of a batch to the index and the statistics, and writes them once."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._added: list[tuple[str, str, str, Document]] = []
        self._tallies: defaultdict[tuple[str, str], _Tally] = defaultdict(_Tally)

    def add(self, id: str, namespace: str, granularity: str, document: Document) -> None:
        self._added.append((id, namespace, granularity, document))

    def remove(self, where: Mapping[tuple[str, str], str]) -> dict[str, Document]:
        """Removes memories, given as (tenant, id) → granularity. Returns id → the removed document."""
        found: dict[str, Document] = {}
        if not where:
            return found
        for tenant, id, part, *columns in self._db.execute(
            "DELETE FROM lexicon l WHERE l.tenant = ANY(%s) AND l.id = ANY(%s) "
            f"RETURNING l.tenant, l.id, part, {', '.join(FIELDS)}",
            (sorted({tenant for tenant, _ in where}), [id for _, id in where]),
        ):
            if part == 0:
                fields = {name: tuple(column.split()) for name, column in zip(FIELDS, columns, strict=True)}
                found[id] = Document(**fields)
                lengths, terms = list(map(len, fields.values())), set(chain.from_iterable(fields.values()))
                self._tallies[tenant, where[tenant, id]].count(lengths, terms, gone=True)
        return found

    def flush(self) -> None:
        if self._added:
            copy_format.append(self._db, "lexicon", _COLUMNS, self._rows())
        for (tenant, granularity), tally in sorted(self._tallies.items()):
            self._count(tenant, granularity, tally)
        self._added.clear()
        self._tallies.clear()

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        """The rows to insert, built one by one while the server handles the rows before."""
        for id, namespace, granularity, document in self._added:
            tenant = namespace.partition("/")[0]
            fields = _fields(document)
            columns, lengths = list(map(" ".join, fields)), list(map(len, fields))
            lexemes = _lexemes(document)
            for part, words in enumerate(_words(list(lexemes.values()), _scope(namespace))):
                yield (tenant, id, part, *columns, *lengths, words)
                columns = [""] * len(FIELDS)
            self._tallies[tenant, granularity].count(lengths, lexemes)

    def _count(self, tenant: str, granularity: str, tally: _Tally) -> None:
        names = ("documents", *FIELDS)
        changed = tally.changes()
        # no term contains a blank, and one text is sent many times faster than an array
        terms, by = " ".join([term for term, _ in changed]), " ".join([str(by) for _, by in changed])
        # There is one writer at a time: UPDATE and then INSERT of the rest takes half as long as ON CONFLICT, which
        # partitions on other servers can't do.
        self._db.execute(
            f"WITH c AS (UPDATE corpus SET {', '.join(f'{name} = {name} + %s' for name in names)} "
            "WHERE tenant = %s AND granularity = %s RETURNING 1), "
            f"n AS (INSERT INTO corpus (tenant, granularity, {', '.join(names)}) "
            "SELECT %s, %s, %s, %s, %s, %s, %s WHERE NOT EXISTS (SELECT 1 FROM c)), "
            "given AS MATERIALIZED (SELECT * FROM unnest(string_to_array(%s, ' '), "
            "string_to_array(%s, ' ')::bigint[]) AS g (term, by)), "
            "held AS (UPDATE term t SET documents = t.documents + g.by FROM given g "
            "WHERE t.tenant = %s AND t.granularity = %s AND t.term = g.term AND t.term = ANY(string_to_array(%s, ' ')) "
            "RETURNING t.term) "
            "INSERT INTO term SELECT %s, %s, g.* FROM given g WHERE NOT EXISTS "
            "(SELECT 1 FROM held h WHERE h.term = g.term)",
            (
                *(*(sizes := tally.sizes()), tenant, granularity),
                *(tenant, granularity, *sizes),
                *(terms, by),
                *(tenant, granularity, terms),
                *(tenant, granularity),
            ),
            prepare=None if len(changed) <= _FEW_TERMS else False,  # the best plan depends on the number
        )
        if gone := [term for term, by in changed if by < 0]:
            self._db.execute(
                "DELETE FROM term WHERE tenant = %s AND granularity = %s AND term = ANY(%s) AND documents = 0",
                (tenant, granularity, gone),
            )


def _words(lexemes: Sequence[bytes], everywhere: Sequence[bytes]) -> Iterator[bytes]:
    """The terms as tsvectors in PostgreSQL's binary format. A very long document needs more than one."""
    if sum(map(len, lexemes)) + 2 * len(lexemes) <= _PART_BYTES:
        yield _tsvector([*everywhere, *lexemes])
        return
    everywhere = [*everywhere, _lexeme(_IN_PARTS, ())]
    start = size = 0
    for n, lexeme in enumerate(lexemes):
        size += len(lexeme) + 2
        if size > _PART_BYTES:
            yield _tsvector([*everywhere, *lexemes[start:n]])
            start, size = n, len(lexeme) + 2
    yield _tsvector([*everywhere, *lexemes[start:]])


def _lexemes(document: Document) -> dict[str, bytes]:
    """Term → its lexeme in the tsvector."""
    if document.gist or document.entities or document.tags:
        return {term: _lexeme(term, places) for term, places in _occurrences(document).items()}
    times: dict[str, int] = {}
    for term in document.text:
        times[term] = times.get(term, 0) + 1
    return {term: _once(term) if n == 1 else _in_text(term, n) for term, n in times.items()}


def _occurrences(document: Document) -> dict[str, list[int]]:
    """Term → for each occurrence the weight of its field, highest weights first."""
    found: dict[str, list[int]] = {}
    for name, weight in _WEIGHTS.items():
        for term in getattr(document, name):
            places = found.get(term)
            if places is None:
                found[term] = [weight]
            elif len(places) < _MOST_PER_FIELD or places.count(weight) < _MOST_PER_FIELD:
                places.append(weight)
    return found


def _lexeme(term: str, places: Sequence[int]) -> bytes:
    positions = b"".join([_short(weight | n) for n, weight in enumerate(places, start=1)])
    return term.encode() + b"\0" + _short(len(places)) + positions


@lru_cache(maxsize=100_000)
def _once(term: str) -> bytes:
    return _in_text(term, 1)


def _in_text(term: str, times: int) -> bytes:
    return _lexeme(term, [_WEIGHTS["text"]] * min(times, _MOST_PER_FIELD))


def _tsvector(lexemes: Sequence[bytes]) -> bytes:
    return _long(len(lexemes)) + b"".join(lexemes)


# Searching ----------------------------------------------------------------------------------------


def search(db: Database, asked: TextQuery, *, partitioned: bool = False) -> Proposed:
    """`partitioned`: the tables have partitions, which may be on other servers."""
    weights, required = asked.weights, asked.required
    among = _tenants(asked.filter) or [tenant for (tenant,) in db.execute("SELECT DISTINCT tenant FROM corpus")]
    corpora = statistics(db, among, asked.terms)
    known = _known(corpora, asked.terms)
    missing = [term for term in required if term not in known]
    if not weights or len(missing) == len(required) or (missing and asked.match == "all"):
        return Proposed()
    where, enough = compile_filter(asked.filter), asked.limit + max(asked.limit, _SPARE)
    by = _UNRANKED
    if sum(known.get(term, 0) for term in required) > enough:
        rank = _placed_ranking if partitioned else _ranking
        by = rank(corpora, sorted(known, key=lambda term: known[term])[:_RANKED_TERMS], weights)
    rows = db.execute(
        f"SELECT l.id, l.tenant, m.granularity, l.part, {', '.join(f'l.{name}' for name in FIELDS)} "
        f"FROM lexicon l JOIN memory m ON m.tenant = l.tenant AND m.id = l.id {by.corpora} "
        f"WHERE l.words @@ %s::tsquery AND {where.sql} {by.order} LIMIT %s",
        (*by.of_corpora, _tsquery(asked), *where.values, *by.of_order, enough),
        prepare=False,  # the best plan depends on the words
    ).fetchall()
    found = [_posting(row, known.keys()) for row in _by_memory(db, rows)]
    return Proposed(found if asked.match == "any" else [p for p in found if _has_all(p, required, weights)], corpora)


def _tenants(filter: Filter) -> list[str]:
    return sorted({path.partition("/")[0] for path in filter.namespaces})


def _known(corpora: Statistics, terms: Iterable[str]) -> dict[str, int]:
    """Term → number of documents with it. Terms that do not occur are left out."""
    counted = {term: sum(c.document_frequencies.get(term, 0) for c in corpora.values()) for term in terms}
    return {term: documents for term, documents in counted.items() if documents}


def _by_memory(db: Database, rows: Sequence[tuple[Any, ...]]) -> Iterable[tuple[Any, ...]]:
    """One row per memory. If a memory has several parts, only the first part has the terms by field."""
    found = {row[0]: row for row in rows}
    if later := [id for id, row in found.items() if row[3]]:
        first = db.execute(
            f"SELECT id, {', '.join(FIELDS)} FROM lexicon WHERE tenant = ANY(%s) AND id = ANY(%s) AND part = 0",
            ([found[id][1] for id in later], later),
        )
        found |= {id: (*found[id][:4], *columns) for id, *columns in first}
    return found.values()


def _tsquery(asked: TextQuery) -> str:
    labels = "".join(_LABELS[name] for name in asked.weights)
    terms = [f"{_quoted(term)}:{labels}" for term in asked.required]
    words, inside = " | ".join(terms), asked.filter.namespaces
    if asked.match == "all":  # a memory can have several parts, and one part need not contain all words
        words = f"({' & '.join(terms)}) | ({_quoted(_IN_PARTS)} & ({words}))"
    return f"({' | '.join(_quoted(_scope_term(path)) for path in inside)}) & ({words})" if inside else words


def _quoted(term: str) -> str:
    return "'" + term.replace("\\", "\\\\").replace("'", "''") + "'"


@dataclass(frozen=True, slots=True)
class _Ranking:
    """BM25 in SQL: a table `c` of corpus statistics to join, and the ORDER BY clause; each with its bindings."""

    corpora: str = ""
    of_corpora: Sequence[Any] = ()
    order: str = ""
    of_order: Sequence[Any] = ()


_UNRANKED = _Ranking()
"""No ranking: so few memories match that all of them are taken."""


def _ranking(corpora: Statistics, terms: Sequence[str], weights: Mapping[str, float]) -> _Ranking:
    """The ranking for these terms. Term counts come from ts_rank, so the order differs slightly from BM25's."""
    rows, named = [], []
    for (tenant, granularity), corpus in corpora.items():
        mean = sum(corpus.lengths[name] for name in weights) / (corpus.documents or 1) or 1.0
        rarities = [idf(corpus.documents, corpus.document_frequencies.get(term, 0)) for term in terms]
        rows.append(f"(%s, %s, {', '.join(f'{n!r}::float8' for n in (_K1 * _B / mean, *rarities))})")
        named += [tenant, granularity]
    names = ", ".join(["tenant", "granularity", "slope", *(f"idf{n}" for n in range(len(terms)))])
    occurrences = _occurring(weights)
    length = " + ".join(f"l.{name}_length" for name in weights)
    slow = f"{_K1 * (1 - _B)} + c.slope * ({length})"
    # idf / (1 + slow / occurrences) without a division by zero, and with functions that other servers may compute
    score = " + ".join(f"c.idf{n} * (1 - ({slow}) / ({slow} + {occurrences}))" for n in range(len(terms)))
    per_term = occurrences.count("%s")
    return _Ranking(
        corpora=f"JOIN (VALUES {', '.join(rows)}) AS c ({names}) "
        "ON c.tenant = m.tenant AND c.granularity = m.granularity",
        of_corpora=named,
        order=f"ORDER BY {score} DESC, l.id",
        of_order=[_quoted(term) for term in terms for _ in range(per_term)],
    )


def _placed_ranking(corpora: Statistics, terms: Sequence[str], weights: Mapping[str, float]) -> _Ranking:
    """The same, with the statistics as numbers and no table to join, so that another server can do all of it."""
    occurrences = _occurring(weights)
    length = " + ".join(f"l.{name}_length" for name in weights)
    cases, bound = [], []
    for (tenant, granularity), corpus in corpora.items():
        mean = sum(corpus.lengths[name] for name in weights) / (corpus.documents or 1) or 1.0
        slow = f"({_K1 * (1 - _B)}::float8 + {_K1 * _B / mean!r}::float8 * ({length}))"
        parts = []
        for term in terms:
            rarity = idf(corpus.documents, corpus.document_frequencies.get(term, 0))
            parts.append(f"{rarity!r}::float8 * (1 - {slow} / ({slow} + {occurrences}))")
        cases.append(f"WHEN m.tenant = %s AND m.granularity = %s THEN {' + '.join(parts)}")
        bound += [tenant, granularity, *(_quoted(term) for term in terms for _ in range(occurrences.count("%s")))]
    return _Ranking(order=f"ORDER BY CASE {' '.join(cases)} ELSE 0 END DESC, l.id", of_order=bound)


def _occurring(weights: Mapping[str, float]) -> str:
    """SQL for the number of occurrences of a term, weighted by field."""
    parts = []
    for weight in sorted(set(weights.values())):
        # ts_rank takes the labels' weights from D to A
        mask = ",".join(str(int(weights.get(name) == weight)) for name in ("text", "tags", "entities", "gist"))
        rank = f"ts_rank('{{{mask}}}', l.words, %s::tsquery)"
        parts.append(f"{weight * _PER_OCCURRENCE!r}::float8 * (1 / (1 - {rank}) - 1)")
    return f"({' + '.join(parts)})"


def _posting(row: Sequence[Any], wanted: Set[str]) -> Posting:
    memory_id, tenant, granularity, _, *columns = row
    frequencies: dict[str, dict[str, int]] = {}
    lengths: dict[str, int] = {}
    for name, column in zip(FIELDS, columns, strict=True):
        if not column:
            continue
        terms = column.split()
        lengths[name] = len(terms)
        if found := {term: terms.count(term) for term in wanted & set(terms)}:
            frequencies[name] = found
    return Posting(
        memory_id=memory_id, tenant=tenant, granularity=granularity, frequencies=frequencies, lengths=lengths
    )


def _has_all(posting: Posting, required: Iterable[str], weights: Iterable[str]) -> bool:
    held = {term for name in weights for term in posting.frequencies.get(name, ())}
    return held.issuperset(required)


def statistics(db: Database, among: Iterable[str], terms: Iterable[str]) -> Statistics:
    rows = db.execute(
        f"SELECT c.tenant, c.granularity, c.documents, {', '.join(f'c.{name}' for name in FIELDS)}, "
        "t.term, t.documents "
        "FROM corpus c LEFT JOIN term t ON t.tenant = c.tenant AND t.granularity = c.granularity AND t.term = ANY(%s) "
        "WHERE c.tenant = ANY(%s) ORDER BY c.tenant, c.granularity",
        (list(set(terms)), list(set(among))),
    )
    sizes: dict[tuple[str, str], tuple[int, ...]] = {}
    containing: defaultdict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    for tenant, granularity, *held, term, documents in rows:
        sizes[tenant, granularity] = tuple(held)
        if term is not None:
            containing[tenant, granularity][term] = documents
    return {
        pair: Corpus(
            documents=held[0],
            lengths=dict(zip(FIELDS, held[1:], strict=True)),
            document_frequencies=containing[pair],
        )
        for pair, held in sizes.items()
    }
