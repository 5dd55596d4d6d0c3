"""An index in memory of the tokens that FTS5's tokenizers give, for recipes that say so.

The store's own index holds the terms of our analyzer. This one is read from the store at the first search of a tenant,
and follows the event log from then on. Nothing of it is stored, so every store has it, and it takes no space on disk.
`porter` stems one token at a time, so the tokens of `unicode61` are kept and stemmed when they are searched.
"""

from __future__ import annotations

import threading
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias
from weakref import WeakKeyDictionary

from ...store.protocol import Store
from ...store.values import Proposed
from ...text.fts5 import Tokenizer, stems, tokens
from ...types import FIELDS, Corpus, Event, Filter, Memory, Posting, Statistics
from ...types.bm25 import idf

if TYPE_CHECKING:
    import numpy as np

    Places: TypeAlias = tuple[np.ndarray, np.ndarray, np.ndarray]
    """Where a term occurs: (document, field, count)."""

_PAGE = 2_000
_RECENT = 4
"""So many of the newest events are compared. Two processes may log in another order than they made the ids."""
_MOST_NEW = 500
"""After more new events, the whole index is read again."""
_REBUILDS = ("import", "purge")
"""Actions whose events do not name every memory that they changed."""
_MOST_TENANTS = 8
_FIELD_BITS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What is searched for, and how it is scored."""

    tokenizer: Tokenizer
    required: Sequence[str]
    match: Literal["any", "all"]
    terms: Mapping[str, float]
    """Term → the weight of its IDF."""
    fields: Mapping[str, float]
    k1: float
    b: float


def search(store: Store, words: Words, filter: Filter, limit: int) -> Proposed:
    """The best memories that the filter admits, at least `limit` of them if so many match, with the statistics of the
    searched fields."""
    postings: list[Posting] = []
    corpora: dict[tuple[str, str], Corpus] = {}
    for tenant in sorted({path.partition("/")[0] for path in filter.namespaces or store.namespaces()}):
        index = _index(store, tenant)
        with index.lock:
            index.follow(store)
            found = Search(index, words)
            corpora |= found.corpora
            postings += found.best(store, filter, limit)
    return Proposed(postings, corpora)


_indexes: WeakKeyDictionary[Store, dict[str, Fts5Index]] = WeakKeyDictionary()
_lock = threading.Lock()


def _index(store: Store, tenant: str) -> Fts5Index:
    with _lock:
        held = _indexes.setdefault(store, {})
        found = held.pop(tenant, None) or Fts5Index(tenant)
        held[tenant] = found  # the last one used is the last one dropped
        if len(held) > _MOST_TENANTS:
            del held[next(iter(held))]
        return found


class Fts5Index:
    """The tokens of one tenant's memories by field. A changed memory gets a new number; the old one is dead."""

    def __init__(self, tenant: str) -> None:
        self.lock = threading.Lock()
        self.tenant = tenant
        self._seen: frozenset[str] | None = None
        self._clear()

    def _clear(self) -> None:
        self.ids: list[str] = []
        self.granularities: list[str] = []
        self.corpus_of = array("H")
        """Document → the number of its granularity."""
        self.alive = array("B")
        self.lengths = [array("I") for _ in FIELDS]
        self._numbers: dict[str, int] = {}
        self._vocabulary: dict[str, int] = {}
        self._said = array("I")
        """The number of each token, in the order of documents and fields."""
        self._where = array("I")
        """For each of them its document and field."""
        self._sorted: tuple[np.ndarray, np.ndarray] | None = None
        self._stems: dict[str, list[int]] | None = None

    # Following the store ----------------------------------------------------------------------------

    def follow(self, store: Store) -> None:
        """Reads what changed in the store since the last search."""
        newest = store.events(limit=_RECENT)
        seen = frozenset(event.id for event in newest)
        if self._seen is not None and seen <= self._seen:
            return
        new = None if self._seen is None else self._new_events(store, newest)
        if new is None:
            self._read_all(store)
        else:
            self._read(store, {change.memory_id for event in new for change in event.changes})
        self._seen, self._sorted, self._stems = seen, None, None

    def _new_events(self, store: Store, newest: Sequence[Event]) -> list[Event] | None:
        """The events since the last search; None if the index must be read again."""
        assert self._seen is not None
        if not self._seen.intersection(event.id for event in newest):
            newest = store.events(limit=_MOST_NEW)
        new = [event for event in newest if event.id not in self._seen]
        reaches_back = len(new) < len(newest)
        names_all = all(event.changes and event.action not in _REBUILDS for event in new)
        return new if reaches_back and names_all else None

    def _read_all(self, store: Store) -> None:
        self._clear()
        after = None
        while page := store.scan(Filter(namespaces=(self.tenant,)), order="id", limit=_PAGE, after=after):
            for memory in page:
                self._add(memory)
            after = page[-1].id

    def _read(self, store: Store, ids: Iterable[str]) -> None:
        changed = sorted(ids)
        held = store.get(changed)
        for id in changed:
            if (number := self._numbers.pop(id, None)) is not None:
                self.alive[number] = 0
            if id in held and held[id].tenant == self.tenant:
                self._add(held[id])

    def _add(self, memory: Memory) -> None:
        number = len(self.ids)
        self.ids.append(memory.id)
        self._numbers[memory.id] = number
        if memory.granularity not in self.granularities:
            self.granularities.append(memory.granularity)
        self.corpus_of.append(self.granularities.index(memory.granularity))
        self.alive.append(1)
        known = self._vocabulary
        for place, field in enumerate((memory.gist, memory.text, " ".join(memory.entities), " ".join(memory.tags))):
            found = tokens(field, "unicode61") if field else ()
            self._said.extend([known.setdefault(token, len(known)) for token in found])
            self._where.extend([number << _FIELD_BITS | place] * len(found))
            self.lengths[place].append(len(found))

    # Looking up -------------------------------------------------------------------------------------

    def places(self, term: str, tokenizer: Tokenizer) -> Places:
        """Where a term occurs, in memories that are still there."""
        import numpy as np

        said, where = self._by_token()
        ends = [np.searchsorted(said, (number, number + 1)) for number in self._tokens(term, tokenizer)]
        parts = [where[start:end] for start, end in ends] or [where[:0]]
        packed, counts = np.unique(np.concatenate(parts), return_counts=True)
        numbers, fields = packed >> _FIELD_BITS, packed & ((1 << _FIELD_BITS) - 1)
        kept = np.frombuffer(self.alive, np.uint8)[numbers] > 0
        return numbers[kept], fields[kept], counts[kept]

    def _tokens(self, term: str, tokenizer: Tokenizer) -> Sequence[int]:
        """The numbers of the tokens that become this term."""
        if tokenizer == "unicode61":
            return [self._vocabulary[term]] if term in self._vocabulary else []
        if self._stems is None:
            self._stems = {}
            for stem, number in zip(stems(self._vocabulary), self._vocabulary.values(), strict=True):
                self._stems.setdefault(stem, []).append(number)
        return self._stems.get(term, [])

    def _by_token(self) -> tuple[np.ndarray, np.ndarray]:
        """All tokens in the order of their numbers, and where each was said."""
        import numpy as np

        if self._sorted is None:
            said = np.array(self._said, dtype=np.uint32)
            order = np.argsort(said, kind="stable")
            self._sorted = said[order], np.array(self._where, dtype=np.uint32)[order].astype(np.int64)
        return self._sorted


class Search:
    """One search of one index."""

    def __init__(self, index: Fts5Index, words: Words) -> None:
        import numpy as np

        self._index, self._words = index, words
        self._corpus_of = np.array(index.corpus_of, dtype=np.int64)
        self._weights = np.array([words.fields.get(name, 0.0) for name in FIELDS])
        self._places = {term: self._searched(index.places(term, words.tokenizer)) for term in words.terms}
        self._counted = self._count()
        self.corpora: Statistics = {
            (index.tenant, granularity): corpus
            for granularity, corpus in zip(index.granularities, self._counted, strict=True)
            if corpus.documents
        }

    def _searched(self, places: Places) -> Places:
        """Only those in fields with a weight."""
        numbers, fields, counts = places
        kept = self._weights[fields] > 0
        return numbers[kept], fields[kept], counts[kept]

    def _count(self) -> list[Corpus]:
        """The statistics of each granularity. A document counts for a term if a searched field has it."""
        import numpy as np

        index, sizes = self._index, len(self._index.granularities)
        alive = np.array(index.alive, dtype=float)
        documents = np.bincount(self._corpus_of, weights=alive, minlength=sizes)
        lengths = [
            np.bincount(self._corpus_of, weights=alive * np.array(each), minlength=sizes) for each in index.lengths
        ]
        held = {
            term: np.bincount(self._corpus_of[np.unique(numbers)], minlength=sizes)
            for term, (numbers, _, _) in self._places.items()
        }
        return [
            Corpus(
                documents=int(documents[n]),
                lengths={name: int(lengths[place][n]) for place, name in enumerate(FIELDS)},
                document_frequencies={term: int(counts[n]) for term, counts in held.items() if counts[n]},
            )
            for n in range(sizes)
        ]

    def best(self, store: Store, filter: Filter, limit: int) -> list[Posting]:
        import numpy as np

        matches = self._matches()
        if not len(matches):
            return []
        scores = self._scores()[matches]
        order = np.argsort(-scores, kind="stable")
        return self._postings(self._admitted(store, matches[order], scores[order], filter, limit))

    def _matches(self) -> np.ndarray:
        """The documents that have any (or all) of the required terms."""
        import numpy as np

        required = self._words.required
        held = np.zeros(len(self._index.ids), dtype=np.int64)
        for term in required:
            held[np.unique(self._places[term][0])] += 1
        return np.flatnonzero(held >= (max(1, len(required)) if self._words.match == "all" else 1))

    def _scores(self) -> np.ndarray:
        """BM25 of every document, as `read/bm25.py` has it. It orders them; the route computes the scores again."""
        import numpy as np

        words, total = self._words, np.zeros(len(self._index.ids))
        searched = [place for place, weight in enumerate(self._weights) if weight]
        lengths = np.sum([np.array(self._index.lengths[place]) for place in searched], axis=0)
        means = np.array([_mean(corpus, searched) for corpus in self._counted])
        room = words.k1 * (1 - words.b + words.b * lengths / means[self._corpus_of])
        for term, share in words.terms.items():
            numbers, fields, counts = self._places[term]
            often = np.bincount(numbers, weights=self._weights[fields] * counts, minlength=len(total))
            rare = np.array([idf(c.documents, c.document_frequencies.get(term, 0)) for c in self._counted])
            total += share * rare[self._corpus_of] * often * (words.k1 + 1) / np.maximum(often + room, 1e-12)
        return total

    def _admitted(self, store: Store, numbers: np.ndarray, scores: np.ndarray, filter: Filter, limit: int) -> list[int]:
        """The first documents that the filter admits, and those that score as much as the last of them."""
        chosen: list[int] = []
        start, size, last = 0, max(4 * limit, 256), float("-inf")
        while start < len(numbers):
            part = numbers[start : start + size].tolist()
            held = store.get([self._index.ids[number] for number in part], filter)
            for number, score in zip(part, scores[start : start + size].tolist(), strict=True):
                if score < last - 1e-9:
                    return chosen
                if self._index.ids[number] in held:
                    chosen.append(number)
                    last = score if len(chosen) == limit else last
            start, size = start + size, 2 * size
        return chosen

    def _postings(self, chosen: Sequence[int]) -> list[Posting]:
        import numpy as np

        index = self._index
        frequencies: dict[int, dict[str, dict[str, int]]] = {number: {} for number in chosen}
        for term, (numbers, fields, counts) in self._places.items():
            here = np.isin(numbers, chosen)
            found = zip(numbers[here].tolist(), fields[here].tolist(), counts[here].tolist(), strict=True)
            for number, place, count in found:
                frequencies[number].setdefault(FIELDS[place], {})[term] = count
        return [
            Posting(
                memory_id=index.ids[number],
                tenant=index.tenant,
                granularity=index.granularities[index.corpus_of[number]],
                frequencies=frequencies[number],
                lengths={name: index.lengths[place][number] for place, name in enumerate(FIELDS)},
            )
            for number in chosen
        ]


def _mean(corpus: Corpus, searched: Iterable[int]) -> float:
    return sum(corpus.lengths[FIELDS[place]] for place in searched) / (corpus.documents or 1) or 1.0
