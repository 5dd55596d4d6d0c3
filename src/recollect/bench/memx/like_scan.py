"""Keyword search without an index, by a LIKE scan: the baseline of MemX, Table 8."""

from __future__ import annotations

import time
from collections.abc import Sequence

from ...store.sqlite.connections import Connections
from ...text.analyze import analyze_query

MOST_WORDS = 12


class LikeScan:
    """Texts in a table without an index."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._connections = Connections(":memory:")
        with self._connections.transaction() as db:
            db.execute("CREATE TABLE memory (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
            db.executemany("INSERT INTO memory (text) VALUES (?)", [(text,) for text in texts])

    def search_ms(self, question: str) -> float:
        """Milliseconds to find the rows that contain a content word of the question."""
        words = analyze_query(question).content[:MOST_WORDS] or (question,)
        wanted = " OR ".join("text LIKE ?" for _ in words)
        with self._connections.read() as db:
            start = time.perf_counter()
            list(db.execute(f"SELECT id FROM memory WHERE {wanted}", [f"%{word}%" for word in words]))
            return (time.perf_counter() - start) * 1000

    def close(self) -> None:
        self._connections.close()
