"""OpenMem's engine: words, links, competition. It has no vectors, and stores one memory per call."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from openmem import MemoryEngine

KINDS = {"": ("words",)}
KEPT, PAGE = True, 1_024
UNKNOWN = -1
"""A memory keeps no number of ours. Only hits of vectors are compared, so none is needed."""


class Store:
    def __init__(self, folder: Path, given: Any, variant: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._held = MemoryEngine(str(folder / "memory.db"))

    def add(self, first: int, texts: Sequence[str], vectors: Any) -> None:
        for text in texts:
            self._held.add(text)

    def finish(self) -> None:
        pass

    def search(self, kind: str, text: str, vector: Any, limit: int) -> list[int]:
        return [UNKNOWN for _ in self._held.recall(text, top_k=limit)]

    def close(self) -> None:
        self._held.store.conn.close()
