"""The article's formulas over FTS5's own words: the numbers that our search must give.

SQLite splits the texts (`porter unicode61`) and says which words are where; everything else is computed here, without
the engine.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Sequence

from ...store.sqlite.connections import Connections

K1, B = 1.2, 0.75
TITLE, BODY, TAGS = 10.0, 1.0, 1.0
"""The weights of the columns. The article gives the title 10 and the body 1; the tags have the default."""
TOKENIZER = "porter unicode61"
COLUMNS = {"title": TITLE, "body": BODY, "tags": TAGS}


def idf(documents: int, containing: int) -> float:
    """ln((N − n + 0.5) / (n + 0.5) + 1)."""
    return math.log((documents - containing + 0.5) / (containing + 0.5) + 1)


def saturation(f: float, length: float, mean_length: float, k1: float = K1, b: float = B) -> float:
    """f × (k1 + 1) / (f + k1 × (1 − b + b × |D| / avgdl))."""
    return f * (k1 + 1) / (f + k1 * (1 - b + b * length / mean_length))


def _any_word(question: str) -> str:
    return " OR ".join(f'"{word}"' for word in question.replace('"', " ").split())


class Fts5:
    """The memories in an FTS5 table as the article creates it."""

    def __init__(self, notes: Sequence[tuple[str, str, str]]) -> None:
        self._connections = Connections(":memory:")
        self._count = len(notes)
        with self._connections.transaction() as db:
            db.execute(f"CREATE VIRTUAL TABLE note USING fts5(title, body, tags, tokenize='{TOKENIZER}')")
            db.execute("CREATE VIRTUAL TABLE word USING fts5vocab(note, instance)")
            db.execute(f"CREATE VIRTUAL TABLE asked USING fts5(text, tokenize='{TOKENIZER}')")
            db.execute("CREATE VIRTUAL TABLE asked_word USING fts5vocab(asked, instance)")
            rows = [(n, *note) for n, note in enumerate(notes)]
            db.executemany("INSERT INTO note (rowid, title, body, tags) VALUES (?, ?, ?, ?)", rows)
            self._words = list(db.execute("SELECT doc, col, term FROM word"))

    def words(self, text: str) -> list[str]:
        """The words of a question, as FTS5 splits and stems them."""
        with self._connections.transaction() as db:
            db.execute("DELETE FROM asked")
            db.execute("INSERT INTO asked (rowid, text) VALUES (1, ?)", (text,))
            return [term for (term,) in db.execute("SELECT term FROM asked_word ORDER BY offset")]

    def scores(self, question: str) -> dict[int, float]:
        """Note → the article's score, for the notes with a word of the question."""
        counts: dict[int, dict[str, float]] = {}
        lengths: Counter[int] = Counter()
        for doc, column, term in self._words:
            held = counts.setdefault(doc, {})
            held[term] = held.get(term, 0.0) + COLUMNS[column]
            lengths[doc] += 1
        mean_length = sum(lengths.values()) / self._count
        found: dict[int, float] = {}
        for term in dict.fromkeys(self.words(question)):
            holding = [doc for doc, terms in counts.items() if term in terms]
            rarity = idf(self._count, len(holding))
            for doc in holding:
                part = rarity * saturation(counts[doc][term], lengths[doc], mean_length)
                found[doc] = found.get(doc, 0.0) + part
        return found

    def own_scores(self, question: str) -> dict[int, float]:
        """Note → SQLite's bm25() with the same weights, with the sign turned so that higher is better."""
        asked = "SELECT rowid, -bm25(note, 10.0, 1.0, 1.0) FROM note WHERE note MATCH ?"
        with self._connections.read() as db:
            return dict(db.execute(asked, (_any_word(question),)))

    def search_ms(self, question: str) -> float:
        """Milliseconds of a search for the best five."""
        asked = "SELECT rowid FROM note WHERE note MATCH ? ORDER BY bm25(note, 10.0, 1.0, 1.0) LIMIT 5"
        with self._connections.read() as db:
            start = time.perf_counter()
            list(db.execute(asked, (_any_word(question),)))
            return (time.perf_counter() - start) * 1000

    def close(self) -> None:
        self._connections.close()
