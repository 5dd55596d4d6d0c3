"""Posting lists in the file. A segment holds the lists of some thousand documents of one corpus, and never changes,
except that removed documents are taken out.

A document is written once, as a row of its terms. When the rows that no segment holds have become many, the writer
makes a segment of them. So a write changes few pages, and a search reads few and long lists.

A list has four bytes per document: its number in the segment, and a code of the term's count in each field.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from ...types import FIELDS
from .connections import Database

COLUMNS = ", ".join(FIELDS)
AS_TEXT = ", ".join(f"ifnull(CAST(document.{name} AS TEXT), '')" for name in FIELDS)
"""The columns as they are read: on a damaged page a number may be where a text was stored."""
SHIFTS = (0, 3, 10, 13)
"""Where the count of each field is in a code: three bits each, seven for the text."""
MASKS = (7, 127, 7, 7)
LARGE = 0xFFFF
"""The code of counts that do not fit. They are stored beside the list."""
SEGMENT_COST = 1 << 18
"""A segment is made of about this many terms. At most 2^16 documents must fit."""
DOCUMENT_COST = 16
"""What a document counts in addition to its terms."""
HEAD = ""
"""The term under which a segment keeps its documents: sequence number, row, and length by field."""
HEAD_TYPES = "qqIIII"
_NOT_FITTING = 1 << 16


class Lists:
    """Posting lists of documents that are numbered from 0: term → number and code, packed."""

    def __init__(self) -> None:
        self.packed: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
        self.large: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
        """Term → its counts by field in the documents with the code LARGE."""

    def add(self, number: int, columns: Sequence[str]) -> None:
        first, packed = number << 16, self.packed
        if (alone := _each_once(columns)) is not None:
            terms, code = alone
            for term in terms:
                packed[term].append(first | code)
            return
        for term, code in codes(columns).items():
            if code & _NOT_FITTING:
                code = LARGE
                self.large[term].extend([column.split().count(term) for column in columns])
            packed[term].append(first | code)

    def rows(self) -> list[tuple[str, bytes, bytes | None]]:
        """(term, list, counts that did not fit), ordered by term."""
        return [
            (term, packed.tobytes(), self.large[term].tobytes() if term in self.large else None)
            for term, packed in sorted(self.packed.items())
        ]


def _each_once(columns: Sequence[str]) -> tuple[set[str], int] | None:
    """The terms of a document of which one field is filled, each term once, and their code. Most documents are so."""
    filled = [n for n, column in enumerate(columns) if column]
    if len(filled) != 1:
        return None
    (n,) = filled
    listed = columns[n].split()
    terms = set(listed)
    return (terms, 1 << SHIFTS[n]) if len(terms) == len(listed) else None


def codes(columns: Sequence[str]) -> dict[str, int]:
    """Term → its counts by field. One that does not fit sets a bit beyond the code."""
    filled = [n for n, column in enumerate(columns) if column]
    if len(filled) == 1:
        (n,) = filled
        shift, most = SHIFTS[n], MASKS[n]
        counted = Counter(columns[n].split())
        return {term: count << shift if count < most else _NOT_FITTING for term, count in counted.items()}
    found: dict[str, int] = {}
    for shift, most, column in zip(SHIFTS, MASKS, columns, strict=True):
        if column:
            for term, count in Counter(column.split()).items():
                found[term] = found.get(term, 0) | (count << shift if count < most else _NOT_FITTING)
    return found


def lengths(columns: Iterable[str]) -> list[int]:
    return [column.count(" ") + 1 if column else 0 for column in columns]


def cost(sizes: Iterable[int]) -> int:
    """What documents with these lengths count towards a segment."""
    return sum(sizes) + DOCUMENT_COST


# Making segments ----------------------------------------------------------------------------------


def seal(db: Database, corpus: int, pending: int, sealed: int) -> None:
    """Makes segments of a corpus's documents as long as there are enough without one. `pending` and `sealed` are what
    the corpus says of them."""
    while pending >= SEGMENT_COST:
        rows = list(_enough(unsealed(db, corpus, sealed)))
        if not rows:
            return
        sealed = _make(db, corpus, rows)
        pending -= sum(cost(lengths(columns)) for _, _, *columns in rows)
        db.execute("UPDATE corpus SET pending = ?, sealed = ? WHERE number = ?", (pending, sealed, corpus))


def unsealed(db: Database, corpus: int, after: int) -> Iterator[tuple[int, int, str, str, str, str]]:
    """(sequence number, row, terms by field) of the documents after this one, in order."""
    rows: Iterator[tuple[int, int, str, str, str, str]] = db.execute(
        f"SELECT seq, row, {AS_TEXT} FROM document WHERE corpus = ? AND seq > ? ORDER BY seq", (corpus, after)
    )
    return rows


def _enough(rows: Iterable[tuple[int, int, str, str, str, str]]) -> Iterator[tuple[int, int, str, str, str, str]]:
    held = 0
    for row in rows:
        yield row
        held += cost(lengths(row[2:]))
        if held >= SEGMENT_COST:
            return


def _make(db: Database, corpus: int, rows: Sequence[tuple[int, int, str, str, str, str]]) -> int:
    """Writes a segment. Returns the sequence number of its last document."""
    last = rows[-1][0]
    db.execute("INSERT INTO segment (corpus, last, version) VALUES (?, ?, 0)", (corpus, last))
    number = db.last_insert_rowid()
    lists = Lists()
    for place, (_, _, *columns) in enumerate(rows):
        lists.add(place, columns)
    head = (number, HEAD, _head(rows), None)
    db.executemany("INSERT INTO posting VALUES (?, ?, ?, ?)", [head, *((number, *row) for row in lists.rows())])
    return last


def _head(rows: Sequence[tuple[int, int, str, str, str, str]]) -> bytes:
    """The documents of a segment, column by column."""
    values = zip(*((seq, row, *lengths(columns)) for seq, row, *columns in rows), strict=True)
    return b"".join(array(kind, column).tobytes() for kind, column in zip(HEAD_TYPES, values, strict=True))


def documents(db: Database, segment: int) -> list[tuple[int, ...]]:
    """Sequence number, row, and length by field of a segment's documents."""
    head = db.execute("SELECT data FROM posting WHERE segment = ? AND term = ?", (segment, HEAD)).get
    sizes = [array(kind).itemsize for kind in HEAD_TYPES]
    held, start, columns = len(head) // sum(sizes), 0, []
    for kind, size in zip(HEAD_TYPES, sizes, strict=True):
        columns.append(array(kind, head[start : start + held * size]))
        start += held * size
    if start != len(head):
        raise ValueError("the head of a segment is cut off")
    return list(zip(*columns, strict=True))


def sequence(db: Database, segment: int) -> Sequence[int]:
    """The sequence numbers of a segment's documents."""
    return [seq for seq, *_ in documents(db, segment)]


def row_of(db: Database, segment: int, number: int) -> int:
    """The row of a document of a segment."""
    width, rows = sum(array(kind).itemsize for kind in HEAD_TYPES), array(HEAD_TYPES[1])
    place = f"length(data) / {width} * {array(HEAD_TYPES[0]).itemsize} + {rows.itemsize} * ?"
    sql = f"SELECT substr(data, {place} + 1, {rows.itemsize}) FROM posting WHERE segment = ? AND term = ?"
    rows.frombytes(db.execute(sql, (number, segment, HEAD)).get)
    return rows[0]


# Removing documents -------------------------------------------------------------------------------


class Removal:
    """Takes documents out of their segments. Each list is written once, however many documents leave it."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._numbers: dict[int, Sequence[int]] = {}
        self._gone: defaultdict[int, defaultdict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        """Segment → term → the numbers of the documents that leave the list."""

    def add(self, corpus: int, seq: int, columns: Iterable[str]) -> None:
        segment = self._db.execute(
            "SELECT number FROM segment WHERE corpus = ? AND last >= ? ORDER BY last LIMIT 1", (corpus, seq)
        ).get
        number = bisect_left(self._sequence(segment), seq)
        for term in {term for column in columns for term in column.split()}:
            self._gone[segment][term].add(number)

    def _sequence(self, segment: int) -> Sequence[int]:
        if segment not in self._numbers:
            self._numbers[segment] = sequence(self._db, segment)
        return self._numbers[segment]

    def flush(self) -> None:
        for segment, terms in self._gone.items():
            for term, numbers in terms.items():
                self._rewrite(segment, term, numbers)
            self._db.execute("UPDATE segment SET version = version + 1 WHERE number = ?", (segment,))
        self._gone.clear()

    def _rewrite(self, segment: int, term: str, gone: set[int]) -> None:
        key = (segment, term)
        data, large = self._db.execute("SELECT data, large FROM posting WHERE segment = ? AND term = ?", key).fetchone()
        kept, beside = array("I", data), array("I", large or b"")
        for number in gone:
            at = bisect_left(kept, number << 16)
            if kept[at] & LARGE == LARGE:
                before = len(FIELDS) * sum(one & LARGE == LARGE for one in kept[:at])
                del beside[before : before + len(FIELDS)]
            del kept[at]
        if kept:
            values = (kept.tobytes(), beside.tobytes() or None, *key)
            self._db.execute("UPDATE posting SET data = ?, large = ? WHERE segment = ? AND term = ?", values)
        else:
            self._db.execute("DELETE FROM posting WHERE segment = ? AND term = ?", key)
