"""recollect itself, in one SQLite file, by four of its recipes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from recollect import Recollect
from recollect.config import Settings

RECIPES = {"words and vectors": "default-fast", "vectors": "vector", "words": "bm25", "words (openmem)": "openmem"}
KINDS = {"": tuple(RECIPES)}
KEPT, PAGE = True, 4_096


class _Embedder:
    name = fingerprint = "given"

    def __init__(self, given: Any) -> None:
        self.embed, self.dim = given, given.dim


class Store:
    def __init__(self, folder: Path, given: Any, variant: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._held = Recollect(folder / "store.db", embedder=_Embedder(given), namespace="bench", settings=Settings())

    def add(self, first: int, texts: Sequence[str], vectors: Any) -> None:
        self._held.remember_many({"text": text, "metadata": {"row": first + n}} for n, text in enumerate(texts))

    def finish(self) -> None:
        pass

    def search(self, kind: str, text: str, vector: Any, limit: int) -> list[int]:
        found = self._held.recall(text, recipe=RECIPES[kind], limit=limit)
        return [int(hit.memory.metadata["row"]) for hit in found.hits]

    def close(self) -> None:
        self._held.close()
