"""LangGraph's store in memory. It is never written to disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langgraph.store.base import PutOp
from langgraph.store.memory import InMemoryStore

KINDS = {"": ("vectors",)}
KEPT, PAGE = False, 1_024
PLACE = ("bench",)


class Store:
    def __init__(self, folder: Path, given: Any, variant: str) -> None:
        index = {"dims": given.dim, "embed": lambda texts: given(texts).tolist(), "fields": ["text"]}
        self._held = InMemoryStore(index=index)

    def add(self, first: int, texts: Sequence[str], vectors: Any) -> None:
        self._held.batch([PutOp(PLACE, str(first + n), {"text": text}) for n, text in enumerate(texts)])

    def finish(self) -> None:
        pass

    def search(self, kind: str, text: str, vector: Any, limit: int) -> list[int]:
        return [int(item.key) for item in self._held.search(PLACE, query=text, limit=limit)]

    def close(self) -> None:
        pass
