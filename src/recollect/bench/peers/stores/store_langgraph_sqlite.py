"""LangGraph's store in an SQLite file."""

from __future__ import annotations

import importlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langgraph.store.base import PutOp
from langgraph.store.sqlite import SqliteStore

KINDS = {"": ("vectors",)}
KEPT, PAGE = True, 1_024
PLACE = ("bench",)


def _sqlite() -> Any:
    """A module that can load extensions, which Python's own can't everywhere."""
    return sqlite3 if hasattr(sqlite3.Connection, "enable_load_extension") else importlib.import_module("pysqlite3")


class Store:
    def __init__(self, folder: Path, given: Any, variant: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._file = _sqlite().connect(str(folder / "store.db"), check_same_thread=False, isolation_level=None)
        index = {"dims": given.dim, "embed": lambda texts: given(texts).tolist(), "fields": ["text"]}
        self._held = SqliteStore(self._file, index=index)
        self._held.setup()

    def add(self, first: int, texts: Sequence[str], vectors: Any) -> None:
        self._held.batch([PutOp(PLACE, str(first + n), {"text": text}, index=["text"]) for n, text in enumerate(texts)])

    def finish(self) -> None:
        pass

    def search(self, kind: str, text: str, vector: Any, limit: int) -> list[int]:
        return [int(item.key) for item in self._held.search(PLACE, query=text, limit=limit)]

    def close(self) -> None:
        self._file.close()
