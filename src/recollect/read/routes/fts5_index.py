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

    from ...store.top_k import Search as TopK
    from ...store.top_k import Term

    Places: TypeAlias = tuple[np.ndarray, np.ndarray, np.ndarray]
    """Where a term occurs: (document, field, count)."""
    Counts: TypeAlias = list[tuple[np.ndarray, np.ndarray]]
    """For each granularity the documents that have a term, and its weighted counts."""

_PAGE = 2_000
_RECENT = 4
"""So many of the newest events are compared. Two processes may log in another order than they made the ids."""
_MOST_NEW = 500
"""After more new events, the whole index is read again."""
_REBUILDS = ("import", "purge")
"""Actions whose events do not name every memory that they changed."""
_WORDLESS = ("feedback", "decay")
"""Actions that change no word. Their events name no memory."""
_MOST_TENANTS = 8
_FIELD_BITS = 2
_SPARE = 16
_MOST_SEARCHED = 256
_MOST_LATER = 50_000
"""So many tokens that came after sorting are searched one by one."""


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
        self.totals: list[list[int]] = []
        """For each granularity the number of documents, and their length by field."""
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
        """The tokens in the order of their numbers, and where each was said. Tokens that came later are not in it."""
        self._known: dict[tuple[str, Tokenizer], Places] = {}
        """Term → where it occurs among the sorted tokens."""
        self.searched: dict[tuple[str, Tokenizer, tuple[float, ...]], tuple[Places, Counts]] = {}
        """What the searches since the last change found for a term."""
        self._stems: dict[str, list[int]] = {}
        self._stemmed = 0

    # Following the store ----------------------------------------------------------------------------

    def follow(self, store: Store) -> None:
        """Reads what changed in the store since the last search."""
        seen = frozenset(event.id for event in store.events(limit=_RECENT, changes=False))
        if self._seen is not None and seen <= self._seen:
            return
        newest = [] if self._seen is None else store.events(limit=_RECENT)
        new = None if self._seen is None else self._new_events(store, newest)
        if new is None:
            self._read_all(store)
        else:
            self._read(store, {change.memory_id for event in new for change in event.changes})
        self._seen = seen
        self.searched.clear()

    def _new_events(self, store: Store, newest: Sequence[Event]) -> list[Event] | None:
        """The events since the last search; None if the index must be read again."""
        assert self._seen is not None
        if not self._seen.intersection(event.id for event in newest):
            newest = store.events(limit=_MOST_NEW)
        new = [event for event in newest if event.id not in self._seen]
        reaches_back = len(new) < len(newest)
        names_all = all(event.action in _WORDLESS or (event.changes and event.action not in _REBUILDS) for event in new)
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
                self._total(number, -1)
            if id in held and held[id].tenant == self.tenant:
                self._add(held[id])

    def _add(self, memory: Memory) -> None:
        number = len(self.ids)
        self.ids.append(memory.id)
        self._numbers[memory.id] = number
        if memory.granularity not in self.granularities:
            self.granularities.append(memory.granularity)
            self.totals.append([0] * (1 + len(FIELDS)))
        self.corpus_of.append(self.granularities.index(memory.granularity))
        self.alive.append(1)
        known = self._vocabulary
        for place, field in enumerate((memory.gist, memory.text, " ".join(memory.entities), " ".join(memory.tags))):
            found = tokens(field, "unicode61") if field else ()
            self._said.extend([known.setdefault(token, len(known)) for token in found])
            self._where.extend([number << _FIELD_BITS | place] * len(found))
            self.lengths[place].append(len(found))

        self._total(number, 1)

    def _total(self, number: int, sign: int) -> None:
        """Counts a document in or out."""
        totals = self.totals[self.corpus_of[number]]
        for n, size in enumerate((1, *(each[number] for each in self.lengths))):
            totals[n] += sign * size

    # Looking up -------------------------------------------------------------------------------------

    def places(self, term: str, tokenizer: Tokenizer) -> Places:
        """Where a term occurs, in memories that are still there. The documents are ascending."""
        import numpy as np

        tokens = self._tokens(term, tokenizer)
        said, where = self._by_token()
        key = term, tokenizer
        if key not in self._known:
            ends = [np.searchsorted(said, (number, number + 1)) for number in tokens]
            self._known[key] = _counted([where[start:end] for start, end in ends])
        later = np.isin(np.frombuffer(self._said, np.uint32)[len(said) :], tokens)
        new = _counted([np.frombuffer(self._where, np.uint32)[len(said) :][later]])
        numbers, fields, counts = (np.concatenate(both) for both in zip(self._known[key], new, strict=True))
        kept = np.frombuffer(self.alive, np.uint8)[numbers] > 0
        return numbers[kept], fields[kept], counts[kept]

    def _tokens(self, term: str, tokenizer: Tokenizer) -> Sequence[int]:
        """The numbers of the tokens that become this term."""
        if tokenizer == "unicode61":
            return [self._vocabulary[term]] if term in self._vocabulary else []
        if self._stemmed < len(self._vocabulary):
            new = list(self._vocabulary)[self._stemmed :]
            for number, stem in enumerate(stems(new), start=self._stemmed):
                self._stems.setdefault(stem, []).append(number)
            self._stemmed = len(self._vocabulary)
        return self._stems.get(term, [])

    def _by_token(self) -> tuple[np.ndarray, np.ndarray]:
        """The sorted tokens. Sorts again when many came later."""
        import numpy as np

        if self._sorted is None or len(self._said) - len(self._sorted[0]) > max(_MOST_LATER, len(self._said) // 8):
            said = np.array(self._said, dtype=np.uint32)
            order = np.argsort(said, kind="stable")
            self._sorted = said[order], np.array(self._where, dtype=np.uint32)[order]
            self._known.clear()
        return self._sorted


def _counted(parts: Sequence[np.ndarray]) -> Places:
    import numpy as np

    packed, counts = np.unique(np.concatenate(parts or [np.empty(0, np.uint32)]), return_counts=True)
    return (packed >> _FIELD_BITS).astype(np.int32), (packed & ((1 << _FIELD_BITS) - 1)).astype(np.uint8), counts


class Search:
    """One search of one index."""

    def __init__(self, index: Fts5Index, words: Words) -> None:
        import numpy as np

        self._index, self._words = index, words
        self._corpus_of = np.array(index.corpus_of, dtype=np.uint16)
        self._weights = np.array([words.fields.get(name, 0.0) for name in FIELDS])
        found = {term: self._found(term) for term in words.terms}
        self._places = {term: places for term, (places, _) in found.items()}
        self._counts = {term: counts for term, (_, counts) in found.items()}
        self._corpora = [self._corpus(number) for number in range(len(index.granularities))]
        self.corpora: Statistics = {
            (index.tenant, granularity): corpus
            for granularity, corpus in zip(index.granularities, self._corpora, strict=True)
            if corpus.documents
        }

    def _found(self, term: str) -> tuple[Places, Counts]:
        held, key = self._index.searched, (term, self._words.tokenizer, tuple(self._weights.tolist()))
        if key not in held:
            if len(held) >= _MOST_SEARCHED:
                held.clear()
            places = self._searched(self._index.places(term, self._words.tokenizer))
            held[key] = places, [self._counted(number, places) for number in range(len(self._index.granularities))]
        return held[key]

    def _searched(self, places: Places) -> Places:
        """Only those in fields with a weight."""
        numbers, fields, counts = places
        kept = self._weights[fields] > 0
        return numbers[kept], fields[kept], counts[kept]

    def _counted(self, corpus: int, places: Places) -> tuple[np.ndarray, np.ndarray]:
        """The documents of a granularity that have the term, ascending, and its weighted counts in them."""
        import numpy as np

        numbers, fields, counts = places
        here = self._corpus_of[numbers] == corpus
        numbers, weighted = numbers[here], self._weights[fields[here]] * counts[here]
        starts = np.flatnonzero(np.diff(numbers, prepend=-1))
        if len(starts) == len(numbers):
            return numbers, weighted
        return numbers[starts], np.add.reduceat(weighted, starts)  # some documents have it in several fields

    def _corpus(self, corpus: int) -> Corpus:
        """The statistics of a granularity. A document counts for a term if a searched field has it."""
        documents, *lengths = self._index.totals[corpus]
        return Corpus(
            documents=documents,
            lengths=dict(zip(FIELDS, lengths, strict=True)),
            document_frequencies={
                term: len(counts[corpus][0]) for term, counts in self._counts.items() if len(counts[corpus][0])
            },
        )

    def best(self, store: Store, filter: Filter, limit: int) -> list[Posting]:
        """Looks at more and more of the best until the filter has admitted enough."""
        from ...store.top_k import pooled

        searches = [self._search(corpus) for corpus in range(len(self._corpora))]
        count = limit + max(limit // 2, _SPARE)
        while True:
            pool = pooled(searches, count)
            first = self._first(pool.documents.tolist(), pool.scores.tolist(), count)
            chosen = self._admitted(store, first, filter, limit)
            if len(chosen) >= limit or len(pool.documents) < count:
                return self._postings(chosen)
            count *= 4

    def _search(self, corpus: int) -> TopK:
        import numpy as np

        from ...store.top_k import Search as TopK

        words, held = self._words, self._corpora[corpus]
        searched = [place for place, weight in enumerate(self._weights) if weight]
        mean = sum(held.lengths[FIELDS[place]] for place in searched) / (held.documents or 1) or 1.0

        def room(documents: np.ndarray) -> np.ndarray:
            sizes = [np.frombuffer(self._index.lengths[place], np.uint32)[documents] for place in searched]
            found: np.ndarray = words.k1 * (1 - words.b + words.b * np.sum(sizes, axis=0, dtype=float) / mean)
            return found

        terms = [self._term(corpus, term) for term in words.terms]
        return TopK(terms=terms, match=words.match, k1=words.k1, size=len(self._index.ids), room=room)

    def _term(self, corpus: int, term: str) -> Term:
        from ...store.top_k import Term

        numbers, weighted = self._counts[term][corpus]
        return Term(
            weight=self._words.terms[term] * idf(self._corpora[corpus].documents, len(numbers)),
            required=term in self._words.required,
            documents=numbers,
            counts=weighted.__getitem__,
        )

    def _first(self, numbers: list[int], scores: list[float], count: int) -> list[tuple[int, float]]:
        """The best documents, ties by id. Where scores differ by less than the error of a sum, all of them are kept."""
        ids = self._index.ids
        ordered = sorted(zip(numbers, scores, strict=True), key=lambda one: (-one[1], ids[one[0]]))
        if len(ordered) <= count or len({score for _, score in ordered[count - 1 :]}) > 1:
            return ordered
        return ordered[:count]

    def _admitted(self, store: Store, found: Sequence[tuple[int, float]], filter: Filter, limit: int) -> list[int]:
        """The first documents that the filter admits, and those that score as much as the last of them."""
        ids = self._index.ids
        held = store.get([ids[number] for number, _ in found], filter)
        admitted = [(number, score) for number, score in found if ids[number] in held]
        last = admitted[limit - 1][1] if len(admitted) >= limit else 0.0
        return [number for number, score in admitted if score >= last - 1e-9]

    def _postings(self, chosen: Sequence[int]) -> list[Posting]:
        import numpy as np

        index = self._index
        frequencies: dict[int, dict[str, dict[str, int]]] = {number: {} for number in chosen}
        for term, (numbers, fields, counts) in self._places.items():
            ends = np.stack([np.searchsorted(numbers, chosen, side) for side in ("left", "right")], axis=1)
            for number, (start, end) in zip(chosen, ends.tolist(), strict=True):
                for place, count in zip(fields[start:end].tolist(), counts[start:end].tolist(), strict=True):
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
