"""chromadb, kept in a folder. Its local store searches by vectors; words can only be a filter."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import chromadb

KINDS = {"": ("vectors",)}
KEPT, PAGE = True, 4_096


class Store:
    def __init__(self, folder: Path, given: Any, variant: str) -> None:
        settings = chromadb.Settings(anonymized_telemetry=False)
        self._client = chromadb.PersistentClient(path=str(folder), settings=settings)
        self._held = self._client.get_or_create_collection(
            "bench", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )

    def add(self, first: int, texts: Sequence[str], vectors: Any) -> None:
        self._held.add(ids=[str(first + n) for n in range(len(texts))], documents=list(texts), embeddings=vectors)

    def finish(self) -> None:
        pass

    def search(self, kind: str, text: str, vector: Any, limit: int) -> list[int]:
        found = self._held.query(query_embeddings=[vector], n_results=limit, include=["documents", "distances"])
        return [int(id) for id in found["ids"][0]]

    def close(self) -> None:
        pass
