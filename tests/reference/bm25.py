"""The article "BM25: The keyword search algorithm that powers agent memory retrieval"."""

import math
import sqlite3
from functools import lru_cache

K1 = 1.2  # [Signal 1] "typically 1.2 to 2.0 … a lower k1 often works better"
B = 0.75  # [Signal 3] "the sweet spot"
TITLE, BODY, TAGS = 10.0, 1.0, 1.0  # [BM25 in Practice] bm25(memories, 10.0, 1.0); FTS5 gives other columns 1.0

_db = sqlite3.connect(":memory:")
for _number, _name in enumerate(("porter unicode61", "unicode61")):
    _db.execute(f"CREATE VIRTUAL TABLE f{_number} USING fts5(body, tokenize='{_name}')")
    _db.execute(f"CREATE VIRTUAL TABLE v{_number} USING fts5vocab(f{_number}, instance)")


@lru_cache(maxsize=100_000)
def tokens(text, porter=True):
    """[BM25 in Practice] "tokenize='porter unicode61'": what SQLite itself makes of a text."""
    table = 0 if porter else 1
    _db.execute(f"DELETE FROM f{table}")
    _db.execute(f"INSERT INTO f{table} VALUES (?)", (text,))
    return tuple(term for (term,) in _db.execute(f"SELECT term FROM v{table} ORDER BY offset"))


def idf(documents, containing):
    """[Signal 2] ln((N - n(q) + 0.5) / (n(q) + 0.5) + 1)"""
    return math.log((documents - containing + 0.5) / (containing + 0.5) + 1)


def tf(f, length, mean, k1=K1, b=B):
    """[Signal 1] (f * (k1 + 1)) / (f + k1 * (1 - b + b * |D| / avgdl))"""
    return f * (k1 + 1) / (f + k1 * (1 - b + b * length / mean))


def scores(documents, query, k1=K1, b=B):
    """[The Full BM25 Score] over documents: id → list of (weight, tokens), one for each searched column.

    [BM25 in Practice] a column's weight multiplies its occurrences. Only documents with a query term are returned.
    """
    words = {id: [token for _, column in columns for token in column] for id, columns in documents.items()}
    mean = sum(map(len, words.values())) / len(words) if words else 1.0
    found = {}
    for id, columns in documents.items():
        score, matched = 0.0, False
        for term in dict.fromkeys(query):
            f = sum(weight * column.count(term) for weight, column in columns)
            if f:
                containing = sum(term in held for held in words.values())
                score += idf(len(documents), containing) * tf(f, len(words[id]), mean, k1, b)
                matched = True
        if matched:
            found[id] = score
    return found


def by_corpus(memories, columns, query):
    """Ours: statistics are those of the memories of one granularity."""
    found = {}
    for granularity in {m.granularity for m in memories}:
        inside = {m.id: columns(m) for m in memories if m.granularity == granularity}
        found |= scores(inside, query)
    return found


def words(*texts):
    """Ours: the tests' words are those that every tokenizer agrees on."""
    return tuple(word for text in texts for word in text.lower().split())


def all_fields(m):
    """Ours, for systems whose document only says that FTS5 BM25 is used: every field of ours, weight 1."""
    return [(1.0, words(m.gist)), (1.0, words(m.text)), (1.0, words(*m.entities)), (1.0, words(*m.tags))]


def in_sight(memories, statuses=("active",)):
    """Ours: archived memories are searched only when they are asked for."""
    return [m for m in memories if m.status in statuses and m.tier != "archived"]


def best(found, limit):
    """[The Full BM25 Score] "the documents sorted by score, descending"; ours: ties by id"""
    return sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]


def rank(memories, links, question, vector, limit):
    """[BM25 in Practice] SELECT … MATCH … ORDER BY rank LIMIT"""

    def columns(m):
        return [(TITLE, tokens(m.gist)), (BODY, tokens(m.text)), (TAGS, tokens(",".join(m.tags)))]

    found = by_corpus(memories, columns, tokens(question))
    seen = {m.id for m in in_sight(memories)}
    return best({id: score for id, score in found.items() if id in seen}, limit)
